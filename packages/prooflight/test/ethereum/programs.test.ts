/** viem and ethers, unchanged, over a provider that verifies what anvil answers. */

import { BrowserProvider, JsonRpcProvider, Wallet } from "ethers";
import {
  createPublicClient,
  createWalletClient,
  custom,
  http,
  type PublicClient,
  UserRejectedRequestError,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { anvil } from "viem/chains";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createProvider, type NetworkProviderOptions, refusalIn } from "../../src/provider.js";
import { type Anvil, startAnvil } from "./anvil.js";

type Hex = `0x${string}`;

/** The first key of anvil, which is public. */
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const account = privateKeyToAccount(KEY);

/** A contract that stores 42 at slot 0 and emits a log with the topic 7. */
const CONTRACT = "0x600d80600b6000396000f3602a600055600760006000a100";
const TOPIC = `0x${"00".repeat(31)}07` as const;
const TO = "0x00000000000000000000000000000000000000aa";

let node: Anvil;
let url: string;
/** anvil itself, which the tests trust. */
let direct: PublicClient;

beforeAll(async () => {
  node = await startAnvil();
  ({ url } = node);
  direct = createPublicClient({ chain: anvil, transport: http(url) });
  // anvil's genesis header has the root of an empty state, so nothing in it can be proven.
  await direct.request({ method: "anvil_mine", params: ["0x1"] } as never);
});

afterAll(() => {
  node.stop();
});

const provider = (options: Partial<NetworkProviderOptions> = {}) =>
  createProvider({
    execution: [url],
    chainId: 31337,
    // The head is that of the test's own node.
    heads: async () => ({ latest: (await direct.getBlock()).hash }),
    ...options,
  });

/** Sends a transaction and waits for it. */
async function deploy(client: PublicClient, transport: ReturnType<typeof custom>) {
  const wallet = createWalletClient({ account, chain: anvil, transport });
  const hash = await wallet.sendTransaction({ data: CONTRACT, gas: 200_000n });
  const { contractAddress } = await client.waitForTransactionReceipt({
    hash,
    pollingInterval: 50,
  });
  if (!contractAddress) throw new Error("no contract");
  const called = await wallet.sendTransaction({ to: contractAddress, gas: 100_000n });
  const receipt = await client.waitForTransactionReceipt({ hash: called, pollingInterval: 50 });
  return { contract: contractAddress, receipt };
}

test("viem gets from the provider what it gets from anvil", async () => {
  const transport = custom(provider());
  const client = createPublicClient({ chain: anvil, transport });
  const { contract, receipt } = await deploy(client, transport);
  expect(receipt.status).toBe("success");
  const { transactionHash: hash, blockNumber, blockHash } = receipt;

  const ask = async (client: PublicClient) => ({
    chainId: await client.getChainId(),
    blockNumber: await client.getBlockNumber({ cacheTime: 0 }),
    balance: await client.getBalance({ address: account.address }),
    none: await client.getBalance({ address: TO, blockNumber: 1n }),
    nonce: await client.getTransactionCount({ address: account.address }),
    code: await client.getCode({ address: contract }),
    storage: await client.getStorageAt({ address: contract, slot: "0x0" }),
    block: await client.getBlock({ blockNumber, includeTransactions: true }),
    byHash: await client.getBlock({ blockHash }),
    count: await client.getBlockTransactionCount({ blockNumber }),
    transaction: await client.getTransaction({ hash }),
    receipt: await client.getTransactionReceipt({ hash }),
    logs: await client.getLogs({ address: contract, fromBlock: 0n, toBlock: blockNumber }),
    blobBaseFee: (
      await client.getFeeHistory({
        blockCount: 2,
        rewardPercentiles: [25, 75],
      })
    ).baseFeePerGas,
  });
  const [found, expected] = [await ask(client), await ask(direct)];
  expect(found.logs).toHaveLength(1);
  expect(found.logs[0]?.topics).toEqual([TOPIC]);
  expect(found.storage).toBe(`0x${"00".repeat(31)}2a`);
  expect(comparable(found)).toEqual(comparable(expected));
});

/** Without what nodes are free to add or leave out. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !FREE.has(name) && member !== undefined && member !== null)
      .map(([name, member]) => [name, comparable(member)]),
  );
}

/** Members that anvil has of its own, or not at all; its size lacks a byte of transactions with a type. */
const FREE = new Set(["size", "totalDifficulty", "blockTimestamp", "blobGasPrice", "blobGasUsed"]);

test("viem's filters report logs as they come", async () => {
  const transport = custom(provider());
  const client = createPublicClient({ chain: anvil, transport });
  const filter = await client.createEventFilter();
  const { contract, receipt } = await deploy(client, transport);
  const changes = await client.getFilterChanges({ filter });
  expect(changes).toMatchObject([
    { address: contract, transactionHash: receipt.transactionHash, removed: false },
  ]);
  expect(await client.getFilterChanges({ filter })).toEqual([]);
});

