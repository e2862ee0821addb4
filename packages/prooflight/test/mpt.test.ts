import { beforeAll, describe, expect, test } from "vitest";

import { fromHex } from "../src/bytes.js";
import { init, verifyEthGetProof, verifyEthGetProofs } from "../src/mpt.js";
import { vectorFiles } from "./files.js";
import { refusal, verdict } from "./refusal.js";

beforeAll(() => init());

type Hex = `0x${string}`;

interface Input {
  stateRoot: Hex;
  address: Hex;
  slots: Hex[];
  response: { balance: Hex; accountProof: Hex[]; storageProof: { key: Hex; value: Hex }[] };
}

const tests = (
  JSON.parse(vectorFiles.get("mpt/eth_get_proof.json") ?? "{}") as {
    testGroups: { tests: { comment: string; input: Input }[] }[];
  }
).testGroups.flatMap(({ tests }) => tests);

const recorded = (name: string): Input => {
  const found = tests.find(({ comment }) => comment.startsWith(name));
  if (!found) throw new Error(`nothing was recorded as ${name}`);
  return found.input;
};

const contract = recorded("mainnet_21925176_depositcontract");
const miner = recorded("mainnet_21925176_eoa_miner");

describe("an answer with more than any question needs", () => {
  const { response } = contract;
  const many = <T>(item: T, last: T = item): T[] => [...Array<T>(100_000).fill(item), last];
  const [slot] = response.storageProof as unknown as { key: Hex; value: Hex; proof: Hex[] }[];
  test.each<[string, object, string]>([
    ["nodes", { accountProof: many("0x") }, "mismatch / too_many_nodes"],
    ["nodes of a slot", { storageProof: [{ ...slot, proof: many("0x") }] }, "mismatch / too_many_nodes"], // prettier-ignore
    ["slots", { storageProof: many({ ...slot, proof: [] }) }, "mismatch / slot_keys_mismatch"],
    // All of it must have the form of an answer, and counts as its size.
    ["nodes, the last of them none", { accountProof: many<unknown>("0x", "0xg0") }, "malformed / invalid_answer"], // prettier-ignore
    ["nodes, the last of them null", { accountProof: many<unknown>("0x", null) }, "malformed / invalid_answer"], // prettier-ignore
    ["slots, the last of them none", { storageProof: many<unknown>(slot, { key: "0x" }) }, "malformed / invalid_answer"], // prettier-ignore
    ["nodes of too many bytes", { accountProof: many(`0x${"00".repeat(100)}`) }, "malformed / proof_too_large"], // prettier-ignore
    ["slots of too many bytes", { storageProof: many({ ...slot, proof: [`0x${"00".repeat(100)}`] }) }, "malformed / proof_too_large"], // prettier-ignore
  ])("is refused as if all of it were read: %s", (_, change, expected) => {
    const { stateRoot, address, slots } = contract;
    const asked = { stateRoot, address, slots, response: { ...response, ...change } };
    expect(verdict(refusal(() => verifyEthGetProof(asked)))).toBe(expected);
  });
});

describe("an answer to eth_getProof", () => {
  test("gives what the proofs show", () => {
    const account = verifyEthGetProof(contract);
    if (account.kind !== "present") throw new Error("absent");
    expect(account.balance).toBe(BigInt(contract.response.balance));
    expect(account.nonce).toBe(1n);
    expect(account.storage).toEqual(
      contract.response.storageProof.map(({ value }) => BigInt(value)),
    );
  });

  test("takes bytes, hexadecimal digits and integers for what was asked", () => {
    const { stateRoot, address, slots, response } = contract;
    const asked = [
      slots,
      slots.map((slot) => BigInt(slot)),
      slots.map((slot) => fromHex(slot)),
      slots.map((slot) => `0x${BigInt(slot).toString(16)}` as const),
    ];
    for (const slots of asked) {
      const account = verifyEthGetProof({
        stateRoot: fromHex(stateRoot),
        address: fromHex(address),
        slots,
        response,
      });
      expect(account.storage).toHaveLength(1);
    }
    const upper = address.toUpperCase().replace("0X", "0x") as Hex;
    expect(verifyEthGetProof({ stateRoot, address: upper, slots, response }).kind).toBe("present");
  });

  test("that there is no account is an answer", () => {
    const account = verifyEthGetProof(recorded("mainnet_0_account_missing"));
    expect(account).toEqual({ kind: "absent", storage: [] });
  });

  test("is one of many about a state", () => {
    const { stateRoot } = contract;
    const questions = Array.from({ length: 50 }, (_, index) => (index % 2 ? contract : miner)).map(
      ({ address, slots, response }) => ({ address, slots, response }),
    );
    const accounts = verifyEthGetProofs({ stateRoot, questions });
    expect(accounts).toEqual(
      questions.map((question) => verifyEthGetProof({ stateRoot, ...question })),
    );
    const withLie = questions.map((question, index) =>
      index === 30 ? { ...question, response: { ...miner.response, balance: "0x1" } } : question,
    );
    expect(verdict(refusal(() => verifyEthGetProofs({ stateRoot, questions: withLie })))).toBe(
      "mismatch / account_mismatch",
    );
    expect(verifyEthGetProofs({ stateRoot, questions: [] })).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["a short root", { stateRoot: "0x11" }, "invalid_input / invalid_argument"],
    ["a short address", { address: "0x11" }, "invalid_input / invalid_argument"],
    ["an address that is none", { address: 7 }, "invalid_input / invalid_argument"],
    ["a slot that is too large", { slots: [1n << 256n] }, "invalid_input / invalid_argument"],
    ["a negative slot", { slots: [-1n] }, "invalid_input / invalid_argument"],
    ["a slot as a number", { slots: [1] }, "invalid_input / invalid_argument"],
    ["a misspelt limit", { limits: { maxProofByte: 1 } }, "invalid_input / invalid_argument"],
    ["no answer", { response: undefined }, "malformed / invalid_answer"],
  ])("is refused for %s", (_, changes, expected) => {
    expect(verdict(refusal(() => verifyEthGetProof({ ...contract, ...changes })))).toBe(expected);
  });
});

describe("an answer that is no plain data is refused as any other", () => {
  const { response } = miner;
  const nodes = response.accountProof;
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const ofLength = (length: unknown) =>
    new Proxy(nodes, {
      get: (target, name) => (name === "length" ? length : (Reflect.get(target, name) as unknown)),
    });
  const sparse = [...nodes];
  sparse.length = 2 ** 32 - 1;
  const throwing = {
    ...response,
    get balance(): never {
      throw new Error("no balance");
    },
  };
  test.each<[string, unknown]>([
    ["a getter that throws", throwing],
    ["a revoked proxy", revoked()],
    ["a revoked proxy among its members", { ...response, accountProof: revoked() }],
    ["an array of negative length", { ...response, accountProof: ofLength(-1) }],
    ["an array of no length", { ...response, accountProof: ofLength("1") }],
    ["an array that says it is longer", { ...response, accountProof: ofLength(2 ** 31) }],
    ["a long array of holes", { ...response, accountProof: sparse }],
  ])("%s", (_, response) => {
    const { stateRoot, address, slots } = miner;
    expect(verdict(refusal(() => verifyEthGetProof({ stateRoot, address, slots, response })))).toBe(
      "malformed / invalid_answer",
    );
  });

  test("what an array's own methods do is not asked", () => {
    const own = Object.assign([...nodes], { forEach: () => undefined, map: () => [] });
    expect(verifyEthGetProof({ ...miner, response: { ...response, accountProof: own } }).kind).toBe(
      "present",
    );
  });
});
