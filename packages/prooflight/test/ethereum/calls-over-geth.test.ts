/** viem and ethers call contracts of a real geth through the provider, and see what they see over geth itself. */

import { createServer } from "node:http";

import { BrowserProvider, Contract, EnsPlugin, isError, JsonRpcProvider, Network } from "ethers";
import {
  BaseError,
  concat,
  createPublicClient,
  createWalletClient,
  custom,
  defineChain,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  getAddress,
  http,
  numberToHex,
  parseAbi,
  type PublicClient,
  size,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createProvider } from "../../src/provider.js";
import { listen } from "../listen.js";
import { type Geth, startDevGeth } from "./geth.js";
import { token } from "./token.js";

type Hex = `0x${string}`;
type Json = Record<string, unknown>;

/** The first key of geth's development chain, which is public. */
const KEY = "0xb71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291";
const account = privateKeyToAccount(KEY);
const OTHER = getAddress(`0x${"0b".repeat(20)}`);
/** An account without money. */
const POOR = getAddress(`0x${"0c".repeat(20)}`);

const chain = defineChain({
  id: 1337,
  name: "geth's development chain",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [] } },
});

const abi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address, uint256) returns (bool)",
  "error Error(string reason)",
  "error Panic(uint256 number)",
  "error Paused(uint256 until)",
  "error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData)",
]);

const two = (number: number): Hex => numberToHex(number, { size: 2 });

/** A transaction's data that deploy a code. */
const deploying = (code: Hex): Hex => concat(["0x61", two(size(code)), "0x80600a3d393df3", code]);

/** A code that reverts with these bytes. */
const reverting = (data: Hex): Hex => concat(["0x61", two(size(data)), "0x80600a5f395ffd", data]);

/** A code that returns an address. */
const returning = (address: Hex): Hex => concat(["0x73", address, "0x5f5260205ff3"]);

const CALLBACK = "0xca11bac4";

/** A resolver of names whose answers its gateway gives: what the gateway answers is returned as it is. */
function offchainResolver(gateway: string): Hex {
  const lookup = encodeErrorResult({
    abi,
    errorName: "OffchainLookup",
    args: [OTHER, [`${gateway}/{sender}/{data}.json`], "0xfeed", CALLBACK, "0xbeef"],
  });
  const length = two(size(lookup));
  return concat([
    // By the selector: supportsInterface is at 0x29, the callback at 0x32.
    concat(["0x5f3560e01c806301ffc9a7146029578063", CALLBACK, "0x14603257"]),
    // Any other question reverts with the lookup, from 0x3d, in which the sender is the contract itself.
    concat(["0x61", length, "0x603d5f393060045261", length, "0x5ffd"]),
    "0x5b60015f5260205ff3",
    "0x5b6044358060645f375ff3",
    lookup,
  ]);
}

const CODES = {
  token: token(),
  reason: reverting(encodeErrorResult({ abi, errorName: "Error", args: ["not today"] })),
  panic: reverting(encodeErrorResult({ abi, errorName: "Panic", args: [17n] })),
  custom: reverting(encodeErrorResult({ abi, errorName: "Paused", args: [7n] })),
  unknown: reverting("0x12345678"),
  silent: reverting("0x"),
  // INVALID; and a loop without end.
  invalid: "0xfe",
  endless: "0x5b5f56",
} as const satisfies Record<string, Hex>;

const FAILING = ["reason", "panic", "custom", "unknown", "silent", "invalid", "endless"] as const;

let geth: Geth;
let gateway: Awaited<ReturnType<typeof listen>>;
/** geth itself, which the tests trust. */
let direct: PublicClient;
let contracts: Record<keyof typeof CODES, Hex>;
let resolver: Hex;
let registry: Hex;
/** The paths that the gateway was asked for. */
const lookedUp: string[] = [];

