/** What callers, servers and `trust` may do to a provider of Ethereum: every failure is one of ours. */

import { BrowserProvider, Contract } from "ethers";
import { createPublicClient, custom, parseAbi } from "viem";
import { mainnet } from "viem/chains";
import { describe, expect, test } from "vitest";

import { refuse } from "../../src/error.js";
import {
  createProvider,
  type Eip1193Provider,
  httpProvider,
  ProviderError,
  refusalIn,
  type ProviderOptions,
} from "../../src/provider.js";
import { MAINNET, stateWithCode } from "./ethereum-server.js";
import { refusal } from "./provider-refusal.js";

const { contract, miner } = MAINNET;
const { address } = miner;
const block = { number: MAINNET.number, hash: MAINNET.hash, stateRoot: contract.stateRoot };

/** A provider whose server answers by method. */
const provider = (
  answers: Record<string, unknown> = { eth_getProof: miner.response },
  changes: Partial<ProviderOptions> = {},
) => {
  const upstream: Eip1193Provider = { request: ({ method }) => Promise.resolve(answers[method]) };
  return createProvider({ provider: upstream, chainId: 1, trust: () => block, ...changes });
};

function revoked(kind: object = {}) {
  const { proxy, revoke } = Proxy.revocable(kind, {});
  revoke();
  return proxy as never;
}

const throwing = (member: string) =>
  Object.defineProperty({}, member, {
    enumerable: true,
    get: () => {
      throw new Error(`${member} was read`);
    },
  }) as never;

function cyclic() {
  const object: { self?: object; method: string; params: unknown[] } = { method: "x", params: [] };
  object.self = object;
  object.params.push(object);
  return object;
}

const WRONG_REQUEST = "-32602 invalid_input invalid_argument";

describe("a request that is none is the caller's fault:", () => {
  const balance = (...params: unknown[]) => ({ method: "eth_getBalance", params });
  test.each<[string, unknown]>([
    ["null", null],
    ["undefined", undefined],
    ["text", "eth_chainId"],
    ["no method", {}],
    ["a method that is none", { method: 1 }],
    ["a proxy that is none any more", revoked()],
    ["a method that cannot be read", throwing("method")],
    ["parameters that are text", { method: "eth_getBalance", params: "0x" }],
    ["parameters in an object", { method: "eth_getBalance", params: { address } }],
    ["parameters that cannot be read", { method: "eth_getBalance", params: revoked([]) }],
    ["a cycle", cyclic()],
    ["a cycle in the parameters", { method: "eth_getBalance", params: [cyclic()] }],
    ["a bigint", balance(address, 1n)],
    ["a symbol", balance(Symbol("address"))],
    ["a function", balance(() => address)],
    ["a block that cannot be read", balance(address, throwing("blockHash"))],
  ])("%s", async (_, request) => {
    for (const mode of ["strict", "if-possible"] as const) {
      expect(await refusal(provider({}, { mode }).request(request as never))).toBe(WRONG_REQUEST);
    }
  });

  test.each<[string, object]>([
    ["a hash that is a name", { blockHash: "latest" }],
    ["a hash that is a number", { blockHash: "0x1" }],
    ["a hash of no characters", { blockHash: "" }],
    ["a hash of null beside a number", { blockHash: null, blockNumber: "0x14e8d38" }],
    ["a number that is a name", { blockNumber: "latest" }],
    ["a number that is a hash", { blockNumber: MAINNET.hash }],
    ["a hash and a number", { blockHash: MAINNET.hash, blockNumber: "0x14e8d38" }],
    ["a block in a block", { blockHash: { blockHash: MAINNET.hash } }],
    ["an array", [MAINNET.hash]],
    ["nothing", {}],
    ["an unknown member", { blockHash: MAINNET.hash, number: "0x1" }],
    ["requireCanonical of another type", { blockHash: MAINNET.hash, requireCanonical: 1 }],
  ])("a block with %s", async (_, named) => {
    expect(await refusal(provider().request(balance(address, named)))).toBe(WRONG_REQUEST);
  });

  test("but a block may be an object of EIP-1898", async () => {
    const { balance: expected } = miner.response;
    for (const named of [
      { blockHash: MAINNET.hash },
      { blockHash: MAINNET.hash.toUpperCase().replace("0X", "0x"), requireCanonical: false },
      { blockNumber: "0x14e8d38" },
    ]) {
      expect(await provider().request(balance(address, named))).toBe(expected);
    }
    const canonical = balance(address, { blockHash: MAINNET.hash, requireCanonical: true });
    const asked = provider().request(canonical);
    expect(await refusal(asked)).toBe("4200 unsupported unverifiable_method");
  });
});

