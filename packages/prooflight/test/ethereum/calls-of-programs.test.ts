/** viem and ethers call contracts of anvil through the provider, and see what they see over anvil itself. */

import { BrowserProvider, Contract } from "ethers";
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  custom,
  http,
  parseAbi,
  type PublicClient,
  toFunctionSelector,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { anvil } from "viem/chains";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { readCall } from "../../src/ethereum/execution/call.js";
import { call } from "../../src/ethereum/execution/calls.js";
import { readOverrides } from "../../src/ethereum/execution/overrides.js";
import { readNetworkOptions } from "../../src/provider/ethereum/options.js";
import { createProvider, type NetworkProviderOptions, refusalIn } from "../../src/provider.js";
import { init } from "../../src/wasm/ethereum.js";
import { evm } from "../../src/wasm/evm.js";
import { type Anvil, startAnvil } from "./anvil.js";
import { oneByOne } from "./batches.js";
import { token } from "./token.js";

type Hex = `0x${string}`;

/** The first key of anvil, which is public. */
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const account = privateKeyToAccount(KEY);
const OTHER = "0x0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b";

const abi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function allowance(address, address) view returns (uint256)",
  "function transfer(address, uint256) returns (bool)",
  "error Paused(uint256 until)",
]);

/** The selector of `Paused`. */
const PAUSED = toFunctionSelector("Paused(uint256)");

let node: Anvil;
let direct: PublicClient;
/** A token, and another contract that always reverts with `Paused(7)`. */
let contracts: { token: Hex; paused: Hex; proxies: Hex[] };

/** A contract that runs the code of another (EIP-1167). */
const proxyOf = (target: Hex): Hex =>
  `0x363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d91602b57fd5bf3`;

/** A transaction's data that deploy a code. */
const deploying = (code: Hex): Hex => {
  const size = ((code.length - 2) / 2).toString(16).padStart(4, "0");
  return `0x61${size}80600a3d393df3${code.slice(2)}`;
};

beforeAll(async () => {
  node = await startAnvil("--hardfork", "osaka");
  direct = createPublicClient({ chain: anvil, transport: http(node.url), cacheTime: 0 });
  const wallet = createWalletClient({ account, chain: anvil, transport: http(node.url) });
  const deploy = async (code: Hex): Promise<Hex> => {
    const hash = await wallet.sendTransaction({ data: deploying(code), gas: 2_000_000n });
    const { contractAddress } = await direct.waitForTransactionReceipt({
      hash,
      pollingInterval: 20,
    });
    if (!contractAddress) throw new Error("no contract");
    return contractAddress;
  };
  const deployed = await deploy(token());
  // Stores the selector of Paused, then 7, and reverts with both.
  const paused = await deploy(`0x63${PAUSED.slice(2)}60e01b5f52600760045260245ffd`);
  const proxies: Hex[] = [];
  for (let index = 0; index < 50; index++) proxies.push(await deploy(proxyOf(deployed)));
  contracts = { token: deployed, paused, proxies };
  const slot = `0x${account.address.slice(2).toLowerCase().padStart(64, "0")}`;
  const value = `0x${(1000).toString(16).padStart(64, "0")}`;
  for (const holder of [deployed, ...proxies]) {
    await direct.request({ method: "anvil_setStorageAt", params: [holder, slot, value] } as never);
  }
  await direct.request({ method: "anvil_mine", params: ["0x1"] } as never);
});

afterAll(() => {
  node.stop();
});

const options = (more: Partial<NetworkProviderOptions> = {}): NetworkProviderOptions => ({
  execution: [node.url],
  chainId: 31337,
  fork: "osaka",
  heads: async () => ({ latest: (await direct.getBlock()).hash }),
  ...more,
});

const viemOf = (more?: Partial<NetworkProviderOptions>) =>
  createPublicClient({
    chain: anvil,
    transport: custom(createProvider(options(more)), { retryCount: 0 }),
    cacheTime: 0,
  });

