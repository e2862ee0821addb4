/** Every recorded request of the execution-apis tests, asked through a provider that trusts only the head's hash. */

import { describe, expect, test } from "vitest";

import { ProviderError } from "../../src/provider.js";
import { CODES, isDocumented, REFUSED, refusalOf, refusedAs } from "./documented.js";
import { GIVEN, IS_OWN, isRefused, readGivenExchanges } from "./execution-apis.js";
import { executeChain } from "./execution-chain.js";
import { OFFERED } from "./methods.js";
import { providerOf } from "./provider-of.js";

const chain = await executeChain(GIVEN);

const exchanges = readGivenExchanges();

test("there are exchanges", () => {
  expect(exchanges.length).toBeGreaterThan(IS_OWN ? 30 : 0);
});

const refused = exchanges.filter(isRefused);
const offered = exchanges.filter((one) => !refused.includes(one));

for (const method of new Set(refused.map(({ method }) => method))) {
  const { code, reason } = refusalOf(method);
  console.log(`execution-apis: ${method} is refused with ${code} / ${reason}`);
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
      if (answer.error) {
        // Nodes disagree about codes. Others than the repository's may have one of theirs.
        if (IS_OWN) expect(found).toEqual({ error: answer.error.code });
        else expect([answer.error.code, ...CODES]).toContain((found as { error?: number }).error);
      }
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
    await expect(provider.request({ method, params })).rejects.toMatchObject(refusedAs(method));
    expect(asked).toEqual([]);
  });
});

describe("the documentation's table", () => {
  test("has every method that is offered", () => {
    expect([...OFFERED].filter((method) => !isDocumented(method))).toEqual([]);
  });

  test.each(REFUSED.map((name) => [name.replace("…", "anything")]))(
    "says how %s is refused",
    async (method) => {
      const { provider, asked } = providerOf(chain);
      expect(OFFERED.has(method)).toBe(false);
      const asking = provider.request({ method, params: [] });
      await expect(asking).rejects.toMatchObject(refusedAs(method));
      expect(asked).toEqual([]);
    },
  );

  test.each(["eth_newThing", "testing_buildBlockV1", "engine_newPayloadV4", "toString"])(
    "says how others are refused: %s",
    async (method) => {
      const { provider, asked } = providerOf(chain);
      const asking = provider.request({ method, params: [] });
      await expect(asking).rejects.toMatchObject(refusedAs(method));
      expect(asked).toEqual([]);
    },
  );
});

/** The names of members and the kinds of values; of a list, those of its first item. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, formOf(member)]));
}
