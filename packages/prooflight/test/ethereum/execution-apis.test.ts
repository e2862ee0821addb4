/** Every recorded request of the execution-apis tests, asked through a provider that trusts only the head's hash. */

import { describe, expect, test } from "vitest";

import { ProviderError } from "../../src/provider.js";
import { isRefused, readExchanges } from "./execution-apis.js";
import { executeChain } from "./execution-chain.js";
import { providerOf } from "./provider-of.js";

const chain = await executeChain();

const exchanges = readExchanges();

test("there are exchanges", () => {
  expect(exchanges.length).toBeGreaterThan(30);
});

const offered = exchanges.filter((one) => !isRefused(one));
const refused = exchanges.filter(isRefused);

describe("has the recorded answer", () => {
  test.each(offered.map((one) => [one.name, one] as const))(
    "%s",
    async (_, { method, params, answer }) => {
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
