/** Methods that are forwarded without proof: what is looked at before, and what of the answer is checked. */

import {
  BrowserProvider,
  concat,
  Contract,
  encodeRlp,
  JsonRpcSigner,
  keccak256,
  parseEther,
  toBeHex,
  Transaction,
  Wallet,
} from "ethers";
import {
  createPublicClient,
  createWalletClient,
  custom,
  parseAbi,
  parseGwei,
  parseTransaction,
  UserRejectedRequestError,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { goerli } from "viem/chains";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";

import {
  createProvider,
  type Eip1193Provider,
  FORWARDABLE,
  ForwardedError,
  httpProvider,
  type ProviderOptions,
  type RequestArguments,
} from "../../src/provider.js";
import { type Behaviour, MAINNET, startServer, stateWithCode } from "./ethereum-server.js";
import { refusal } from "./provider-refusal.js";

type Hex = `0x${string}`;

const server = await startServer();
afterAll(server.close);
beforeEach(() => (server.asked.length = 0));

const key: Hex = `0x${"5a".repeat(32)}`;
const { address: checksummed } = new Wallet(key);
const from = checksummed.toLowerCase() as Hex;
const to: Hex = `0x${"c0".repeat(20)}`;

/** A state in which the wallet has ten ether and has sent one transaction. */
const { stateRoot, response } = stateWithCode(from, "0x", parseEther("10"));
const block = { number: MAINNET.number, hash: MAINNET.hash, stateRoot };

/** By default of a chain whose forks are not known, so that its calls are not executed. */
const handsOn = (changes: Partial<ProviderOptions> = {}) =>
  createProvider({
    provider: httpProvider(server.url, { timeout: 5000 }),
    chainId: 5,
    trust: () => block,
    mode: "if-possible",
    ...changes,
  });

/** A wallet in the same program: its answers by method, and what it was asked. */
function wallet(answers: Record<string, unknown> = {}) {
  const asked: RequestArguments[] = [];
  const all: Record<string, unknown> = { eth_chainId: "0x5", eth_accounts: [from], ...answers };
  const provider: Eip1193Provider = {
    request: (args) => {
      asked.push(args);
      const answer = all[args.method];
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(typeof answer === "function" ? (answer as () => unknown)() : answer);
    },
  };
  return { provider, asked, methods: () => asked.map(({ method }) => method) };
}

/** An error as wallets and servers have it. */
const rpcError = (code: number, message: string, data?: unknown) =>
  Object.assign(new Error(message), { code, data });

const failure = (asking: Promise<unknown>): Promise<unknown> =>
  asking.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );

const signing: [string, unknown[]][] = [
  ["personal_sign", ["0x6869", from]],
  ["eth_sign", [from, "0x6869"]],
  ["eth_signTypedData", [from, "{}"]],
  ["eth_signTypedData_v3", [from, "{}"]],
  ["eth_signTypedData_v4", [from, "{}"]],
  ["eth_signTransaction", [{ from, to }]],
  ["eth_sendTransaction", [{ from, to }]],
  ["wallet_sendTransaction", [{ from, to }]],
  ["wallet_sendCalls", [{ version: "2.0.0", from, calls: [] }]],
];

