import { BrowserProvider } from "ethers";
import { createPublicClient, custom } from "viem";
import { mainnet } from "viem/chains";
import { afterAll, beforeEach, describe, expect, test } from "vitest";

import {
  createProvider,
  type Eip1193Provider,
  httpProvider,
  refusalIn,
  type Trust,
} from "../../src/provider.js";
import {
  type Answer,
  type Behaviour,
  HEADER_RLP,
  honest,
  MAINNET,
  startServer,
  stateWithCode,
} from "./ethereum-server.js";
import { refusal } from "./provider-refusal.js";

const server = await startServer();
afterAll(server.close);
beforeEach(() => {
  server.behave(honest);
  server.asked.length = 0;
});

const { contract, miner } = MAINNET;
const block = { number: MAINNET.number, hash: MAINNET.hash, stateRoot: contract.stateRoot };
const balance = BigInt(miner.response.balance);
const [slotOfContract = { key: "0x0", value: "0x0", proof: [] }] = contract.response.storageProof;

/** The application trusts this one block, whatever it is called. */
const trust: Trust = (name) =>
  typeof name !== "bigint" || name === block.number ? block : undefined;

const provider = (changes: Partial<Parameters<typeof createProvider>[0]> = {}) =>
  createProvider({
    provider: httpProvider(server.url, { timeout: 2000 }),
    chainId: 1,
    trust,
    ...changes,
  });

const viem = (eip1193: Eip1193Provider) =>
  createPublicClient({ chain: mainnet, transport: custom(eip1193, { retryCount: 0 }) });

const ask = (method: string, ...params: unknown[]) => provider().request({ method, params });
const askBalance = () => ask("eth_getBalance", miner.address, "latest");

/** The honest answer about the miner, changed. */
const lying =
  (change: (answer: Answer) => unknown): Behaviour =>
  (asked, response) =>
    change(structuredClone(honest(asked, response)) as Answer);

describe("answers that were recorded on mainnet", () => {
  test("reach viem", async () => {
    const client = viem(provider());
    const { address } = miner;
    expect(await client.getChainId()).toBe(1);
    expect(await client.getBlockNumber()).toBe(block.number);
    expect(await client.getBalance({ address })).toBe(balance);
    expect(await client.getTransactionCount({ address })).toBe(Number(miner.response.nonce));
    expect(await client.getCode({ address })).toBeUndefined(); // no code
    const slot = slotOfContract;
    const asked = { address: contract.address, slot: slot.key };
    expect(await client.getStorageAt(asked)).toBe(slot.value);
    const proof = await client.getProof({ address: contract.address, storageKeys: [asked.slot] });
    expect(proof.balance).toBe(BigInt(contract.response.balance));
    expect(proof.storageProof[0]?.value).toBe(BigInt(slot.value));
  });

  test("reach ethers", async () => {
    const ethers = new BrowserProvider(provider());
    expect((await ethers.getNetwork()).chainId).toBe(1n);
    expect(await ethers.getBlockNumber()).toBe(Number(block.number));
    expect(await ethers.getBalance(miner.address)).toBe(balance);
    expect(await ethers.getTransactionCount(miner.address)).toBe(Number(miner.response.nonce));
    expect(await ethers.getCode(miner.address)).toBe("0x");
    const slot = slotOfContract;
    expect(await ethers.getStorage(contract.address, BigInt(slot.key))).toBe(slot.value);
  });

  test("are asked of the trusted block by its number", async () => {
    await askBalance();
    expect(server.asked).toMatchObject([
      { method: "eth_getProof", params: [miner.address, [], "0x14e8d38"] },
    ]);
  });

  test("need no server for what the caller has said", async () => {
    expect(await ask("eth_chainId")).toBe("0x1");
    expect(await ask("net_version")).toBe("1");
    expect(await ask("eth_blockNumber")).toBe("0x14e8d38");
    expect(server.asked).toEqual([]);
  });

  test("may be anchored to a hash and the header that it covers", async () => {
    const { hash } = MAINNET;
    const byHash = provider({ trust: () => ({ hash, headerRlp: HEADER_RLP }) });
    const request = { method: "eth_getBalance", params: [miner.address, "latest"] };
    expect(await byHash.request(request)).toBe(miner.response.balance);
    const flipped = HEADER_RLP.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
    const wrong = provider({
      trust: () => ({ hash, headerRlp: flipped as `0x${string}` }),
    });
    expect(await refusal(wrong.request(request))).toBe("-32002 mismatch header_hash_mismatch");
  });
});

