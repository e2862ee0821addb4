/** Calls of a provider that trusts a block: executed here if the rules of the block are known, else as other methods. */

import { beforeAll, describe, expect, test } from "vitest";

import { createProvider, type ProviderOptions } from "../../src/provider.js";
import { HEAD, HISTORY, RICH, word } from "./endpoint.js";
import { type ExecutionChain, executeChain } from "./execution-chain.js";
import { hashOf, refusalOf } from "./provider-of.js";

type Hex = `0x${string}`;

let chain: ExecutionChain;
let stateRoot: Hex;
beforeAll(async () => {
  chain = await executeChain();
  const block = await chain.execution("eth_getBlockByHash", [hashOf(chain, HEAD), false]);
  ({ stateRoot } = block as { stateRoot: Hex });
});

/** A provider that trusts the newest block; `asked` is what its server is asked, and `unverified` what is forwarded. */
function trusting(
  options: Partial<ProviderOptions> = {},
  change: (method: string, answer: unknown) => unknown = (_, answer) => answer,
) {
  const asked: string[] = [];
  const unverified: string[] = [];
  const provider = createProvider({
    provider: {
      request: async ({ method, params }) => {
        asked.push(method);
        return change(method, await chain.execution(method, params as unknown[]));
      },
    },
    chainId: chain.options.chainId,
    trust: () => ({ number: BigInt(HEAD), hash: hashOf(chain, HEAD), stateRoot }),
    fork: "osaka",
    ...options,
    ...(options.mode === "if-possible" && {
      onUnverified: ({ method }: { method: string }) => unverified.push(method),
    }),
  });
  const ask = (method: string, ...params: unknown[]) => provider.request({ method, params });
  return { ask, asked, unverified };
}

const CALL = { to: HISTORY, data: word(HEAD - 1) };

describe.each(["strict", "if-possible"] as const)("in the mode %s", (mode) => {
  test("calls are executed, and nothing is forwarded", async () => {
    const { ask, asked, unverified } = trusting({ mode });
    for (const block of ["latest", "finalized", hashOf(chain, HEAD), `0x${HEAD.toString(16)}`]) {
      expect(await ask("eth_call", CALL, block)).toBe(hashOf(chain, HEAD - 1));
    }
    expect(await ask("eth_estimateGas", { from: RICH, to: RICH, value: "0x1" })).toBe("0x5208");
    expect(await ask("eth_createAccessList", CALL)).toMatchObject({
      accessList: [{ address: HISTORY, storageKeys: [word(HEAD - 1)] }],
    });
    expect(unverified).toEqual([]);
    expect(asked).not.toContain("eth_call");
    expect(asked).not.toContain("eth_estimateGas");
  });

  test("a revert is one", async () => {
    const { ask } = trusting({ mode });
    await expect(ask("eth_call", { data: "0x5f5ffd" })).rejects.toMatchObject({ code: 3 });
  });

  test("a lie is refused, and nothing is forwarded", async () => {
    for (const [lying, lie] of [
      ["eth_getProof", { accountProof: [] }],
      ["eth_getProof", null],
      ["eth_getCode", "0x00"],
      ["eth_getBlockByHash", null],
      ["eth_getBlockByHash", { gasLimit: "0x1" }],
      ["eth_getBlockByHash", { stateRoot: `0x${"11".repeat(32)}` }],
      // It looks like the header of a later fork.
      ["eth_getBlockByHash", { requestsHash: `0x${"11".repeat(32)}`, later: "0x1" }],
    ] as const) {
      const { ask, unverified } = trusting({ mode }, (method, answer) => {
        if (method !== lying) return answer;
        return Object(lie) === lie ? { ...(answer as object), ...(lie as object) } : lie;
      });
      const { code } = await refusalOf(ask("eth_call", CALL));
      expect([-32001, -32002]).toContain(code);
      expect(unverified).toEqual([]);
    }
  });

  test("nothing is known to be canonical, and no block is pending", async () => {
    const { ask, asked } = trusting({ mode });
    for (const block of ["pending", { blockHash: hashOf(chain, HEAD), requireCanonical: true }]) {
      const { data } = await refusalOf(ask("eth_call", CALL, block));
      expect(data.reason).toBe("unverifiable_method");
    }
    expect(asked).toEqual([]);
  });

  test("a block that is not trusted has no calls", async () => {
    const { ask, asked } = trusting({ mode, trust: () => undefined });
    expect((await refusalOf(ask("eth_call", CALL))).data.reason).toBe("unknown_block");
    expect(asked).toEqual([]);
  });
});

describe("without known rules", () => {
  /** Of a chain without a name, and of a block before the first rules of mainnet. */
  const unknown = [{ fork: undefined }, { fork: undefined, chainId: 1 }];

  test("calls are forwarded in the mode if-possible, if the application agrees", async () => {
    for (const more of unknown) {
      const { ask, unverified } = trusting({ ...more, mode: "if-possible" }, (method, answer) =>
        method === "eth_call" ? "0x2a" : answer,
      );
      expect(await ask("eth_call", CALL)).toBe("0x2a");
      expect(unverified).toEqual(["eth_call"]);
    }
  });

  test("calls are refused in the mode strict, or if the list does not have them", async () => {
    for (const more of unknown) {
      for (const mode of [{}, { mode: "if-possible" as const, forward: [] }]) {
        const { ask, asked, unverified } = trusting({ ...more, ...mode });
        expect(await refusalOf(ask("eth_call", CALL))).toMatchObject({ code: 4200 });
        expect(asked).not.toContain("eth_call");
        expect(unverified).toEqual([]);
      }
    }
  });
});
