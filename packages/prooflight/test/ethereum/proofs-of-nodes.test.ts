/** Answers to `eth_getProof` in the forms in which nodes send them, asked for by a client that follows Ethereum. */

import { describe, expect, test } from "vitest";

import { executeChain } from "./execution-chain.js";
import { type Answer, providerOf, type Question, refusalDataOf } from "./provider-of.js";

type Json = Record<string, unknown>;

interface Proof extends Json {
  accountProof: string[];
  storageProof: (Json & { value: string; proof: string[] })[];
}

const chain = await executeChain();
const honest: Answer = ({ method, params }) => chain.execution(method, params);

/** Honest, but every answer to `eth_getProof` is written in another way. */
const writing =
  (write: (proof: Proof) => Json): Answer =>
  async (question, url) => {
    const reply = await honest(question, url);
    return question.method === "eth_getProof" ? write(reply as Proof) : reply;
  };

const CONTRACT = "0x7dcd17433742f4c0ca53122ab541d0ba67fc27df";
const ABSENT = "0x00000000000000000000000000000000000dead1";
const QUESTIONS: Question[] = [CONTRACT, ABSENT].flatMap((address) => [
  { method: "eth_getBalance", params: [address, "latest"] },
  { method: "eth_getTransactionCount", params: [address, "latest"] },
  { method: "eth_getCode", params: [address, "latest"] },
  { method: "eth_getStorageAt", params: [address, "0x0", "latest"] },
  { method: "eth_getProof", params: [address, ["0x0", `0x${"5".padStart(64, "0")}`], "latest"] },
]);
/** Found by its hash in the state of the head (EIP-2935). */
const OLDER: Question = { method: "eth_getBlockByNumber", params: ["0x2c", false] };

async function answersOf(answer: Answer): Promise<unknown[]> {
  const { provider, asked } = providerOf(chain, {}, answer);
  const answers: unknown[] = [];
  for (const question of [...QUESTIONS, OLDER]) answers.push(await provider.request(question));
  expect(asked.filter(({ method }) => method === "eth_getProof").length).toBeGreaterThan(10);
  return answers;
}

const expected = await answersOf(honest);

const ZERO = `0x${"00".repeat(32)}`;
const isZero = (value: unknown) => typeof value === "string" && /^0x0*$/.test(value);
const withoutZeros = (members: Json): Json =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, isZero(value) ? null : value]),
  );
const eachProof = (proof: Proof, write: (nodes: string[]) => unknown): Proof =>
  ({
    ...proof,
    accountProof: write(proof.accountProof),
    storageProof: proof.storageProof.map((slot) => ({ ...slot, proof: write(slot.proof) })),
  }) as Proof;
const nullForZero = (proof: Proof): Json => ({
  ...withoutZeros(proof),
  storageProof: proof.storageProof.map((slot) => ({
    ...withoutZeros(slot),
    key: slot["key"],
  })),
});

describe("are read as they are meant:", () => {
  test.each<[string, (proof: Proof) => Json]>([
    ["a string of no bytes after the nodes", (it) => eachProof(it, (nodes) => [...nodes, "0x"])],
    ["strings of no bytes between the nodes", (it) => eachProof(it, (nodes) => nodes.flatMap((node) => ["0x", node]))], // prettier-ignore
    [
      "null for an empty proof",
      (it) => eachProof(it, (nodes) => (nodes.length > 0 ? nodes : null)),
    ],
    ["null for zero", nullForZero],
    ["null for an empty list of slots", (it) => ({ ...it, storageProof: it.storageProof.length > 0 ? it.storageProof : null })], // prettier-ignore
    [
      "hashes of zeros and no slots for an absent account",
      (it) =>
        it["address"] === ABSENT
          ? { ...it, codeHash: ZERO, storageHash: ZERO, storageProof: [] }
          : it,
    ],
    [
      "null for everything but the proof of an absent account",
      (it) =>
        it["address"] === ABSENT
          ? Object.fromEntries(
              Object.entries(it).map(([name, value]) => [
                name,
                ["address", "accountProof"].includes(name) ? value : null,
              ]),
            )
          : it,
    ],
  ])("%s", async (_, write) => {
    expect(await answersOf(writing(write))).toEqual(expected);
  });

  test("where the state has an older block's hash, too", () => {
    expect(expected.at(-1)).toMatchObject({ number: "0x2c" });
  });
});

describe("nothing that decides is optional:", () => {
  test.each<[string, (proof: Proof) => Json, string]>([
    ["no list of slots", (it) => ({ ...it, storageProof: [] }), "slot_keys_mismatch"],
    ["null for a value", (it) => ({ ...it, storageProof: it.storageProof.map((slot) => ({ ...slot, value: null })) }), "slot_mismatch"], // prettier-ignore
    ["null for a code hash", (it) => ({ ...it, codeHash: null }), "account_mismatch"],
    ["zeros for a code hash", (it) => ({ ...it, codeHash: ZERO }), "account_mismatch"],
    ["null for the nodes", (it) => ({ ...it, accountProof: null }), "root_mismatch"],
    ["the first node alone", (it) => ({ ...it, accountProof: it.accountProof.slice(0, 1) }), "node_missing"], // prettier-ignore
    ["a short node that the walk does not pass", (it) => ({ ...it, accountProof: [...it.accountProof, "0xc22001"] }), "short_node"], // prettier-ignore
  ])("%s", async (_, write, reason) => {
    const { ask } = providerOf(chain, {}, writing(write));
    const asked = ask("eth_getStorageAt", CONTRACT, "0x0", "latest");
    expect(await refusalDataOf(asked)).toMatchObject({ reason });
  });
});
