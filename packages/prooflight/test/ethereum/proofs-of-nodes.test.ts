/** Answers to `eth_getProof` in the forms in which nodes send them, asked for by a client that follows Ethereum. */

import { expect, test } from "vitest";

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

/** The vectors `mpt/sent_answer.json` and `mpt/sent_answer_negative.json` have the other forms. */
const withoutBytes = (nodes: string[]) => (nodes.length > 0 ? [...nodes, "0x"] : null);
const inAnotherForm = (it: Proof): Json => ({
  ...it,
  accountProof: withoutBytes(it.accountProof),
  storageProof: it.storageProof.map((slot) => ({ ...slot, proof: withoutBytes(slot.proof) })),
});

test("are read as they are meant", async () => {
  expect(await answersOf(writing(inAnotherForm))).toEqual(expected);
});

test("are read where the state has an older block's hash, too", () => {
  expect(expected.at(-1)).toMatchObject({ number: "0x2c" });
});

test("with a short node that the walk does not pass are refused", async () => {
  const write = (it: Proof) => ({ ...it, accountProof: [...it.accountProof, "0xc22001"] });
  const { ask } = providerOf(chain, {}, writing(write));
  const asked = ask("eth_getStorageAt", CONTRACT, "0x0", "latest");
  expect(await refusalDataOf(asked)).toMatchObject({ reason: "short_node" });
});