describe("trust() that fails is no block that is known:", () => {
  test.each<[string, () => unknown]>([
    [
      "an error",
      () => {
        throw new Error("no light client");
      },
    ],
    ["a rejection", () => Promise.reject(new Error("no light client"))],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    ["a rejection with nothing", () => Promise.reject(undefined)],
    ["what is no object any more", () => revoked()],
    ["a member that cannot be read", () => throwing("hash")],
  ])("%s", async (_, trust) => {
    const asked = provider({}, { trust: trust as never }).request({ method: "eth_blockNumber" });
    expect(await refusal(asked)).toBe("-32001 unavailable unknown_block");
  });

  test("a light client's own reason is kept", async () => {
    const trust = () => Promise.reject(refuse("head_too_old", "a head of now", "one of yesterday"));
    const asked = provider({}, { trust }).request({ method: "eth_blockNumber" });
    expect(await refusal(asked)).toBe("-32002 untrusted head_too_old");
  });
});

describe("an answer of the server is refused by name:", () => {
  const { stateRoot, response } = stateWithCode(address, "0x6001", 1n);
  const trust = () => ({ ...block, stateRoot });
  test.each<[string, unknown, string]>([
    ["16 MB of code", `0x${"60".repeat(16_000_000)}`, "malformed invalid_answer"],
    ["8 MB of code", `0x${"60".repeat(8_000_000)}`, "mismatch code_mismatch"],
    ["code of other characters", `0x${"zz".repeat(100_000)}`, "malformed invalid_answer"],
    ["code of half a byte", "0x6", "malformed invalid_answer"],
    ["code that is an object", {}, "malformed invalid_answer"],
  ])("%s", async (_, eth_getCode, expected) => {
    const asked = provider({ eth_getProof: response, eth_getCode }, { trust });
    const code = asked.request({ method: "eth_getCode", params: [address] });
    expect(await refusal(code)).toBe(`-32002 ${expected}`);
  });

  const proof = miner.response;
  test.each<[string, unknown, string]>([
    ["a proxy", new Proxy({}, { get: (_, name) => { if (name !== "then") throw new Error("read"); } }), "malformed invalid_answer"], // prettier-ignore
    ["a member that cannot be read", { ...proof, ...cyclic(), nonce: undefined }, "malformed invalid_answer"], // prettier-ignore
    ["a getter", Object.create(proof, { nonce: { get: () => { throw new Error("read"); } } }), "malformed invalid_answer"], // prettier-ignore
    ["a proxy for a list", { ...proof, accountProof: revoked([]) }, "malformed invalid_answer"],
    ["a cycle for a list", { ...proof, accountProof: [cyclic()] }, "malformed invalid_answer"],
    ["a type of its own", { ...proof, nonce: { [Symbol.toStringTag]: "x".repeat(1e6) } }, "malformed invalid_answer"], // prettier-ignore
  ])("%s", async (_, eth_getProof, expected) => {
    const asked = provider({ eth_getProof }).request({
      method: "eth_getBalance",
      params: [address],
    });
    expect(await refusal(asked)).toBe(`-32002 ${expected}`);
  });

  test("an object that says something else when it is read again", async () => {
    let reads = 0;
    const changing = Object.defineProperty({ ...proof }, "accountProof", {
      enumerable: true,
      get: () => (reads++ === 0 ? proof.accountProof : ["0x00"]),
    });
    const asked = provider({ eth_getProof: changing });
    const answer = await asked.request({ method: "eth_getProof", params: [address, []] });
    expect(answer).toMatchObject({ accountProof: proof.accountProof });
    expect(reads).toBe(1);
  });

  test("more than EIP-1186 has is not read", async () => {
    const counted = (length: number, item: unknown) => {
      let reads = 0;
      const list = new Proxy<unknown[]>([], {
        get: (_, name) => (name === "length" ? length : (reads++, item)),
      });
      return { list, reads: () => reads };
    };
    const nodes = counted(8_000_000, "0x");
    const asking = (change: object) =>
      provider({ eth_getProof: { ...proof, ...change } }).request({
        method: "eth_getBalance",
        params: [address],
      });
    const many = asking({ accountProof: nodes.list });
    expect(await refusal(many)).toBe("-32002 mismatch too_many_nodes");
    // 65 nodes, as many empty strings, and one more.
    expect(nodes.reads()).toBe(131);
    const slots = counted(8_000_000, { key: "0x0", value: "0x0", proof: [] });
    const others = asking({ storageProof: slots.list });
    expect(await refusal(others)).toBe("-32002 mismatch slot_keys_mismatch");
    expect(slots.reads()).toBe(1);
    const surplus = Object.assign(throwing("surplus"), proof);
    const asked = provider({ eth_getProof: surplus });
    const request = { method: "eth_getBalance", params: [address] };
    expect(await asked.request(request)).toBe(proof.balance);
  });
});

