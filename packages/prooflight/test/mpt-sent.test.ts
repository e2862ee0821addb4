/** Answers to `eth_getProof` as nodes send them, and as libraries hand them on. */

import { createPublicClient, custom } from "viem";
import { beforeAll, describe, expect, test } from "vitest";

import { fromHex } from "../src/bytes.js";
import { init, verifyEthGetProof, verifyEthGetProofs } from "../src/mpt.js";
import { createProvider } from "../src/provider.js";
import { parseVectors } from "../src/vectors/file.js";
import { vectorFiles } from "./files.js";
import { refusal, verdict } from "./refusal.js";

beforeAll(() => init());

type Hex = `0x${string}`;

interface Slot {
  key: Hex;
  value: Hex;
  proof: Hex[];
}

interface Sent {
  address: Hex;
  balance: Hex;
  nonce: Hex;
  codeHash: Hex;
  storageHash: Hex;
  accountProof: Hex[];
  storageProof: Slot[];
}

interface Recorded {
  comment: string;
  input: Input;
  expected: { canonical: Sent };
}

interface Input {
  stateRoot: Hex;
  address: Hex;
  slots: Hex[];
  response: Sent;
}

const tests = parseVectors(vectorFiles.get("mpt/sent_answer.json") ?? "{}").testGroups.flatMap(
  ({ tests }) => tests as unknown as Recorded[],
);

const recorded = (name: string) => {
  const found = tests.find(({ comment }) => comment.startsWith(`anvil: ${name}`));
  if (!found) throw new Error(`nothing was recorded as ${name}`);
  return found;
};

const { input: contract, expected } = recorded("a contract with two slots");
const { input: eoa } = recorded("an account without code");

describe("an answer of anvil, which lists embedded nodes again, is read", () => {
  test("and its slots are those of the proofs", () => {
    const account = verifyEthGetProof(contract);
    expect(account).toMatchObject({ kind: "present", storage: [1n, 2n, 0x41n, 0n] });
    const { stateRoot } = contract;
    const questions = [contract, eoa].map(({ address, slots, response }) => {
      return { address, slots, response };
    });
    expect(verifyEthGetProofs({ stateRoot, questions })[0]).toEqual(account);
  });

  test("as it is, without a change of the caller's object", () => {
    const copy = structuredClone(contract);
    verifyEthGetProof(contract);
    expect(contract).toEqual(copy);
  });
});

describe("what a library's getProof returns is taken:", () => {
  const { stateRoot, address, slots } = contract;

  test("viem's", async () => {
    const transport = custom({
      request: () => Promise.resolve(structuredClone(contract.response)),
    });
    const response = await createPublicClient({ transport }).getProof({
      address,
      storageKeys: slots,
    });
    expect(typeof response.balance).toBe("bigint");
    expect(typeof response.nonce).toBe("number");
    expect(verifyEthGetProof({ stateRoot, address, slots, response })).toEqual(
      verifyEthGetProof(contract),
    );
  });

  test("viem's, where the node leaves out what is zero", async () => {
    const { balance, nonce, storageProof, ...rest } = eoa.response;
    const sent = { ...rest, balance };
    expect([nonce, storageProof]).toEqual(["0x0", [expect.anything()]]);
    const transport = custom({ request: () => Promise.resolve(sent) });
    const response = await createPublicClient({ transport }).getProof({
      address: eoa.address,
      storageKeys: [],
    });
    expect(response).toMatchObject({ nonce: undefined, storageProof: undefined });
    const account = verifyEthGetProof({ stateRoot, address: eoa.address, response });
    expect(account).toMatchObject({ nonce: 0n, balance: BigInt(balance), storage: [] });
  });

  /** Every integer and every byte string of an answer, as a library writes them. */
  const written = (
    { response }: Input,
    integer: (quantity: Hex) => unknown,
    bytes: (hex: Hex) => unknown,
  ) => ({
    address: response.address,
    nonce: integer(response.nonce),
    balance: integer(response.balance),
    codeHash: bytes(response.codeHash),
    storageHash: bytes(response.storageHash),
    accountProof: response.accountProof.map(bytes),
    storageProof: response.storageProof.map(({ key, value, proof }) => {
      return { key: bytes(key), value: integer(value), proof: proof.map(bytes) };
    }),
  });
  const asItIs = (text: Hex) => text;

  test.each<[string, (quantity: Hex) => unknown, (hex: Hex) => unknown]>([
    ["web3.js 4, integers as bigints", BigInt, asItIs],
    ["web3.js 4, integers as numbers", Number, asItIs],
    ["web3.js 1, integers in decimal digits", (quantity) => BigInt(quantity).toString(), asItIs],
  ])("%s", (_, integer, bytes) => {
    const response = written(contract, integer, bytes);
    expect(verifyEthGetProof({ ...contract, response })).toEqual(verifyEthGetProof(contract));
  });

  test("web3.js 4, bytes as Uint8Arrays", () => {
    const response = written(contract, BigInt, fromHex);
    const storageProof = response.storageProof.map((slot, index) => {
      return { ...slot, key: contract.slots[index] };
    });
    const sent = { ...contract, response: { ...response, storageProof } };
    expect(verifyEthGetProof(sent)).toEqual(verifyEthGetProof(contract));
  });

  test("and what it says counts: another balance, nonce or value is refused", () => {
    for (const [change, expected] of [
      [{ balance: BigInt(eoa.response.balance) + 1n }, "mismatch / account_mismatch"],
      [{ balance: undefined }, "mismatch / account_mismatch"],
      [{ balance: null }, "mismatch / account_mismatch"],
      [{ nonce: 1 }, "mismatch / account_mismatch"],
      [
        { storageProof: [{ ...eoa.response.storageProof[0], value: 1n }] },
        "mismatch / slot_mismatch",
      ],
      [{ storageProof: [] }, "mismatch / slot_keys_mismatch"],
    ] as const) {
      const response = { ...eoa.response, ...change };
      expect(verdict(refusal(() => verifyEthGetProof({ ...eoa, response })))).toBe(expected);
    }
  });
});