describe("through the provider, viem", () => {
  const reading = () =>
    ({
      address: contracts.token,
      abi,
      functionName: "balanceOf",
      args: [account.address],
    }) as const;

  test("reads a contract", async () => {
    expect(await viemOf().readContract(reading())).toBe(1000n);
  });

  test("reads many contracts in one call, whose contract is not deployed", async () => {
    const balances = contracts.proxies.map((address) => ({ ...reading(), address }));
    const multicall = { contracts: balances, deployless: true, allowFailure: false } as const;
    const found = await viemOf().multicall(multicall);
    expect(found).toEqual(balances.map(() => 1000n));
    expect(await direct.multicall(multicall)).toEqual(found);
  });

  test("simulates a transaction and estimates its gas, as anvil does", async () => {
    const transfer = {
      address: contracts.token,
      abi,
      functionName: "transfer",
      account: account.address,
      args: [OTHER, 400n],
    } as const;
    const { result } = await viemOf().simulateContract(transfer);
    expect(result).toBe(true);
    const gas = await viemOf().estimateContractGas(transfer);
    const needed = await direct.estimateContractGas(transfer);
    // anvil's search ends elsewhere.
    expect(Number(gas) / Number(needed)).toBeGreaterThan(0.9);
    expect(Number(gas) / Number(needed)).toBeLessThan(1.1);
  });

  test("calls with overrides", async () => {
    const stateOverride = [
      {
        address: contracts.token,
        stateDiff: [
          {
            slot: `0x${account.address.slice(2).toLowerCase().padStart(64, "0")}`,
            value: `0x${"0".repeat(63)}5`,
          },
        ],
      },
    ] as const;
    const changed = { ...reading(), stateOverride: [...stateOverride] };
    expect(await viemOf().readContract(changed as never)).toBe(5n);
  });

  test("sees a revert with its error, as over anvil", async () => {
    const failing = { ...reading(), address: contracts.paused } as const;
    const errorOf = async (client: PublicClient) => {
      const error: unknown = await client.readContract(failing).catch((error: unknown) => error);
      if (!(error instanceof BaseError)) throw error;
      const reverted = error.walk((inner) => inner instanceof ContractFunctionRevertedError);
      return (reverted as ContractFunctionRevertedError | null)?.raw;
    };
    const raw = await errorOf(viemOf());
    expect(raw).toBe(await errorOf(direct));
    expect(raw).toBe(`${PAUSED}${"7".padStart(64, "0")}`);
  });

  test("sees a refusal where a server lies", async () => {
    const lying: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const { method } = JSON.parse(init?.body as string) as { method: string };
      if (method !== "eth_getCode") return response;
      const reply = (await response.json()) as { result: string };
      return Response.json({ ...reply, result: `${reply.result}00` });
    };
    const asked = viemOf({ fetch: oneByOne(lying) }).readContract(reading());
    const error: unknown = await asked.catch((error: unknown) => error);
    expect(refusalIn(error)?.reason).toBe("code_mismatch");
  });
});

describe("through the provider, ethers", () => {
  const contractAt = (address: Hex) =>
    new Contract(
      address,
      ["function balanceOf(address) view returns (uint256)", "error Paused(uint256 until)"],
      new BrowserProvider(createProvider(options())),
    );

  test("calls a contract", async () => {
    const balance: unknown = await contractAt(contracts.token).getFunction("balanceOf")(OTHER);
    expect(balance).toBe(0n);
  });

  test("sees a revert with its error", async () => {
    const asked = contractAt(contracts.paused).getFunction("balanceOf")(OTHER);
    await expect(asked).rejects.toMatchObject({
      code: "CALL_EXCEPTION",
      revert: { name: "Paused", args: [7n] },
    });
  });
});

test("fifty balances of proxies take a few HTTP requests", async () => {
  let requests = 0;
  const counting: typeof fetch = (input, init) => {
    requests += 1;
    return fetch(input, init);
  };
  const balances = contracts.proxies.map((address) => ({
    ...{ address, abi, functionName: "balanceOf" as const, args: [account.address] as const },
  }));
  const multicall = { contracts: balances, deployless: true, allowFailure: false } as const;
  const found = await viemOf({ fetch: counting }).multicall(multicall);
  expect(found).toEqual(balances.map(() => 1000n));
  // The block, its hint with the first proofs, and two rounds, of which the second has the implementation.
  expect(requests).toBeLessThanOrEqual(8);
});

