/** `prooflight eth serve`: the requests of a wallet to which it was added as a network. */

import { createPublicClient, createTestClient, http } from "viem";
import { anvil } from "viem/chains";
import { beforeAll, describe, expect, test } from "vitest";

import { createProvider } from "../../src/provider.js";
import { startAnvil } from "./anvil.js";
import { ask, closing, HEAD, RICH, servedProvider, serving } from "./endpoint.js";
import { type ExecutionChain, executeChain } from "./execution-chain.js";
import { hashOf } from "./provider-of.js";
import { token } from "./token.js";

type Hex = `0x${string}`;
type Json = Record<string, unknown>;

let chain: ExecutionChain;
let url: string;
beforeAll(async () => {
  chain = await executeChain();
  url = await serving(servedProvider(chain));
});

test("the network has its id, in both forms", async () => {
  const { chainId } = chain.options;
  expect((await ask(url, "eth_chainId")).result).toBe(`0x${chainId.toString(16)}`);
  expect((await ask(url, "net_version")).result).toBe(String(chainId));
});

test("the newest block is the one whose number is polled", async () => {
  expect((await ask(url, "eth_blockNumber")).result).toBe(`0x${HEAD.toString(16)}`);
  const { result } = await ask(url, "eth_getBlockByNumber", "latest", false);
  expect((result as Json)["hash"]).toBe(hashOf(chain, HEAD));
  const { result: code } = await ask(url, "eth_getCode", RICH, "latest");
  expect(code).toBe("0x");
});

describe("an estimate", () => {
  const call = { from: RICH, to: RICH, value: "0x1", data: "0x" };

  test.each(["0x0", "0x2"])("takes the type %s", async (type) => {
    const { result } = await ask(url, "eth_estimateGas", { ...call, type });
    expect(result).toBe("0x5208");
  });

  test("takes a dummy authorization, and a delegation as an override", async () => {
    const word = `0x${"11".repeat(32)}`;
    const delegate = "63".repeat(20);
    const authorization = {
      ...{ address: `0x${delegate}`, nonce: "0x1", yParity: "0x1", r: word, s: word },
      chainId: `0x${chain.options.chainId.toString(16)}`,
    };
    const upgrading = { ...call, type: "0x4", authorizationList: [authorization] };
    const overrides = { [RICH]: { code: `0xef0100${delegate}` } };
    const { result } = await ask(url, "eth_estimateGas", upgrading, "latest", overrides);
    // A transaction, and an account that is charged for though its signature is none.
    expect(BigInt(result as Hex)).toBeGreaterThanOrEqual(46_000n);
    expect(BigInt(result as Hex)).toBeLessThan(60_000n);
  });

  test("of what fails is an error with the status of an answer", async () => {
    const poor = { ...call, from: `0x${"77".repeat(20)}`, value: "0xde0b6b3a7640000" };
    // The request expects status 200.
    const { error } = await ask(url, "eth_estimateGas", poor);
    expect(error).toMatchObject({ code: -32000 });
    expect(error?.message).toContain("insufficient funds");
  });
});

test("the fees of ten blocks have ten rewards each", async () => {
  const percentiles = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90];
  const { result } = await ask(url, "eth_feeHistory", "0xa", "latest", percentiles);
  const { baseFeePerGas, reward } = result as { baseFeePerGas: Hex[]; reward: Hex[][] };
  expect(baseFeePerGas).toHaveLength(11);
  expect(reward.map((rewards) => rewards.length)).toEqual(Array.from({ length: 10 }, () => 10));
});

test("the balances of 300 tokens behind proxies are one call", async () => {
  const node = await startAnvil("--hardfork", "osaka");
  closing.push(node.stop);
  const transport = http(node.url, { batch: { batchSize: 100 } });
  const setup = createTestClient({ chain: anvil, mode: "anvil", transport });
  const holder: Hex = `0x${"0b".repeat(20)}`;
  const implementation: Hex = `0x${"1c".repeat(20)}`;
  const proxy: Hex = `0x363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`;
  const addresses = Array.from(
    { length: 300 },
    (_, index): Hex => `0x${(0x70000000 + index).toString(16).padStart(40, "0")}`,
  );
  const index = `0x${holder.slice(2).padStart(64, "0")}` as const;
  // For each address in its data, it returns what balanceOf(holder) gives.
  const lister: Hex = `0x${"1d".repeat(20)}`;
  const asking = `6370a0823160e01b5f5273${holder.slice(2)}600452`;
  const loop = "5f5b803614603e5760208160400160245f84355afa506020016023565b6040f3";
  await setup.setCode({ address: lister, bytecode: `0x${asking}${loop}` });
  await setup.setCode({ address: implementation, bytecode: token() });
  await Promise.all(
    addresses.map(async (address, count) => {
      await setup.setCode({ address, bytecode: proxy });
      const value = `0x${(1 + count).toString(16).padStart(64, "0")}` as const;
      await setup.setStorageAt({ address, index, value });
    }),
  );
  await setup.mine({ blocks: 1 });
  const direct = createPublicClient({ transport });
  const { hash: latest } = await direct.getBlock();
  const served = await serving(
    createProvider({
      ...{ execution: [node.url], chainId: 31337, fork: "osaka", heads: { latest } },
    }),
  );
  const data = addresses.map((address) => address.slice(2).padStart(64, "0")).join("");
  const { result } = await ask(served, "eth_call", { to: lister, data: `0x${data}` }, "latest");
  const words = (result as string).slice(2).match(/.{64}/g) ?? [];
  expect(words.map((word) => parseInt(word, 16))).toEqual(addresses.map((_, count) => 1 + count));
});