describe("a wallet on another chain", () => {
  test.each(signing)("is not asked for %s", async (method, params) => {
    const { provider, methods } = wallet({ eth_chainId: "0x1", [method]: "0x51" });
    const asked = handsOn({ provider }).request({ method, params });
    expect(await refusal(asked)).toBe("4901 untrusted wrong_chain");
    expect(methods()).toEqual(["eth_chainId"]);
  });

  test.each<[string, unknown]>([
    ["nothing", null],
    ["words", "mainnet"],
    ["an object", {}],
    ["a list", ["0x1"]],
    ["an error", rpcError(-32601, "no such method")],
  ])("is not asked either if it says %s of its chain", async (_, eth_chainId) => {
    const { provider, methods } = wallet({ eth_chainId, personal_sign: "0x51" });
    const asked = handsOn({ provider }).request({ method: "personal_sign", params: ["0x", from] });
    expect(await refusal(asked)).toMatch(/^4901 untrusted wrong_chain$|^-32001 unavailable/);
    expect(methods()).toEqual(["eth_chainId"]);
  });

  test("signs nothing for viem, nor for ethers", async () => {
    const { provider, methods } = wallet({
      eth_chainId: "0x1",
      eth_sendTransaction: `0x${"11".repeat(32)}`,
      personal_sign: "0x51",
    });
    const transport = custom(handsOn({ provider }), { retryCount: 0 });
    const viem = createWalletClient({ account: from, chain: goerli, transport });
    await expect(viem.sendTransaction({ to, value: 1n })).rejects.toThrow(/another chain/);
    const ethers = new BrowserProvider(handsOn({ provider }));
    const signer = new JsonRpcSigner(ethers, from);
    await expect(signer.signMessage("hi")).rejects.toThrow(/another chain/);
    expect(methods().filter((method) => method !== "eth_chainId")).toEqual([]);
  });

  test("may be connected to, and switched to the right one", async () => {
    const { provider, methods } = wallet({ eth_chainId: "0x1", eth_requestAccounts: [from] });
    const mixed = handsOn({ provider });
    expect(await mixed.request({ method: "eth_requestAccounts" })).toEqual([from]);
    const switching = { method: "wallet_switchEthereumChain", params: [{ chainId: "0x5" }] };
    await mixed.request(switching);
    expect(methods()).toEqual(["eth_requestAccounts", "wallet_switchEthereumChain"]);
  });
});

