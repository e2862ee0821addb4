/** `SmtProof`, `SmtHistory` and `SmtDiff` of `test-vectors/spec/vectors.md`. */

import { Arguments } from "../arguments.js";
import { toHex, toQuantity } from "../bytes.js";
import type { Limits } from "../limits.js";
import { verifySmtDiff } from "../smt/diff.js";
import {
  type BlockRoot,
  type Change,
  type HistoryInput,
  type KeyHistory,
  smtHistoryBlocks,
  verifySmtHistory,
} from "../smt/history.js";
import { verifySmtProof } from "../smt/proof.js";
import { type Average, type BlockTime, smtTwap } from "../smt/twap.js";
import type { Absent, Present } from "../state.js";
import { init } from "../wasm/hash.js";
import { hexItems, hexMember, type Json, type Kind, quantity, there } from "./json.js";

/** The states of keys at a block. */
export const SmtProof: Kind = {
  scheme: "smt",
  trusted: ({ root, height, limits }) => there({ root, height, limits }),
  question: ({ keys }) => there({ keys }),
  asked: [],
  subjects: (input) => (input as { keys: string[] }).keys,
  init,
  verify(input) {
    const given = new Arguments("smt", input, ["root", "height", "keys", "proof", "limits"]);
    const answers = verifySmtProof({
      root: hexMember("smt", given, "root"),
      height: quantity("smt", given.unchecked("height"), "height"),
      keys: hexItems("smt", given.list("keys"), "keys"),
      proof: hexMember("smt", given, "proof"),
      limits: limits(given),
    });
    return { answers: answers.map(pastJson) };
  },
};

const HISTORY = ["key", "from", "to", "roots", "proof", "average", "limits"] as const;

/** Every change of a key, and their average. */
export const SmtHistory: Kind = {
  scheme: "smt",
  trusted: ({ roots, average, limits }) => there({ roots, average, limits }),
  question: ({ key, from, to }) => there({ key, from, to }),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments("smt", input, HISTORY);
    const { roots, ...range } = historyInput(given);
    const asked = given.unchecked("average");
    const average = asked === undefined ? undefined : averageInput(asked);
    const { entering, changes } = verifySmtHistory({ ...range, roots });
    return {
      blocks: smtHistoryBlocks(range).map(toQuantity),
      ...changesJson({ entering, changes }),
      ...(average && { average: averageJson(smtTwap({ ...range, roots, ...average })) }),
    };
  },
};

/** Every key that changed between two blocks. */
export const SmtDiff: Kind = {
  scheme: "smt",
  trusted: ({ root, to, limits }) => there({ root, to, limits }),
  question: ({ from }) => there({ from }),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments("smt", input, ["from", "to", "root", "proof", "limits"]);
    const from = given.unchecked("from");
    const changes = verifySmtDiff({
      from: from === null ? null : quantity("smt", from, "from"),
      to: quantity("smt", given.unchecked("to"), "to"),
      root: hexMember("smt", given, "root"),
      proof: hexMember("smt", given, "proof"),
      limits: limits(given),
    });
    return {
      changes: changes.map(({ key, ...change }) => ({ key: toHex(key), ...changeJson(change) })),
    };
  },
};

function historyInput(given: Arguments<(typeof HISTORY)[number]>): HistoryInput {
  return {
    key: hexMember("smt", given, "key"),
    from: quantity("smt", given.unchecked("from"), "from"),
    to: quantity("smt", given.unchecked("to"), "to"),
    roots: given.list("roots").map(blockRoot),
    proof: hexMember("smt", given, "proof"),
    limits: limits(given),
  };
}

function blockRoot(root: unknown, index: number): BlockRoot {
  const path = `roots[${index}]`;
  const given = new Arguments("smt", root, ["height", "root"], path);
  return {
    height: quantity("smt", given.unchecked("height"), `${path}.height`),
    root: hexMember("smt", given, "root"),
  };
}

function averageInput(average: unknown) {
  const given = new Arguments("smt", average, ["from", "to", "timestamps"], "average");
  return {
    start: quantity("smt", given.unchecked("from"), "average.from"),
    end: quantity("smt", given.unchecked("to"), "average.to"),
    timestamps: given.list("timestamps").map(blockTime),
  };
}

/** An average. */
export function averageJson({ sum, coveredMs, gaps }: Average): Json {
  return {
    sum: `0x${sum.toString(16).padStart(80, "0")}`,
    coveredMs: toQuantity(coveredMs),
    gaps: gaps.map(({ fromMs, toMs }) => ({ fromMs: toQuantity(fromMs), toMs: toQuantity(toMs) })),
  };
}

function blockTime(time: unknown, index: number): BlockTime {
  const path = `average.timestamps[${index}]`;
  const given = new Arguments("smt", time, ["height", "timestampMs"], path);
  return {
    height: quantity("smt", given.unchecked("height"), `${path}.height`),
    timestampMs: quantity("smt", given.unchecked("timestampMs"), `${path}.timestampMs`),
  };
}

/** Passed on unchecked: the verifiers check them. */
const limits = (given: { unchecked: (name: "limits") => unknown }) =>
  given.unchecked("limits") as Limits | undefined;

/** The state of a key, with the block of its last change. */
export function pastJson(answer: Present | Absent): Json {
  if (answer.kind === "present") {
    return {
      value: toHex(answer.value),
      ...(answer.since !== undefined && { since: toQuantity(answer.since) }),
    };
  }
  return answer.deletedAt === undefined ? {} : { deletedAt: toQuantity(answer.deletedAt) };
}

/** The changes of a history. */
export function changesJson({
  entering,
  changes,
}: Pick<KeyHistory, "entering" | "changes">): Record<string, Json> {
  return {
    entering: entering ? pastJson(entering) : null,
    changes: changes.map(changeJson),
  };
}

/** A change of a key. */
export function changeJson({ height, value }: Change): Record<string, Json> {
  return value
    ? { value: toHex(value), since: toQuantity(height) }
    : { deletedAt: toQuantity(height) };
}