test("ethers reads, sends, and waits", async () => {
  // ethers would answer a second question about the same balance from its cache.
  const ethers = new BrowserProvider(provider(), undefined, { cacheTimeout: -1 });
  const before = await ethers.getBalance(TO);
  const wallet = new Wallet(KEY, ethers);
  const sent = await wallet.sendTransaction({ to: TO, value: 5n, gasLimit: 21_000n });
  const receipt = await sent.wait();
  expect(receipt?.status).toBe(1);
  expect(await ethers.getBalance(TO)).toBe(before + 5n);
  const found = await ethers.getTransaction(sent.hash);
  expect(found?.from).toBe(account.address);
  const block = await ethers.getBlock(receipt?.blockNumber ?? 0, true);
  expect(block?.prefetchedTransactions.map(({ hash }) => hash)).toEqual([sent.hash]);
  expect(await ethers.getTransactionReceipt(`0x${"12".repeat(32)}`)).toBe(null);
  const { gasPrice, maxPriorityFeePerGas } = await ethers.getFeeData();
  expect(gasPrice).toBeGreaterThan(0n);
  expect(maxPriorityFeePerGas).not.toBe(null);
  const logs = await ethers.getLogs({ fromBlock: 0, toBlock: "latest", topics: [TOPIC] });
  expect(logs.map(({ transactionHash }) => transactionHash)).toEqual(
    (await direct.getLogs({ fromBlock: 0n, toBlock: "latest" })).map((log) => log.transactionHash),
  );
});

test("ethers gets nonce, code, storage and fee history from the provider as from anvil", async () => {
  const transport = custom(provider());
  const client = createPublicClient({ chain: anvil, transport });
  const { contract } = await deploy(client, transport);
  const ask = async (ethers: BrowserProvider | JsonRpcProvider) => ({
    nonce: await ethers.getTransactionCount(account.address),
    pending: await ethers.getTransactionCount(account.address, "pending"),
    code: await ethers.getCode(contract),
    none: await ethers.getCode(TO),
    storage: await ethers.getStorage(contract, 0),
    fees: await feesOf(ethers),
  });
  const node = new JsonRpcProvider(url);
  const [found, expected] = [await ask(new BrowserProvider(provider())), await ask(node)];
  node.destroy();
  expect(found.nonce).toBeGreaterThan(1);
  expect(found.code).not.toBe("0x");
  expect(found.storage).toBe(`0x${"00".repeat(31)}2a`);
  const { fees, ...state } = found;
  const { fees: anvils, ...anvilsState } = expected;
  expect(state).toEqual(anvilsState);
  expect(fees.oldestBlock).toBe(anvils.oldestBlock);
  expect(fees.baseFeePerGas).toEqual(anvils.baseFeePerGas);
  expect(fees.gasUsedRatio).toEqual(anvils.gasUsedRatio);
  expect(fees.reward).toHaveLength(2);
});

const feesOf = async (ethers: BrowserProvider | JsonRpcProvider): Promise<FeeHistory> =>
  ethers.send("eth_feeHistory", ["0x2", "latest", [50]]) as Promise<FeeHistory>;

interface FeeHistory {
  oldestBlock: string;
  baseFeePerGas: string[];
  gasUsedRatio: number[];
  reward: string[][];
}

test("a reorganisation removes logs, receipts, and what was kept by number", async () => {
  const unproven: unknown[] = [];
  const failures: unknown[] = [];
  const transport = custom(
    provider({
      onUnproven: (request) => unproven.push(request),
      onFailure: ({ error, ...failure }) => {
        // The receipt may be asked for before the transaction is in a block.
        if (error.reason !== "unknown_transaction") failures.push({ error, ...failure });
      },
    }),
    { retryCount: 0 },
  );
  const client = createPublicClient({ chain: anvil, transport, cacheTime: 0 });
  const ask = (method: string, ...params: unknown[]) =>
    direct.request<never>({ method, params } as never);
  const id = await client.request({ method: "eth_newFilter", params: [{ topics: [TOPIC] }] });
  const snapshot = await ask("evm_snapshot");
  const { contract, receipt } = await deploy(client, transport);
  // Receipts that were asked for before their blocks are null, and marked.
  unproven.length = 0;
  const { blockNumber, blockHash, transactionHash: hash } = receipt;
  const changes = () => client.request({ method: "eth_getFilterChanges", params: [id] });
  const found = (await changes()) as unknown as Record<string, unknown>[];
  expect(found).toMatchObject([{ address: contract, blockHash, removed: false }]);
  const before = {
    block: await client.getBlock({ blockNumber }),
    balance: await client.getBalance({ address: account.address, blockNumber }),
  };
  expect(before.block.hash).toBe(blockHash);

  // Another branch, which is longer and has neither the contract nor the log.
  expect(await ask("evm_revert", snapshot)).toBe(true);
  await ask("anvil_mine", "0x4", "0x7");
  expect(await changes()).toEqual(found.map((log) => ({ ...log, removed: true })));
  expect(await changes()).toEqual([]);
  const block = await client.getBlock({ blockNumber });
  expect(block.hash).toBe((await direct.getBlock({ blockNumber })).hash);
  expect(block.hash).not.toBe(blockHash);
  const { address } = account;
  const balance = await client.getBalance({ address, blockNumber });
  expect(balance).toBe(await direct.getBalance({ address, blockNumber }));
  expect(balance).toBeGreaterThan(before.balance);
  expect(await client.getCode({ address: contract })).toBe(undefined);
  expect(await client.getLogs({ address: contract, fromBlock: 0n })).toEqual([]);
  expect(failures).toEqual([]);

  expect(unproven).toEqual([]);
  expect(await client.request({ method: "eth_getTransactionReceipt", params: [hash] })).toBe(null);
  expect(unproven).toEqual([{ method: "eth_getTransactionReceipt", params: [hash] }]);
  // What was verified once is not called absent, and not canonical either.
  const replaced = await client.getBlock({ blockHash }).catch((error: unknown) => error);
  expect(refusalIn(replaced)?.reason).toMatch(/^(not_an_ancestor|unknown_block)$/);
});

