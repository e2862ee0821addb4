/** `AmbProof` of `test-vectors/spec/vectors.md`. */

import type { AmbEntry, AmbPage, AmbReplica } from "../amb/page.js";
import { type AmbResults, verifyAmbProof } from "../amb/proof.js";
import {
  type AmbKind,
  type AmbPart,
  type AmbProofInput,
  membersOf,
  QUESTIONS,
  readKind,
} from "../amb/question.js";
import { invalid } from "../arguments.js";
import { toHex, toQuantity } from "../bytes.js";
import { describe } from "../error.js";
import type { AmbLimits } from "../limits.js";
import type { StateOperation } from "../state.js";
import { init } from "../wasm/hash.js";
import { type Json, JsonMembers, keysOf, type Kind, membersIn } from "./json.js";
import { changesJson, pastJson } from "./smt.js";

/** Ordered keys and their versions, in six kinds of questions, which have members of their own. */
export const AmbProof: Kind = {
  scheme: "amb",
  trusted: membersIn(["root", "block", "limits"]),
  question: membersIn([
    ...["kind", "keys", "at", "from", "to", "lo", "hi", "reverse", "after", "operations"],
  ]),
  asked: [],
  subjects: keysOf,
  init,
  verify(input) {
    const kind = readKind(input);
    return answerJson(kind, verifyAmbProof(readInput(kind, input)));
  },
};

type QuestionMembers = JsonMembers<ReturnType<typeof membersOf>[number]>;

/** How each member of a question is read. */
const READERS = {
  keys: (given: QuestionMembers) => given.hexList("keys"),
  at: (given: QuestionMembers) => given.quantity("at"),
  from: (given: QuestionMembers) => given.quantity("from"),
  to: (given: QuestionMembers) => given.quantity("to"),
  lo: (given: QuestionMembers) => given.hex("lo"),
  hi: (given: QuestionMembers) => (given.unchecked("hi") === null ? null : given.hex("hi")),
  // The verifier checks it.
  reverse: (given: QuestionMembers) => given.unchecked("reverse"),
  after: (given: QuestionMembers) =>
    given.unchecked("after") === null ? null : given.quantity("after"),
  operations: (given: QuestionMembers) =>
    given.objects("operations", ["op", "key", "value"]).map(operationOf),
  parts: (given: QuestionMembers) =>
    given
      .objects("parts", ["keys", "proof"])
      .map((part): AmbPart => ({ keys: part.hexList("keys"), proof: part.hex("proof") })),
  proof: (given: QuestionMembers) => given.hex("proof"),
};

function readInput(kind: AmbKind, input: unknown): AmbProofInput {
  const given = new JsonMembers("amb", input, membersOf(kind), "", { kind });
  const asked = QUESTIONS[kind].members.map((name) => [name, READERS[name](given)]);
  return {
    kind,
    root: given.hex("root"),
    block: given.quantity("block"),
    // Passed on unchecked: the verifier checks them.
    limits: given.unchecked("limits") as AmbLimits | undefined,
    ...Object.fromEntries(asked),
  } as AmbProofInput;
}

function operationOf(given: JsonMembers<"op" | "key" | "value">, index: number): StateOperation {
  const [op, key, value] = [given.unchecked("op"), given.hex("key"), given.optionalHex("value")];
  if (op === "Set" && value) return { op, key, value };
  if (op === "Delete" && !value) return { op, key };
  const expected = "a Set with a value, or a Delete without";
  throw invalid("amb", `operations[${index}]`, expected, describe(op));
}

/** The members of `expected` for the answer to each kind of question. */
const WRITERS: { [K in AmbKind]: (answer: AmbResults[K]) => Record<string, Json> } = {
  get: (answers) => ({ answers: answers.map(pastJson) }),
  hist: (histories) => ({ histories: histories.map(changesJson) }),
  range: (page) => pageJson(page, entryJson),
  count: (count) => ({ count: toQuantity(count) }),
  transfer: (page) => pageJson(page, replicaJson),
  update: (root) => ({ root: toHex(root) }),
};

function answerJson<K extends AmbKind>(kind: K, answer: AmbResults[K]): Record<string, Json> {
  return WRITERS[kind](answer);
}

/** A page of a range. */
export function pageJson<Entry>(
  { entries, next }: AmbPage<Entry>,
  entry: (entry: Entry) => Json,
): Record<string, Json> {
  return { entries: entries.map(entry), next: next && toHex(next) };
}

/** A key with its value. */
export function entryJson({ key, value, since }: AmbEntry): Json {
  return { key: toHex(key), value: toHex(value), since: toQuantity(since) };
}

function replicaJson({ key, versions, block, value, peaks }: AmbReplica): Json {
  return {
    key: toHex(key),
    versions: toQuantity(versions),
    block: toQuantity(block),
    value: value && toHex(value),
    peaks: peaks.map(toHex),
  };
}