beforeAll(async () => {
  geth = await startDevGeth();
  direct = createPublicClient({ chain, transport: http(geth.url), cacheTime: 0 });
  gateway = await listen(
    createServer((request, response) => {
      lookedUp.push(request.url ?? "");
      const address = encodeAbiParameters([{ type: "address" }], [OTHER]);
      const types = [{ type: "bytes" }, { type: "address" }] as const;
      const data = encodeAbiParameters(types, [address, resolver]);
      response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
    }),
  );
  const wallet = createWalletClient({ account, chain, transport: http(geth.url) });
  const mined = async (hash: Hex) =>
    direct.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  const deploy = async (code: Hex): Promise<Hex> => {
    const hash = await wallet.sendTransaction({ data: deploying(code), gas: 2_000_000n });
    const { contractAddress } = await mined(hash);
    if (!contractAddress) throw new Error("no contract");
    return contractAddress;
  };
  const deployed: [string, Hex][] = [];
  for (const [name, code] of Object.entries(CODES)) deployed.push([name, await deploy(code)]);
  contracts = Object.fromEntries(deployed) as typeof contracts;
  resolver = await deploy(offchainResolver(gateway.url));
  registry = await deploy(returning(resolver));
  const data = encodeFunctionData({ abi, functionName: "transfer", args: [OTHER, 400n] });
  await mined(await wallet.sendTransaction({ to: contracts.token, data, gas: 200_000n }));
});

afterAll(async () => {
  gateway.close();
  await geth.stop();
});

const provider = () =>
  createProvider({
    execution: [geth.url],
    chainId: 1337,
    fork: "prague",
    heads: async () => ({ latest: (await direct.getBlock()).hash }),
  });

/** What a library shows: a result, or an error as far as its text does not depend on the transport. */
const shown = async (asking: Promise<unknown>, show: (error: unknown) => unknown) =>
  asking.then(
    (result) => ({ result }),
    (error: unknown) => ({ error: show(error) }),
  );

describe("viem", () => {
  const verified = () =>
    createPublicClient({
      chain,
      transport: custom(provider(), { retryCount: 0 }),
      cacheTime: 0,
    });

  const show = (error: unknown): Json[] => {
    if (!(error instanceof BaseError)) throw error;
    const { name, shortMessage, details, cause } = error;
    const { data, raw, reason } = error as { data?: unknown; raw?: unknown; reason?: unknown };
    const below = cause instanceof BaseError ? show(cause) : [];
    // These tell a transport from another: HTTP, or a provider's. Their details are in the errors above, too.
    if (["RpcRequestError", "UnknownRpcError"].includes(name)) return below;
    return [{ name, shortMessage, details, data, raw, reason }, ...below];
  };

  /** Asks both, and compares. */
  async function same(ask: (client: PublicClient) => Promise<unknown>) {
    const expected = await shown(ask(direct), show);
    const found = await shown(ask(verified()), show);
    expect(found).toEqual(expected);
    return found as { result?: unknown; error?: Json[] };
  }

  const reading = (address: Hex) =>
    ({ address, abi, functionName: "balanceOf", args: [OTHER] }) as const;

  test("reads a contract", async () => {
    const found = await same((client) => client.readContract(reading(contracts.token)));
    expect(found.result).toBe(400n);
  });

  test("reads many contracts in one call, whose contract is not deployed", async () => {
    const all = [contracts.token, contracts.custom, contracts.reason, contracts.token].map(reading);
    const ask = async (client: PublicClient) => {
      const results = await client.multicall({ contracts: all, deployless: true });
      return results.map(({ result, error }) => result ?? show(error));
    };
    const { result } = (await same(ask)) as { result: unknown[] };
    expect([result[0], result[3]]).toEqual([400n, 400n]);
  });

  test("calls a code that is not deployed", async () => {
    const asked = { abi, functionName: "balanceOf", args: [OTHER] } as const;
    const found = await same((client) =>
      client.readContract({ ...asked, code: deploying(token()) }),
    );
    expect(found.result).toBe(0n);
  });

  test("simulates a transaction", async () => {
    const ask = async (client: PublicClient) => {
      const { result } = await client.simulateContract({
        address: contracts.token,
        abi,
        functionName: "transfer",
        account: account.address,
        args: [OTHER, 5n],
      });
      return result;
    };
    expect((await same(ask)).result).toBe(true);
  });

  test("estimates the same gas", async () => {
    const ask = (client: PublicClient) =>
      client.estimateContractGas({
        address: contracts.token,
        abi,
        functionName: "transfer",
        account: account.address,
        args: [POOR, 5n],
      });
    expect((await same(ask)).result).toBeGreaterThan(21_000n);
  });

  test.each(FAILING)("shows the same error of a call: %s", async (name) => {
    const gas = name === "endless" ? { gas: 100_000n } : {};
    const ask = (client: PublicClient) =>
      client.readContract({ ...reading(contracts[name]), ...gas });
    expect((await same(ask)).error).toBeDefined();
  });

  test.each(FAILING)("shows the same error of a simulation and an estimate: %s", async (name) => {
    const call = {
      address: contracts[name],
      abi,
      functionName: "transfer",
      account: account.address,
      args: [OTHER, 5n],
      ...(name === "endless" && { gas: 100_000n }),
    } as const;
    expect((await same((client) => client.simulateContract(call))).error).toBeDefined();
    expect((await same((client) => client.estimateContractGas(call))).error).toBeDefined();
  });

  test("shows the same error where money lacks", async () => {
    const paying = { account: POOR, to: OTHER, value: 1n } as const;
    const called = await same((client) => client.call(paying));
    expect(called.error).toBeDefined();
    const estimated = await same((client) => client.estimateGas(paying));
    expect(estimated.error).toBeDefined();
  });

  test("resolves a name through a gateway", async () => {
    const before = lookedUp.length;
    const found = await same((client) =>
      client.getEnsAddress({ name: "alice.eth", universalResolverAddress: resolver }),
    );
    expect(found.result).toBe(OTHER);
    const path = `/${resolver.toLowerCase()}/0xfeed.json`;
    expect(lookedUp.slice(before)).toEqual([path, path]);
  });
});