describe("the rounds of a call", () => {
  const balanceOf = (owner: Hex) =>
    `0x70a08231${owner.slice(2).toLowerCase().padStart(64, "0")}` as const;

  beforeAll(async () => {
    await init();
    await evm.init();
  });

  /** A follower of its own, whose caches are empty. */
  const followerOf = (withHints: boolean) => {
    const fetching: typeof fetch = async (input, init) => {
      const { id, method } = JSON.parse(init?.body as string) as { id: number; method: string };
      if (withHints || method !== "eth_createAccessList") return fetch(input, init);
      return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "no method" } });
    };
    return readNetworkOptions(options({ fetch: oneByOne(fetching) })).follower;
  };

  const roundsOf = async (
    follower: ReturnType<typeof followerOf>,
    to: Hex,
    owner: Hex = account.address,
  ) => {
    const checked = {
      call: readCall({ to, data: balanceOf(owner) }),
      overrides: readOverrides(undefined, undefined),
    };
    const { data, rounds } = await follower.ask(async (view) =>
      call(view, await view.block("latest"), checked),
    );
    expect(BigInt(data)).toBe(owner === account.address ? 1000n : 0n);
    return rounds;
  };

  const mine = () => direct.request({ method: "anvil_mine", params: ["0x1"] } as never);

  test("is two for a token, with a hint and without", async () => {
    expect(await roundsOf(followerOf(true), contracts.token)).toBe(2);
    expect(await roundsOf(followerOf(false), contracts.token)).toBe(2);
  });

  test("is two for a token behind a proxy with a hint, and at most four without", async () => {
    const proxy = contracts.proxies[0] ?? "0x";
    expect(await roundsOf(followerOf(true), proxy)).toBe(2);
    expect(await roundsOf(followerOf(false), proxy)).toBeLessThanOrEqual(4);
  });

  test("is none for the same call in the same block, and one in a later block", async () => {
    const follower = followerOf(true);
    const proxy = contracts.proxies[1] ?? "0x";
    expect(await roundsOf(follower, proxy)).toBe(2);
    expect(await roundsOf(follower, proxy)).toBe(0);
    await mine();
    expect(await roundsOf(follower, proxy)).toBe(1);
  });

  test("is two in a later block for other arguments, without a hint", async () => {
    const follower = followerOf(false);
    const proxy = contracts.proxies[2] ?? "0x";
    expect(await roundsOf(follower, proxy)).toBeGreaterThan(2);
    const owners: Hex[] = [OTHER, contracts.token, contracts.paused];
    for (const owner of owners) {
      await mine();
      expect(await roundsOf(follower, proxy, owner)).toBe(2);
    }
  });

  test("is remembered for a contract, and its answers are not", async () => {
    const follower = followerOf(false);
    const changing = `0x${"c4".repeat(20)}` as const;
    const become = async (target: Hex) => {
      const params = [changing, proxyOf(target)];
      await direct.request({ method: "anvil_setCode", params } as never);
      await mine();
    };
    await become(contracts.token);
    await roundsOf(follower, changing, OTHER);
    await become(contracts.paused);
    await expect(roundsOf(follower, changing, OTHER)).rejects.toMatchObject({
      data: `${PAUSED}${"7".padStart(64, "0")}`,
    });
    await become(contracts.token);
    await roundsOf(follower, changing, OTHER);
  });

  test("ends at a server whose time is over, after which the next is asked", async () => {
    let slow = 0;
    const fetching: typeof fetch = async (input, init) => {
      if ((input as URL).host !== "slow.test") return fetch(input, init);
      slow += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return fetch(node.url, init);
    };
    const failures: string[] = [];
    const { follower } = readNetworkOptions(
      options({
        execution: ["http://slow.test", node.url],
        callTimeout: 150,
        fetch: fetching,
        onFailure: ({ error }) => failures.push(error.message),
      }),
    );
    await roundsOf(follower, contracts.proxies[3] ?? "0x");
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain("the state of a call from slow.test within 150 ms");
    const before = slow;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(slow).toBe(before);
  });
});