describe("a value of a wrong type is refused by its name:", () => {
  const [slot] = eoa.response.storageProof;
  test.each<[string, object]>([
    ["balance", { balance: 1e22 }],
    ["balance", { balance: -1n }],
    ["balance", { balance: 1n << 256n }],
    ["balance", { balance: Number.NaN }],
    ["balance", { balance: true }],
    ["nonce", { nonce: 1.5 }],
    ["nonce", { nonce: 1n << 64n }],
    ["nonce", { nonce: () => 0 }],
    ["codeHash", { codeHash: 0n }],
    ["storageHash", { storageHash: new Uint8Array(31) }],
    ["address", { address: undefined }],
    ["codeHash", { codeHash: undefined }],
    ["accountProof", { accountProof: "0x" }],
    ["accountProof[0]", { accountProof: [1] }],
    ["accountProof[1]", { accountProof: ["0x", Symbol("node")] }],
    ["storageProof", { storageProof: {} }],
    ["storageProof[0]", { storageProof: [null] }],
    ["storageProof[0].key", { storageProof: [{ ...slot, key: undefined }] }],
    ["storageProof[0].value", { storageProof: [{ ...slot, value: 2 ** 53 }] }],
    ["storageProof[0].proof", { storageProof: [{ ...slot, proof: 7 }] }],
  ])("%s", (name, change) => {
    const response = { ...eoa.response, ...change };
    const error = refusal(() => verifyEthGetProof({ ...eoa, response }));
    expect(verdict(error)).toBe("malformed / invalid_answer");
    expect(error.message).toContain(`${name} to be `);
  });
});

describe("eth_getProof of a provider", () => {
  const trust = () => ({ number: 2n, hash: `0x${"11".repeat(32)}`, stateRoot: contract.stateRoot });
  const ask = (response: unknown, address: Hex, keys: readonly string[]) =>
    createProvider({
      provider: { request: () => Promise.resolve(response) },
      chainId: 31337,
      trust: trust as never,
    }).request({ method: "eth_getProof", params: [address, keys, "latest"] });

  test("answers the canonical proofs, whatever its server lists", async () => {
    const answer = await ask(contract.response, contract.address, contract.slots);
    const { accountProof, storageProof, ...fields } = expected.canonical;
    expect(answer).toMatchObject({ ...fields, accountProof });
    const proofs = (answer as Sent).storageProof.map(({ proof }) => proof);
    expect(proofs).toEqual(storageProof.map(({ proof }) => proof));
    expect(proofs.map(({ length }) => length)).toEqual([3, 3, 2, 1]);
  });

  test("answers about an account that does not exist what its server leaves out", async () => {
    const { input, expected } = recorded("no account, no slots");
    const { address, accountProof } = input.response;
    const hashes = { codeHash: null, storageHash: null };
    const sent = { address, accountProof, balance: null, nonce: null, ...hashes };
    const answer = await ask(sent, address, ["0x1"]);
    const storageProof = [{ key: "0x1", value: "0x0", proof: [] }];
    expect(answer).toEqual({ ...expected.canonical, storageProof });
  });

  test("writes keys and values as geth does: of 32 bytes if asked so, else the shortest", async () => {
    const slot = contract.slots.indexOf(`0x${"7".padStart(64, "0")}`);
    const long = contract.slots[slot] ?? "0x";
    const [sent] = contract.response.storageProof.slice(slot);
    for (const [asked, key] of [
      [long, long],
      [`0x${"7".padStart(63, "0")}`, long],
      [`0x${"7".padStart(62, "0")}`, "0x7"],
      ["0x07", "0x7"],
      ["0x7", "0x7"],
    ] as const) {
      const response = { ...contract.response, storageProof: [sent] };
      const answer = await ask(response, contract.address, [asked]);
      expect((answer as Sent).storageProof).toMatchObject([{ key, value: "0x41" }]);
    }
    const upper = `0x${"A".padStart(64, "F")}`;
    const absent = recorded("no account, no slots").input.response;
    const answer = await ask(absent, absent.address, [upper, "0x0A"]);
    const keys = (answer as Sent).storageProof.map(({ key }) => key);
    expect(keys).toEqual([upper.toLowerCase(), "0xa"]);
  });
});