describe("a lie is refused", () => {
  test.each<[string, Behaviour, string]>([
    [
      "another balance",
      lying((answer) => ({ ...answer, balance: "0x1" })),
      "-32002 mismatch account_mismatch",
    ],
    ["no object", () => "0x1", "-32002 malformed invalid_answer"],
    ["null", () => null, "-32002 malformed invalid_answer"],
    [
      "HTML",
      (_, response) => void response.end("<html>Sign in</html>"),
      "-32001 unavailable invalid_reply",
    ],
    [
      "HTML with status 502",
      (_, response) => void response.writeHead(502).end("<html>Bad gateway</html>"),
      "-32001 unavailable server_error",
    ],
    [
      "an error",
      () => {
        throw new Error("missing trie node");
      },
      "-32001 unavailable server_error",
    ],
    ["silence", () => undefined, "-32001 unavailable request_timeout"],
  ])("%s", async (_, behaviour, expected) => {
    server.behave(behaviour);
    const inner = httpProvider(server.url, { timeout: 300 });
    const asked = provider({ provider: inner }).request({
      method: "eth_getBalance",
      params: [miner.address, "latest"],
    });
    expect(await refusal(asked)).toContain(expected);
    expect(server.asked).not.toEqual([]);
  });

  test("and reaches viem and ethers as an error, not as a value", async () => {
    server.behave(lying((answer) => ({ ...answer, balance: "0x1" })));
    const { address } = miner;
    await expect(viem(provider()).getBalance({ address })).rejects.toThrow(/that its proof shows/);
    const ethers = new BrowserProvider(provider());
    await expect(ethers.getBalance(address)).rejects.toThrow(/that its proof shows/);
  });

  test("which viem does not ask for again, and refusalIn tells from a failure", async () => {
    const { address } = miner;
    const client = createPublicClient({ chain: mainnet, transport: custom(provider()) });
    server.behave(lying((answer) => ({ ...answer, balance: "0x1" })));
    const ethers = new BrowserProvider(provider());
    for (const asked of [client.getBalance({ address }), ethers.getBalance(address)]) {
      const refused = refusalIn(await asked.catch((error: unknown) => error));
      expect([refused?.code, refused?.reason]).toEqual(["mismatch", "account_mismatch"]);
    }
    expect(server.asked.filter(({ method }) => method === "eth_getProof")).toHaveLength(2);
    for (const failure of [undefined, new Error("offline"), { data: "0x", error: { data: 1 } }]) {
      expect(refusalIn(failure)).toBeUndefined();
    }
  });

  test("another value of a slot", async () => {
    const slot = slotOfContract;
    server.behave(
      lying(({ storageProof, ...answer }) => ({
        ...answer,
        storageProof: storageProof.map((proof) => ({ ...proof, value: "0x1" })),
      })),
    );
    const asked = ask("eth_getStorageAt", contract.address, slot.key, "latest");
    expect(await refusal(asked)).toBe("-32002 mismatch slot_mismatch");
  });

  test("a provider that never answers, and one that throws", async () => {
    const silent = { request: () => new Promise(() => undefined) };
    const request = { method: "eth_getBalance", params: [miner.address] };
    const late = provider({ provider: silent, timeout: 50 }).request(request);
    expect(await refusal(late)).toBe("-32001 unavailable request_timeout");
    const throwing = { request: () => Promise.reject(new Error("no")) };
    const failed = provider({ provider: throwing }).request(request);
    expect(await refusal(failed)).toBe("-32001 unavailable server_error");
  });
});

describe("code", () => {
  const address = "0x00000000000000000000000000000000000000c0";
  const code = "0x6001600255";
  const { stateRoot, response } = stateWithCode(address, code, 7n);
  const withCode = provider({ trust: () => ({ ...block, stateRoot }) });
  const request = { method: "eth_getCode", params: [address, "latest"] };

  test("is compared with the hash that its account commits to", async () => {
    server.behave(({ method }) => (method === "eth_getCode" ? code : response));
    expect(await withCode.request(request)).toBe(code);
    server.behave(({ method }) => (method === "eth_getCode" ? "0x6001600256" : response));
    expect(await refusal(withCode.request(request))).toBe("-32002 mismatch code_mismatch");
    server.behave(({ method }) => (method === "eth_getCode" ? "0x" : response));
    expect(await refusal(withCode.request(request))).toBe("-32002 mismatch code_mismatch");
    server.behave(({ method }) => (method === "eth_getCode" ? "code" : response));
    expect(await refusal(withCode.request(request))).toBe("-32002 malformed invalid_answer");
  });

  test("of an account without any is not asked for", async () => {
    expect(await ask("eth_getCode", miner.address)).toBe("0x");
    expect(server.asked.map(({ method }) => method)).toEqual(["eth_getProof"]);
  });
});