describe("a wallet on the right chain", () => {
  test.each(signing)("is asked for %s", async (method, params) => {
    const { provider, methods } = wallet({ [method]: "0x51" });
    expect(await handsOn({ provider }).request({ method, params })).toBe("0x51");
    expect(methods()).toEqual(["eth_chainId", method]);
  });

  test("is told the chain in a transaction, should it change before it signs", async () => {
    const { provider, asked } = wallet({ eth_sendTransaction: "0x51" });
    const mixed = handsOn({ provider });
    const params = [{ from, to, value: "0x1" }];
    await mixed.request({ method: "eth_sendTransaction", params });
    expect(asked[1]?.params).toEqual([{ from, to, value: "0x1", chainId: "0x5" }]);
    const other = { method: "eth_sendTransaction", params: [{ from, to, chainId: "0x1" }] };
    expect(await refusal(mixed.request(other))).toBe("-32602 invalid_input invalid_argument");
    expect(asked).toHaveLength(2);
  });

  test("may take longer than the timeout where a person decides", async () => {
    vi.useFakeTimers();
    try {
      const tomorrow = 24 * 3_600_000;
      const slow = () => new Promise((resolve) => setTimeout(resolve, tomorrow, "0x51"));
      const upstream = wallet({ personal_sign: slow, eth_requestAccounts: slow, eth_call: slow });
      const fetch: typeof globalThis.fetch = async (_, init) => {
        const { id, method } = JSON.parse(init?.body as string) as { id: number; method: string };
        const result = await upstream.provider.request({ method });
        return new Response(JSON.stringify({ jsonrpc: "2.0", id, result }));
      };
      for (const provider of [upstream.provider, httpProvider("http://wallet", { fetch })]) {
        const mixed = handsOn({ provider });
        const asked = Promise.all([
          mixed.request({ method: "personal_sign", params: ["0x", from] }),
          mixed.request({ method: "eth_requestAccounts" }),
          refusal(mixed.request({ method: "eth_call", params: [{ to }] })),
        ]);
        await vi.advanceTimersByTimeAsync(tomorrow);
        expect(await asked).toEqual(["0x51", "0x51", "-32001 unavailable request_timeout"]);
      }
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("errors of what was forwarded", () => {
  const denied = rpcError(4001, "User denied", { by: "alice" });
  const revert = `0x08c379a0${[32n, 4n].map((n) => toBeHex(n, 32).slice(2)).join("")}${"6e6f7065".padEnd(64, "0")}`;
  const abi = parseAbi(["function totalSupply() view returns (uint256)"]);

  test("keep their code and data", async () => {
    const { provider } = wallet({ personal_sign: denied });
    const mixed = handsOn({ provider });
    const error = await failure(mixed.request({ method: "personal_sign", params: ["0x", from] }));
    expect(error).toBeInstanceOf(ForwardedError);
    expect(error).toMatchObject({ code: 4001, message: "User denied", data: { by: "alice" } });
  });

  test("are a person's refusal to viem and ethers", async () => {
    const { provider } = wallet({ personal_sign: denied });
    const mixed = handsOn({ provider });
    const viem = createWalletClient({ account: from, transport: custom(mixed, { retryCount: 0 }) });
    const error = (await failure(viem.signMessage({ message: "hi" }))) as Error;
    expect(error).toBeInstanceOf(UserRejectedRequestError);
    const signer = new JsonRpcSigner(new BrowserProvider(mixed), from);
    await expect(signer.signMessage("hi")).rejects.toMatchObject({ code: "ACTION_REJECTED" });
  });

  test.each<[string, (error: Error) => Eip1193Provider]>([
    ["a wallet", (error) => wallet({ eth_call: error }).provider],
    [
      "a server",
      (error) => {
        server.behave(() => {
          throw error;
        });
        return httpProvider(server.url, { timeout: 5000 });
      },
    ],
  ])("are a revert to viem and ethers: of %s", async (_, upstream) => {
    const provider = upstream(rpcError(3, "execution reverted: nope", revert));
    const mixed = handsOn({ provider });
    const params = [{ to, data: "0x18160ddd" }, "latest"];
    const error = await failure(mixed.request({ method: "eth_call", params }));
    expect(error).toMatchObject({ code: 3, data: revert });
    const viem = createPublicClient({
      chain: goerli,
      transport: custom(mixed, { retryCount: 0 }),
    });
    const reading = viem.readContract({ address: to, abi, functionName: "totalSupply" });
    await expect(reading).rejects.toThrow(/reverted with the following reason:\s+nope/);
    const contract = new Contract(
      to,
      ["function totalSupply() view returns (uint256)"],
      new BrowserProvider(mixed),
    );
    await expect(contract.getFunction("totalSupply")()).rejects.toMatchObject({
      code: "CALL_EXCEPTION",
      data: revert,
      reason: "nope",
    });
  });

  test.each<[string, unknown]>([
    ["text", "no"],
    ["null", null],
    ["an error without a code", new Error("no")],
    ["a code that is no integer", rpcError(1.5, "no")],
    [
      "an object that cannot be read",
      Object.defineProperty({}, "code", {
        get: () => {
          throw new Error("no");
        },
      }),
    ],
    ["what is none any more", revoked()],
  ])("that are none, %s, are the server's failure", async (_, thrown) => {
    const provider = {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      request: () => Promise.reject(thrown),
    };
    const asked = handsOn({ provider }).request({ method: "eth_call", params: [{ to }] });
    expect(await refusal(asked)).toBe("-32001 unavailable server_error");
  });

  test("about the state are not believed: code and data are ours", async () => {
    const { provider } = wallet({ eth_getProof: rpcError(3, "execution reverted", revert) });
    const asked = handsOn({ provider }).request({ method: "eth_getBalance", params: [from] });
    expect(await refusal(asked)).toBe("-32001 unavailable server_error");
  });
});

describe("the list of methods that may be forwarded", () => {
  test("is looked at before the server is asked", async () => {
    const { provider, methods } = wallet();
    const mixed = handsOn({ provider });
    for (const method of ["debug_traceCall", "personal_unlockAccount", "eth_createAccessList"]) {
      expect(await refusal(mixed.request({ method }))).toBe("4200 unsupported unverifiable_method");
    }
    expect(methods()).toEqual([]);
    expect(FORWARDABLE).toContain("eth_call");
  });

  test("may be another one", async () => {
    const { provider, methods } = wallet({ eth_call: "0x", debug_traceCall: "0x2a" });
    const mixed = handsOn({ provider, forward: ["debug_traceCall"] });
    expect(await refusal(mixed.request({ method: "eth_call", params: [{ to }] }))).toContain(
      "4200",
    );
    // What it does is not known, so that it is treated as one that signs.
    expect(await mixed.request({ method: "debug_traceCall" })).toBe("0x2a");
    expect(methods()).toEqual(["eth_chainId", "debug_traceCall"]);
  });

  test("never has methods whose answer a local key would sign", async () => {
    for (const method of ["eth_fillTransaction", "wallet_prepareCalls", "pm_getPaymasterData"]) {
      const { provider, methods } = wallet({ [method]: {} });
      for (const mode of ["strict", "if-possible"] as const) {
        const asked = handsOn({ provider, mode }).request({ method });
        expect(await refusal(asked)).toBe("-32601 unsupported unverifiable_method");
      }
      expect(methods()).toEqual([]);
      expect(() => handsOn({ forward: [method] })).toThrow(/an argument has the wrong type/);
    }
  });

  test.each<[string, Partial<ProviderOptions>]>([
    ["a method that is verified", { forward: ["eth_getBalance"] }],
    ["no text", { forward: [1 as never] }],
    ["no list", { forward: "eth_call" as never }],
    ["no mode that forwards", { mode: "strict", forward: ["eth_call"] }],
    ["no mode that forwards fees", { mode: "strict", maxFeePerGas: 1n }],
    ["fees that are none", { maxFeePerGas: -1n }],
  ])("of the wrong form is refused: %s", (_, changes) => {
    expect(() => handsOn(changes)).toThrow(/an argument has the wrong type/);
  });
});

describe("fees that a server names", () => {
  const gwei = 10n ** 9n;
  const methods = ["eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_blobBaseFee", "eth_feeHistory"];
  const history = (fee: bigint) => ({
    oldestBlock: "0x1",
    baseFeePerGas: ["0x1", "0x1"],
    gasUsedRatio: [0.5],
    reward: [["0x1", toBeHex(fee)]],
  });
  const naming = (fee: bigint) =>
    wallet(
      Object.fromEntries(
        methods.map((name) => [
          name,
          name === "eth_feeHistory" ? history(fee) : `0x${fee.toString(16)}`,
        ]),
      ),
    ).provider;

  test.each(methods)("are forwarded up to a limit: %s", async (method) => {
    const asking = (fee: bigint, maxFeePerGas?: bigint) =>
      handsOn({ provider: naming(fee), maxFeePerGas }).request({ method });
    expect(await asking(3n * gwei, 100n * gwei)).toBeDefined();
    // One ether for each gas.
    expect(await refusal(asking(gwei * gwei, 100n * gwei))).toBe("-32002 malformed invalid_answer");
    expect(await refusal(asking(3n * gwei))).toBe("4200 unsupported unverifiable_method");
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["a number", 1],
    ["an empty quantity", "0x"],
    ["a list", ["0x1"]],
  ])("have the form of fees: %s is refused", async (_, answer) => {
    for (const method of methods) {
      const { provider } = wallet({ [method]: answer });
      const asked = handsOn({ provider, maxFeePerGas: gwei }).request({ method });
      expect(await refusal(asked)).toBe("-32002 malformed invalid_answer");
    }
  });
});

describe("onUnverified", () => {
  const call = { method: "eth_call", params: [{ to }, "latest"] };

  test("hears of a request before the server does", async () => {
    const order: string[] = [];
    const { provider } = wallet({
      eth_call: () => {
        order.push("server");
        return "0x2a";
      },
    });
    const onUnverified = async ({ method }: RequestArguments) => {
      await Promise.resolve();
      order.push(method);
    };
    expect(await handsOn({ provider, onUnverified }).request(call)).toBe("0x2a");
    expect(order).toEqual(["eth_call", "server"]);
  });

  test.each<[string, () => unknown]>([
    ["false", () => false],
    ["a promise of false", () => Promise.resolve(false)],
    [
      "an error",
      () => {
        throw new Error("not this one");
      },
    ],
    ["a rejection", () => Promise.reject(new Error("not this one"))],
  ])("refuses with %s", async (_, onUnverified) => {
    for (const [method, params] of [["eth_call", call.params] as const, ...signing]) {
      const { provider, methods } = wallet({ [method]: "0x51" });
      const asked = handsOn({ provider, onUnverified }).request({ method, params });
      expect(await refusal(asked)).toBe("4200 unsupported unverifiable_method");
      expect(methods()).toEqual([]);
    }
  });

  test("is not heard of what is verified, and cannot change the request", async () => {
    const { provider, asked } = wallet({ eth_getProof: response, eth_call: "0x2a" });
    const heard: string[] = [];
    const onUnverified = (request: RequestArguments) => {
      heard.push(request.method);
      (request.params as { to: string }[])[0] = { to: from };
    };
    const mixed = handsOn({ provider, onUnverified });
    expect(await mixed.request({ method: "eth_getBalance", params: [from] })).toBe(
      response.balance,
    );
    await mixed.request(call);
    expect(heard).toEqual(["eth_call"]);
    expect(asked.at(-1)?.params).toEqual(call.params);
  });
});

describe("a transaction that is sent", () => {
  const raw = new Wallet(key).signTransaction({ to, value: 1n, nonce: 1, gasLimit: 21000n, gasPrice: 1n, chainId: 5 }); // prettier-ignore
  const send = async (
    answer: unknown,
    transaction?: unknown,
    changes: Partial<ProviderOptions> = {},
  ) => {
    const { provider } = wallet({ eth_sendRawTransaction: answer });
    const params = [transaction ?? (await raw)];
    return handsOn({ provider, ...changes }).request({ method: "eth_sendRawTransaction", params });
  };

  test("has the hash of its bytes, whatever the server says", async () => {
    const { hash } = Transaction.from(await raw);
    expect(await send(hash)).toBe(hash);
    expect(await send(hash?.toUpperCase().replace("0X", "0x"))).toBe(hash);
    const other = `0x${"11".repeat(32)}`;
    expect(await refusal(send(other))).toBe("-32002 mismatch transaction_mismatch");
    for (const answer of [null, "0x", 1, {}, "sent"]) {
      expect(await refusal(send(answer))).toBe("-32002 malformed invalid_answer");
    }
  });

  test("has the hash of what is signed, if blobs travel beside it", async () => {
    const body = ["0x01", "0x", "0x", "0x", "0x5208", to, "0x", "0x", [], "0x", [`0x01${"22".repeat(31)}`]]; // prettier-ignore
    const hash = keccak256(concat(["0x03", encodeRlp(body)]));
    const blobs = [[`0x${"00".repeat(300)}`], [`0x${"33".repeat(48)}`], [`0x${"44".repeat(48)}`]];
    expect(await send(hash, concat(["0x03", encodeRlp([body, ...blobs])]))).toBe(hash);
    expect(await send(hash, concat(["0x03", encodeRlp([body, "0x01", ...blobs])]))).toBe(hash);
    expect(await send(hash, concat(["0x03", encodeRlp(body)]))).toBe(hash);
    for (const broken of ["0x03", "0x03c0", "0x03c1f9", "0x03f9ffff", "0x03f800"]) {
      expect(await refusal(send(hash, broken))).toMatch(/transaction_mismatch|invalid_argument/);
    }
  });

  test("must be bytes", async () => {
    for (const transaction of ["", "0x", "0x1", "raw", 1, {}]) {
      expect(await refusal(send("0x", transaction))).toBe("-32602 invalid_input invalid_argument");
    }
  });

  test("is unverified, and refused in strict mode", async () => {
    const onUnverified = () => false;
    expect(await refusal(send("0x", undefined, { onUnverified }))).toContain("unverifiable_method");
    expect(await refusal(send("0x", undefined, { mode: "strict" }))).toContain(
      "unverifiable_method",
    );
  });
});

describe("sending with a local key", () => {
  let sent: Hex[] = [];
  beforeEach(() => {
    sent = [];
  });

  /** A server that knows the wallet's state and takes transactions; `lies` are its other answers. */
  const node =
    (lies: Record<string, unknown> = {}): Behaviour =>
    ({ method, params }) => {
      if (method in lies) return lies[method];
      if (method === "eth_getProof") return response;
      if (method === "eth_getTransactionCount") return "0x3";
      if (method === "eth_estimateGas") return "0x5208";
      if (method === "eth_getBlockByNumber") return header;
      if (method !== "eth_sendRawTransaction") throw new Error(`no ${method}`);
      sent.push(params[0] as Hex);
      return keccak256(params[0] as Hex);
    };
  const zeros = (bytes: number) => `0x${"00".repeat(bytes)}`;
  const header = {
    ...{ number: "0x14e8d38", hash: MAINNET.hash, parentHash: zeros(32), timestamp: "0x1" },
    ...{ nonce: zeros(8), difficulty: "0x0", gasLimit: "0x1c9c380", gasUsed: "0x0" },
    ...{ miner: zeros(20), extraData: "0x", transactions: [], baseFeePerGas: "0x3b9aca00" },
  };

  test("ethers: the nonce counts what is pending, and no answer of the server is a tip", async () => {
    server.behave(node({ eth_gasPrice: toBeHex(10n ** 18n), eth_maxPriorityFeePerGas: toBeHex(10n ** 18n) })); // prettier-ignore
    const heard: string[] = [];
    const onUnverified = ({ method }: RequestArguments) => heard.push(method);
    const ethers = new Wallet(key, new BrowserProvider(handsOn({ onUnverified })));
    const { hash } = await ethers.sendTransaction({ to, value: 1n });
    const transaction = Transaction.from(sent[0] ?? "");
    expect(transaction).toMatchObject({ hash, nonce: 3, chainId: 5n, to: checksum(to), value: 1n });
    expect(transaction.maxPriorityFeePerGas).toBe(parseGwei("1"));
    expect(heard).toContain("eth_getTransactionCount");
    expect(heard).toContain("eth_sendRawTransaction");
  });

  test("viem: what a liar fills in is not signed", async () => {
    const filled = { nonce: "0x63", maxPriorityFeePerGas: toBeHex(10n ** 18n), maxFeePerGas: toBeHex(10n ** 18n), gas: "0x5208", to, value: "0x1", type: "0x2", chainId: "0x5" }; // prettier-ignore
    server.behave(node({ eth_fillTransaction: { raw: "0x", tx: filled } }));
    const viem = createWalletClient({
      account: privateKeyToAccount(key),
      chain: goerli,
      transport: custom(handsOn(), { retryCount: 0 }),
    });
    const hash = await viem.sendTransaction({ to, value: 1n, maxPriorityFeePerGas: 7n });
    expect(hash).toBe(keccak256(sent[0] ?? ""));
    const transaction = parseTransaction(sent[0] ?? "0x");
    expect(transaction).toMatchObject({ nonce: 3, maxPriorityFeePerGas: 7n, chainId: 5 });
    expect(server.asked.map(({ method }) => method)).not.toContain("eth_fillTransaction");
  });

  test("neither signs a price that only the server names", async () => {
    const price = toBeHex(10n ** 18n);
    for (const baseFeePerGas of [header.baseFeePerGas, undefined]) {
      const eth_getBlockByNumber = { ...header, baseFeePerGas };
      const fees = { eth_gasPrice: price, eth_maxPriorityFeePerGas: price };
      server.behave(node({ eth_getBlockByNumber, ...fees }));
      const viem = createWalletClient({
        account: privateKeyToAccount(key),
        chain: goerli,
        transport: custom(handsOn(), { retryCount: 0 }),
      });
      await expect(viem.sendTransaction({ to, value: 1n })).rejects.toThrow(/maxFeePerGas/);
    }
    const ethers = new Wallet(key, new BrowserProvider(handsOn()));
    await expect(ethers.sendTransaction({ to, value: 1n })).rejects.toThrow(/fee data/);
    expect(sent).toEqual([]);
  });

  describe("the nonce that is pending", () => {
    const count = (answer: unknown, changes: Partial<ProviderOptions> = {}) => {
      server.behave(node({ eth_getTransactionCount: answer }));
      const params = [from, "pending"];
      return handsOn(changes).request({ method: "eth_getTransactionCount", params });
    };

    test("is the server's, but never below the verified one", async () => {
      expect(await count("0x1")).toBe("0x1");
      expect(await count("0x9")).toBe("0x9");
      expect(await count("0x0")).toBe("0x1"); // 1 is proved
    });

    test("is at most 64 above it", async () => {
      expect(await count("0x41")).toBe("0x41");
      expect(await refusal(count("0x42"))).toBe("-32002 mismatch account_mismatch");
      expect(await refusal(count(`0x${"f".repeat(64)}`))).toBe("-32002 mismatch account_mismatch");
      for (const answer of [null, 3, "3", "0x", {}]) {
        expect(await refusal(count(answer))).toBe("-32002 malformed invalid_answer");
      }
    });

    test("is marked as unverified, and refused in strict mode", async () => {
      expect(await refusal(count("0x3", { onUnverified: () => false }))).toContain("unverifiable");
      expect(await refusal(count("0x3", { mode: "strict" }))).toContain("unverifiable_method");
      const only = await refusal(count("0x3", { forward: ["eth_call"] }));
      expect(only).toBe("4200 unsupported unverifiable_method");
      expect(server.asked).toEqual([]);
    });

    test("needs the verified one: a false proof is refused", async () => {
      server.behave(node({ eth_getProof: { ...response, nonce: "0x0" } }));
      const params = [from, "pending"];
      const asked = handsOn().request({ method: "eth_getTransactionCount", params });
      expect(await refusal(asked)).toBe("-32002 mismatch account_mismatch");
    });
  });
});

function checksum(address: Hex) {
  return Transaction.from({ to: address }).to;
}

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