describe("a wallet", () => {
  const rejecting = {
    request: ({ method }: { method: string }): Promise<unknown> => {
      if (method === "eth_chainId") return Promise.resolve("0x7a69");
      if (/accounts/i.test(method)) return Promise.resolve([account.address]);
      const error = new Error("User rejected the request.");
      return Promise.reject(Object.assign(error, { code: 4001 }));
    },
  };

  test("that rejects is shown so by viem", async () => {
    const transport = custom(provider({ wallet: rejecting }));
    const wallet = createWalletClient({ chain: anvil, transport });
    expect(await wallet.requestAddresses()).toEqual([account.address]);
    const sending = wallet.sendTransaction({
      account: account.address,
      to: TO,
      value: 1n,
      gas: 21_000n,
    });
    const error: unknown = await sending.catch((error: unknown) => error);
    const rejection = (error as { walk(is: (error: unknown) => boolean): unknown }).walk(
      (error) => error instanceof UserRejectedRequestError,
    );
    expect(rejection).toBeInstanceOf(UserRejectedRequestError);
    expect(refusalIn(error)).toBe(undefined);
  });

  test("that rejects is shown so by ethers", async () => {
    const ethers = new BrowserProvider(provider({ wallet: rejecting }));
    const signer = await ethers.getSigner();
    const sending = signer.sendTransaction({ to: TO, value: 1n, gasLimit: 21_000n });
    await expect(sending).rejects.toMatchObject({ code: "ACTION_REJECTED" });
  });

  test("is needed to sign", async () => {
    expect(await provider().request({ method: "eth_accounts" })).toEqual([]);
    const request = { method: "eth_requestAccounts" };
    await expect(provider().request(request)).rejects.toMatchObject({ code: 4200 });
  });
});

describe("a refusal is shown", () => {
  /** anvil, except for one method. */
  const changed =
    (name: string, change: (result: Record<string, unknown>) => unknown): typeof fetch =>
    async (input, init) => {
      const response = await fetch(input, init);
      const { method } = JSON.parse(init?.body as string) as { method: string };
      if (method !== name) return response;
      const reply = (await response.json()) as { result: Record<string, unknown> };
      return Response.json({ ...reply, result: change(reply.result) });
    };

  test("by viem and ethers, where a server lies", async () => {
    const lying = provider({
      fetch: changed("eth_getProof", (proof) => ({ ...proof, balance: "0xffff" })),
    });
    const client = createPublicClient({ chain: anvil, transport: custom(lying) });
    const ethers = new BrowserProvider(lying);
    for (const ask of [
      () => client.getBalance({ address: account.address }),
      () => ethers.getBalance(account.address),
    ]) {
      const error: unknown = await ask().catch((error: unknown) => error);
      expect(refusalIn(error)?.reason).toBe("account_mismatch");
    }
  });

  test("by viem and ethers, where it is not known by which rules a call is executed", async () => {
    const client = createPublicClient({ chain: anvil, transport: custom(provider()) });
    const ethers = new BrowserProvider(provider());
    const data = "0x00" as Hex;
    for (const ask of [() => client.call({ to: TO, data }), () => ethers.call({ to: TO, data })]) {
      const error: unknown = await (ask() as Promise<unknown>).catch((error: unknown) => error);
      expect(refusalIn(error)?.reason).toBe("unsupported_fork");
    }
  });

  test("by viem, for a log filter that takes too much", async () => {
    const client = createPublicClient({
      chain: anvil,
      transport: custom(provider({ maxLogBytes: 1000 }), { retryCount: 0 }),
    });
    await expect(client.getLogs({ fromBlock: 0n })).rejects.toThrow(/more/);
  });
});
