/** Every recorded request of the execution-apis tests, asked through a provider that trusts only the head's hash. */

import { describe, expect, test } from "vitest";

import { ProviderError } from "../../src/provider.js";
import { METHODS } from "../../src/provider/ethereum/methods.js";
import { GIVEN, IS_OWN, isRefused, readGivenExchanges } from "./execution-apis.js";
import { executeChain } from "./execution-chain.js";
import { providerOf } from "./provider-of.js";

const chain = await executeChain(GIVEN);

const exchanges = readGivenExchanges();

test("there are exchanges", () => {
  expect(exchanges.length).toBeGreaterThan(IS_OWN ? 30 : 0);
});

const isOffered = new Set(METHODS.map(([name]) => name));
const refused = exchanges.filter((one) => isRefused(one) || !isOffered.has(one.method));
const offered = exchanges.filter((one) => !refused.includes(one));

for (const method of new Set(refused.map(({ method }) => method))) {
  console.log(`execution-apis: ${method} is refused, which no proof covers`);
}

describe.runIf(offered.length > 0)("has the recorded answer", () => {
  test.each(offered.map((one) => [one.name, one] as const))(
    "%s",
    async (_, { method, params, answer, formOnly }) => {
      const unproven: unknown[] = [];
      const { provider } = providerOf(chain, { onUnproven: (request) => unproven.push(request) });
      const found = await provider.request({ method, params }).then(
        (result) => ({ result }),
        (error: unknown) => {
          if (!(error instanceof ProviderError)) throw error;
          if (!answer.error) throw error;
          return { error: error.code };
        },
      );
      if (answer.error) expect(found).toEqual({ error: answer.error.code });
      // The repository's have the very answer; others need not.
      else if (formOnly && !IS_OWN)
        expect(formOf(found)).toEqual(formOf({ result: answer.result }));
      else expect(found).toEqual({ result: answer.result });
      // Only that there is nothing with a hash is not proven.
      if (unproven.length > 0) expect(answer.result).toBe(null);
    },
  );
});

describe.runIf(refused.length > 0)("is refused, as documented", () => {
  test.each(refused.map((one) => [one.name, one] as const))("%s", async (_, { method, params }) => {
    const { provider, asked } = providerOf(chain);
    await expect(provider.request({ method, params })).rejects.toMatchObject({
      code: 4200,
      data: { reason: "unverifiable_method" },
    });
    expect(asked).toEqual([]);
  });
});

/** The names of members and the kinds of values; of a list, those of its first item. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, formOf(member)]));
}