describe("ethers", () => {
  const network = () =>
    new Network("development", 1337).attachPlugin(new EnsPlugin(registry, 1337));
  const options = { cacheTimeout: -1 };

  const show = (error: unknown): Json => {
    if (!isError(error, "CALL_EXCEPTION")) {
      const { code, shortMessage } = error as { code?: string; shortMessage?: string };
      if (code === undefined) throw error;
      return { code, shortMessage };
    }
    const { code, shortMessage, action, data, reason, revert } = error;
    return { code, shortMessage, action, data, reason, revert };
  };

  /** Asks both, and compares. */
  async function same(ask: (ethers: BrowserProvider | JsonRpcProvider) => Promise<unknown>) {
    const one = { ...options, staticNetwork: network() };
    const trusted = new JsonRpcProvider(geth.url, network(), one);
    const verified = new BrowserProvider(provider(), network(), one);
    const expected = await shown(ask(trusted), show);
    const found = await shown(ask(verified), show);
    trusted.destroy();
    verified.destroy();
    expect(found).toEqual(expected);
    return found as { result?: unknown; error?: Json };
  }

  const human = [
    "function balanceOf(address) view returns (uint256)",
    "function transfer(address, uint256) returns (bool)",
    "error Paused(uint256 until)",
  ];

  test("calls a contract", async () => {
    const found = await same((ethers) =>
      new Contract(contracts.token, human, ethers).getFunction("balanceOf")(OTHER),
    );
    expect(found.result).toBe(400n);
  });

  test.each(FAILING)("shows the same error: %s", async (name) => {
    const gas = name === "endless" ? { gasLimit: 100_000 } : {};
    const called = await same((ethers) =>
      new Contract(contracts[name], human, ethers).getFunction("balanceOf")(OTHER, gas),
    );
    expect(called.error).toMatchObject({ code: "CALL_EXCEPTION" });
    const simulated = await same((ethers) =>
      new Contract(contracts[name], human, ethers)
        .getFunction("transfer")
        .staticCall(OTHER, 5n, { from: account.address, ...gas }),
    );
    expect(simulated.error).toMatchObject({ code: "CALL_EXCEPTION" });
    const estimated = await same((ethers) =>
      new Contract(contracts[name], human, ethers)
        .getFunction("transfer")
        .estimateGas(OTHER, 5n, { from: account.address, ...gas }),
    );
    expect(estimated.error).toBeDefined();
  });

  test("shows the same error where money lacks", async () => {
    const paying = { from: POOR, to: OTHER, value: 1n };
    expect((await same((ethers) => ethers.call(paying))).error).toBeDefined();
    expect((await same((ethers) => ethers.estimateGas(paying))).error).toBeDefined();
  });

  test("resolves a name through a gateway", async () => {
    const before = lookedUp.length;
    const found = await same((ethers) => ethers.resolveName("alice.eth"));
    expect(found.result).toBe(OTHER);
    expect(lookedUp.length).toBe(before + 2);
  });
});
