/**
 * A real geth with the chain of the execution-apis tests, behind a provider that trusts only the newest hash: viem and
 * ethers, unchanged, get from the provider what they get from geth.
 */

import { BrowserProvider, JsonRpcProvider } from "ethers";
import { createPublicClient, custom, http, type PublicClient } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createProvider, ProviderError } from "../../src/provider.js";
import { chainOptions, isRefused, readExchanges, readGenesis } from "./execution-apis.js";
import { type Geth, startGeth } from "./geth.js";

type Hex = `0x${string}`;
type Json = Record<string, unknown>;

describe("geth", () => {
  let geth: Geth;
  /** geth itself, which the tests trust. */
  let direct: PublicClient;
  let blocks: { number: bigint; hash: Hex; transactions: Hex[] }[];

  beforeAll(async () => {
    geth = await startGeth();
    console.log(/^Version: .*/m.exec(geth.version)?.[0]);
    direct = createPublicClient({ transport: http(geth.url) });
    const { number } = await direct.getBlock();
    const numbers = Array.from({ length: Number(number) + 1 }, (_, index) => BigInt(index));
    blocks = await Promise.all(numbers.map((blockNumber) => direct.getBlock({ blockNumber })));
  });

  afterAll(() => geth.stop());

  const provider = () => createProvider({ ...chainOptions(), execution: [geth.url] });
  const viem = () => createPublicClient({ transport: custom(provider()) });

  /** Accounts of the genesis and of transactions, and the contracts that were created. */
  async function addresses(): Promise<Hex[]> {
    const { alloc } = readGenesis();
    const hashes = blocks.flatMap(({ transactions }) => transactions);
    const receipts = await Promise.all(
      hashes.map((hash) => direct.getTransactionReceipt({ hash })),
    );
    const found = receipts.flatMap(({ from, to, contractAddress }) => [from, to, contractAddress]);
    const given = Object.keys(alloc).map((name) => `0x${name.replace(/^0x/, "")}`);
    const all = [...given, ...found].flatMap((address) => address?.toLowerCase() ?? []);
    return [...new Set(all)].slice(0, MOST_ADDRESSES) as Hex[];
  }

  /** Asks both, and compares. */
  async function same<T>(ask: (client: PublicClient) => Promise<T>, client: PublicClient) {
    const [found, expected] = [await ask(client), await ask(direct)];
    expect(comparable(found)).toEqual(comparable(expected));
    return found;
  }

  test("viem reads the same accounts", async () => {
    const client = viem();
    const all = await addresses();
    expect(all.length).toBeGreaterThan(20);
    const last = BigInt(blocks.length - 1);
    let codes = 0;
    for (const address of all) {
      for (const blockNumber of [last, last - 2n, last - 10n]) {
        const state = await same(
          async (client) => ({
            balance: await client.getBalance({ address, blockNumber }),
            nonce: await client.getTransactionCount({ address, blockNumber }),
            code: await client.getCode({ address, blockNumber }),
            storage: await client.getStorageAt({ address, slot: "0x0", blockNumber }),
          }),
          client,
        );
        if (state.code !== undefined) codes += 1;
      }
    }
    expect(codes).toBeGreaterThan(0);
  });

  test("viem reads the same blocks, transactions and receipts, of all forks", async () => {
    const client = viem();
    const types = new Set<string>();
    for (const { number: blockNumber, hash: blockHash } of blocks) {
      const full = { blockNumber, includeTransactions: true } as const;
      const { transactions } = await same((client) => client.getBlock(full), client);
      await same((client) => client.getBlock({ blockHash }), client);
      await same((client) => client.getBlockTransactionCount({ blockHash }), client);
      // The first of each type, and the last.
      const firsts = new Map([...transactions].reverse().map((one) => [one.type, one]));
      for (const { hash } of new Set([...firsts.values(), ...transactions.slice(-1)])) {
        await same((client) => client.getTransaction({ hash }), client);
        const { type } = await same((client) => client.getTransactionReceipt({ hash }), client);
        types.add(type);
      }
    }
    expect([...types].sort()).toEqual(["eip1559", "eip2930", "eip4844", "eip7702", "legacy"]);
  });

  test("viem finds the same logs", async () => {
    const client = viem();
    const last = BigInt(blocks.length - 1);
    const whole = { fromBlock: last - 10n, toBlock: "latest" } as const;
    const all = await same((client) => client.getLogs(whole), client);
    expect(all.length).toBeGreaterThan(20);
    const some = all.filter((_, at) => at % Math.ceil(all.length / 5) === 0);
    for (const { address, topics, blockHash, blockNumber } of some) {
      const found = await same((client) => client.getLogs({ ...whole, address }), client);
      expect(found.length).toBeGreaterThan(0);
      await same((client) => client.getLogs({ blockHash }), client);
      const range = { fromBlock: blockNumber - 2n, toBlock: blockNumber };
      await same((client) => client.getLogs({ ...range, address }), client);
      const filter = { address, topics: [null, ...topics.slice(1)], fromBlock: "0x30" };
      const params = [filter] as never;
      await same((client) => client.request({ method: "eth_getLogs", params }), client);
    }
  });

  test("viem computes with the same fees", async () => {
    const client = viem();
    for (const params of [
      ["0x5", "latest", [10, 50, 90]],
      ["0x20", "latest", [0, 100]],
      ["0x400", "latest", []],
      ["0x3", "0x1b", [50]],
      ["0x1", "0x0", []],
    ]) {
      const ask = (client: PublicClient) =>
        client.request({ method: "eth_feeHistory", params: params as never });
      await same(ask, client);
    }
    await same(
      (client) => client.getFeeHistory({ blockCount: 4, rewardPercentiles: [25] }),
      client,
    );
    await same((client) => client.getBlobBaseFee(), client);
  });

  test("ethers reads the same", async () => {
    const [verified, trusted] = [
      new BrowserProvider(provider(), undefined, { cacheTimeout: -1 }),
      new JsonRpcProvider(geth.url, undefined, { cacheTimeout: -1 }),
    ];
    const both = async (ask: (ethers: BrowserProvider | JsonRpcProvider) => Promise<unknown>) => {
      const [found, expected] = [await ask(verified), await ask(trusted)];
      expect(comparable(plain(found))).toEqual(comparable(plain(expected)));
      return found;
    };
    const last = blocks.length - 1;
    for (const address of (await addresses()).slice(0, 20)) {
      await both((ethers) => ethers.getBalance(address));
      await both((ethers) => ethers.getTransactionCount(address));
      await both((ethers) => ethers.getCode(address));
      await both((ethers) => ethers.getStorage(address, 0));
    }
    for (const { hash, transactions } of blocks.slice(-10)) {
      await both((ethers) => ethers.getBlock(hash, true));
      for (const transaction of transactions.slice(0, 2)) {
        await both((ethers) => ethers.getTransaction(transaction));
        await both((ethers) => ethers.getTransactionReceipt(transaction));
      }
    }
    const logs = await both((ethers) => ethers.getLogs({ fromBlock: last - 6, toBlock: last }));
    expect((logs as unknown[]).length).toBeGreaterThan(20);
    verified.destroy();
    trusted.destroy();
  });

  const offered = readExchanges().filter((one) => !isRefused(one));

  describe("the provider has the recorded answer", () => {
    test.each(offered.map((one) => [one.name, one] as const))(
      "%s",
      async (_, { method, params, answer }) => {
        const found = await provider()
          .request({ method, params })
          .then(
            (result) => ({ result }),
            (error: unknown) => {
              if (error instanceof ProviderError && answer.error) return { error: error.code };
              throw error;
            },
          );
        const { result, error } = answer;
        expect(found).toEqual(error ? { error: error.code } : { result });
      },
    );
  });
});

/** Accounts that are asked about; each costs some proofs. */
const MOST_ADDRESSES = 40;

/** What this release of geth does not have in logs and transactions, and the provider adds. */
const FREE = new Set(["blockTimestamp"]);

/** Without those members, and without those that are undefined. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value as Json).filter(
    ([name, member]) => !FREE.has(name) && member !== undefined,
  );
  return Object.fromEntries(members.map(([name, member]) => [name, comparable(member)]));
}

/** An object of ethers as JSON. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  const { toJSON } = (value ?? {}) as { toJSON?: () => unknown };
  return toJSON ? (value as { toJSON: () => unknown }).toJSON() : value;
}
