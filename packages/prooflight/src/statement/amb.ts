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
import { Arguments, invalid } from "../arguments.js";
import { type Bytes, toHex, toQuantity } from "../bytes.js";
import { describe } from "../error.js";
import type { AmbLimits } from "../limits.js";
import type { StateOperation } from "../state.js";
import { init } from "../wasm/hash.js";
import { hexItems, hexMember, type Json, type Kind, quantity, there } from "./json.js";
import { changesJson, pastJson } from "./smt.js";

/** Ordered keys and their versions, in six kinds of questions. */
export const AmbProof: Kind = {
  scheme: "amb",
  trusted: ({ root, block, limits }) => there({ root, block, limits }),
  question: ({ kind, keys, at, from, to, lo, hi, reverse, after, operations }) =>
    there({ kind, keys, at, from, to, lo, hi, reverse, after, operations }),
  asked: [],
  subjects: (input) => (input as { keys?: string[] }).keys ?? [],
  init,
  verify(input) {
    const kind = readKind(input);
    return answerJson(kind, verifyAmbProof(readInput(kind, input)));
  },
};

/** How each member of a question is read. */
const READERS = {
  keys: (given: unknown, name: string) => hexItems("amb", listOf(given, name), name),
  at: height,
  from: height,
  to: height,
  lo: bytesOf,
  hi: (given: unknown, name: string) => (given === null ? null : bytesOf(given, name)),
  // The verifier checks it.
  reverse: (given: unknown) => given,
  after: (given: unknown, name: string) => (given === null ? null : height(given, name)),
  operations: (given: unknown, name: string) =>
    listOf(given, name).map((item, index) => operationOf(item, `${name}[${index}]`)),
  parts: (given: unknown, name: string) =>
    listOf(given, name).map((item, index) => partOf(item, `${name}[${index}]`)),
  proof: bytesOf,
};

function readInput(kind: AmbKind, input: unknown): AmbProofInput {
  const given = membersOf(kind, input);
  const asked = QUESTIONS[kind].members.map((name) => [
    name,
    READERS[name](given.unchecked(name), name),
  ]);
  return {
    kind,
    root: hexMember("amb", given, "root"),
    block: height(given.unchecked("block"), "block"),
    // Passed on unchecked: the verifier checks them.
    limits: given.unchecked("limits") as AmbLimits | undefined,
    ...Object.fromEntries(asked),
  } as AmbProofInput;
}

function listOf(given: unknown, name: string): readonly unknown[] {
  return new Arguments("amb", { [name]: given }, [name]).list(name);
}

function bytesOf(given: unknown, name: string): Bytes {
  return hexMember("amb", new Arguments("amb", { [name]: given }, [name]), name);
}

function height(given: unknown, name: string): bigint {
  return quantity("amb", given, name);
}

function operationOf(operation: unknown, path: string): StateOperation {
  const given = new Arguments("amb", operation, ["op", "key", "value"], path);
  const op = given.unchecked("op");
  const key = hexMember("amb", given, "key");
  if (op === "Set") return { op, key, value: hexMember("amb", given, "value") };
  if (op === "Delete" && given.unchecked("value") === undefined) return { op, key };
  throw invalid("amb", path, "a Set, or a Delete without a value", describe(op));
}

function partOf(part: unknown, path: string): AmbPart {
  const given = new Arguments("amb", part, ["keys", "proof"], path);
  const keys = hexItems("amb", given.list("keys"), `${path}.keys`);
  return { keys, proof: hexMember("amb", given, "proof") };
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