describe("options that cannot be read are refused by name:", () => {
  test.each<[string, () => unknown]>([
    ["a proxy", () => createProvider(revoked())],
    ["null", () => createProvider(null as never)],
    ["a provider that is none any more", () => provider({}, { provider: revoked() })],
    ["an option that throws", () => createProvider(throwing("mode"))],
    ["a URL that throws", () => httpProvider(throwing("href"))],
    ["a URL that is none any more", () => httpProvider(revoked())],
    ["a URL without text", () => httpProvider(Object.create(null) as never)],
    ["options of HTTP that throw", () => httpProvider("http://x", revoked())],
  ])("%s", (_, create) => {
    expect(create).toThrow(/an argument has the wrong type/);
  });

  test("a request over HTTP that is none", async () => {
    const http = httpProvider("http://127.0.0.1:1");
    for (const request of [null, {}, revoked(), cyclic()]) {
      await expect(http.request(request as never)).rejects.toMatchObject({
        code: "invalid_input",
        reason: "invalid_argument",
      });
    }
  });
});

describe("a refused eth_call", () => {
  /** Of a chain whose forks are not known. */
  const chain = { chainId: 5 };
  const abi = ["function totalSupply() view returns (uint256)"];
  const to = contract.address;
  const refused = () => [
    provider({}, chain),
    provider({}, { ...chain, mode: "if-possible", onUnverified: () => false }),
    provider({}, { ...chain, mode: "if-possible", forward: [] }),
    provider(
      {},
      {
        ...chain,
        mode: "if-possible",
        timeout: 1,
        provider: { request: () => new Promise(() => undefined) },
      },
    ),
  ];

  test("has no data and no reason to ethers, and is found in its error", async () => {
    for (const eip1193 of refused()) {
      const ethers = new BrowserProvider(eip1193, 1, { staticNetwork: true });
      const token = new Contract(to, abi, ethers);
      const errors = await Promise.all(
        [ethers.call({ to }), ethers.estimateGas({ to }), token.getFunction("totalSupply")()].map(
          (asked) => asked.catch((error: unknown) => error),
        ),
      );
      for (const error of errors) {
        // It calls every error of these methods an exception.
        expect(error).toMatchObject({ code: "CALL_EXCEPTION", data: null, reason: null });
        const reason = refusalIn(error)?.reason;
        expect(["unverifiable_method", "request_timeout"]).toContain(reason);
      }
      ethers.destroy();
    }
  });

  test("is no revert to viem", async () => {
    for (const eip1193 of refused()) {
      const transport = custom(eip1193, { retryCount: 0 });
      const viem = createPublicClient({ chain: mainnet, transport });
      const reading = { address: to, abi: parseAbi(abi), functionName: "totalSupply" } as const;
      const errors = await Promise.all(
        [viem.call({ to }), viem.estimateGas({ to }), viem.readContract(reading)].map((asked) =>
          asked.catch((error: unknown) => error),
        ),
      );
      for (const error of errors) {
        const names = causes(error).map(({ name }) => name);
        expect(names.filter((name) => name.includes("Revert"))).toEqual([]);
        expect(names).toContain("ProviderError");
      }
    }
  });

  test("has its JSON", async () => {
    const error = (await provider({}, chain)
      .request({ method: "eth_call", params: [{ to }] })
      .catch((error: unknown) => error)) as ProviderError;
    const { message, data } = error;
    const expected = { code: 4200, data: { reason: "unverifiable_method" } };
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ ...expected, message });
    expect(JSON.parse(JSON.stringify(data))).toMatchObject(expected.data);
  });
});

describe("events of a wallet", () => {
  function wallet() {
    const listeners = new Map<string, (...args: unknown[]) => void>();
    return {
      request: () => Promise.resolve(undefined),
      on(event: string, listener: (...args: unknown[]) => void) {
        listeners.set(event, listener);
      },
      removeListener(event: string, listener: (...args: unknown[]) => void) {
        if (listeners.get(event) === listener) listeners.delete(event);
      },
      emit: (event: string, ...args: unknown[]) => listeners.get(event)?.(...args),
    };
  }
  const names = ["accountsChanged", "chainChanged", "connect", "disconnect"];

  test.each([
    ["strict", names],
    ["if-possible", [...names, "message"]],
  ] as const)("reach the application in the mode %s", (mode, expected) => {
    const upstream = wallet();
    const eip1193 = provider({}, { provider: upstream, mode });
    const heard: unknown[] = [];
    const listeners = [...names, "message"].map(
      (name) => [name, (...args: unknown[]) => heard.push([name, ...args])] as const,
    );
    for (const [name, listener] of listeners) expect(eip1193.on(name, listener)).toBe(eip1193);
    for (const [name] of listeners) upstream.emit(name, "0x5");
    expect(heard).toEqual(expected.map((name) => [name, "0x5"]));
    for (const [name, listener] of listeners) eip1193.removeListener(name, listener);
    for (const [name] of listeners) upstream.emit(name, "0x5");
    expect(heard).toHaveLength(expected.length);
  });

  test("need no wallet, and fail by name", () => {
    const listener = () => undefined;
    const without = provider({});
    expect(without.on("connect", listener).removeListener("connect", listener)).toBe(without);
    const upstream = {
      ...wallet(),
      on: () => {
        throw new Error("no");
      },
    };
    const eip1193 = provider({}, { provider: upstream });
    expect(() => eip1193.on("connect", listener)).toThrow(ProviderError);
  });
});

/** An error and what caused it. */
function causes(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