describe("what cannot be verified", () => {
  const call = { method: "eth_call", params: [{ to: contract.address }, "latest"] };

  /** Of a chain whose forks are not known, so that its calls are not executed. */
  const chain = { chainId: 5 };

  test("is refused, and not even asked", async () => {
    const ask = (method: string) => provider(chain).request({ method });
    for (const method of ["eth_call", "eth_getLogs", "eth_gasPrice", "eth_sendRawTransaction"]) {
      expect(await refusal(ask(method))).toBe("4200 unsupported unverifiable_method");
    }
    const pending = { method: "eth_getBalance", params: [miner.address, "pending"] };
    expect(await refusal(provider().request(pending))).toContain("unsupported");
    expect(server.asked).toEqual([]);
  });

  test("is forwarded if that is wanted, and marked", async () => {
    const unverified: string[] = [];
    const mixed = provider({
      ...chain,
      mode: "if-possible",
      onUnverified: ({ method }) => unverified.push(method),
    });
    server.behave(() => "0x2a");
    expect(await mixed.request(call)).toBe("0x2a");
    expect(unverified).toEqual(["eth_call"]);
    server.behave(lying((answer) => ({ ...answer, balance: "0x1" })));
    const asked = mixed.request({ method: "eth_getBalance", params: [miner.address] });
    expect(await refusal(asked)).toContain("account_mismatch");
    expect(unverified).toEqual(["eth_call"]);
  });
});

describe("trust", () => {
  const request = { method: "eth_getBalance", params: [miner.address, "0x1"] };

  test("is needed for the very block that is asked about", async () => {
    expect(await refusal(provider().request(request))).toBe("-32001 unavailable unknown_block");
    const other = provider({ trust: () => block });
    expect(await refusal(other.request(request))).toBe("-32002 mismatch wrong_block");
    const hash = `0x${"11".repeat(32)}`;
    const byHash = { ...request, params: [miner.address, { blockHash: hash }] };
    expect(await refusal(other.request(byHash))).toBe("-32002 mismatch wrong_block");
    expect(server.asked).toEqual([]);
  });

  test.each([
    ["no hash", { number: 1n, stateRoot: block.stateRoot }],
    ["no root", { number: 1n, hash: block.hash }],
    ["a short root", { ...block, stateRoot: "0x11" }],
    ["a number that is none", { ...block, number: 1 }],
    ["a header beside a root", { ...block, headerRlp: HEADER_RLP }],
    ["a root of another name", { number: block.number, hash: block.hash, root: block.stateRoot }],
    ["null", null],
  ])("of the wrong form is refused: %s", async (_, trusted) => {
    const wrong = provider({ trust: () => trusted as never });
    const asked = wrong.request({ method: "eth_getBalance", params: [miner.address] });
    expect(await refusal(asked)).toBe("-32602 invalid_input invalid_argument");
    expect(server.asked).toEqual([]);
  });

  test("may have the other members of a library's block", async () => {
    const whole = { ...block, transactions: [], parentHash: block.hash, logsBloom: null };
    const asked = provider({ trust: () => whole }).request({
      method: "eth_getBalance",
      params: [miner.address],
    });
    expect(BigInt((await asked) as string)).toBe(balance);
  });
});

describe("requests and options of the wrong form are refused", () => {
  test.each([
    ["no address", ["eth_getBalance"]],
    ["a short address", ["eth_getBalance", "0x11"]],
    ["a block that is none", ["eth_getBalance", miner.address, "newest"]],
    ["a block with leading zeros", ["eth_getBalance", miner.address, "0x01"]],
    ["a slot that is none", ["eth_getStorageAt", contract.address, "0xg"]],
    ["slots that are no list", ["eth_getProof", contract.address, "0x1"]],
  ])("%s", async (_, [method = "", ...params]) => {
    expect(await refusal(ask(method, ...params))).toBe("-32602 invalid_input invalid_argument");
    expect(server.asked).toEqual([]);
  });

  test.each([
    ["no provider", { provider: undefined }],
    ["no trust", { trust: undefined }],
    ["a chain that is none", { chainId: 0 }],
    ["an unknown mode", { mode: "lenient" }],
    ["a misspelt option", { onUnverifed: () => undefined }],
  ])("%s", (_, changes) => {
    expect(() => provider(changes as never)).toThrow(/an argument has the wrong type/);
  });
});
