/** `SmtProof`, `SmtHistory` and `SmtDiff` of `test-vectors/spec/vectors.md`. */

import { toHex, toQuantity } from "../bytes.js";
import type { Limits } from "../limits.js";
import { verifySmtDiff } from "../smt/diff.js";
import {
  type Change,
  type KeyHistory,
  smtHistoryBlocks,
  verifySmtHistory,
} from "../smt/history.js";
import { verifySmtProof } from "../smt/proof.js";
import { type Average, smtTwap } from "../smt/twap.js";
import type { Absent, Present } from "../state.js";
import { type Json, JsonMembers, keysOf, kind } from "./json.js";

/** The states of keys at a block. */
export const SmtProof = kind({
  scheme: "smt",
  trusted: ["root", "height", "limits"],
  question: ["keys"],
  evidence: ["proof"],
  subjects: keysOf,
  verify(given) {
    const answers = verifySmtProof({
      root: given.hex("root"),
      height: given.quantity("height"),
      keys: given.hexList("keys"),
      proof: given.hex("proof"),
      limits: limits(given),
    });
    return { answers: answers.map(pastJson) };
  },
});

/** Every change of a key, and their average. */
export const SmtHistory = kind({
  scheme: "smt",
  trusted: ["roots", "average", "limits"],
  question: ["key", "from", "to"],
  evidence: ["proof"],
  verify(given) {
    const range = {
      key: given.hex("key"),
      from: given.quantity("from"),
      to: given.quantity("to"),
      proof: given.hex("proof"),
      limits: limits(given),
    };
    const roots = given
      .objects("roots", ["height", "root"])
      .map((root) => ({ height: root.quantity("height"), root: root.hex("root") }));
    const asked = given.unchecked("average");
    const average = asked === undefined ? undefined : averageInput(asked);
    const { entering, changes } = verifySmtHistory({ ...range, roots });
    return {
      blocks: smtHistoryBlocks(range).map(toQuantity),
      ...changesJson({ entering, changes }),
      ...(average && { average: averageJson(smtTwap({ ...range, roots, ...average })) }),
    };
  },
});

/** Every key that changed between two blocks. */
export const SmtDiff = kind({
  scheme: "smt",
  trusted: ["root", "to", "limits"],
  question: ["from"],
  evidence: ["proof"],
  verify(given) {
    const changes = verifySmtDiff({
      from: given.unchecked("from") === null ? null : given.quantity("from"),
      to: given.quantity("to"),
      root: given.hex("root"),
      proof: given.hex("proof"),
      limits: limits(given),
    });
    return { changes: changes.map(keyChangeJson) };
  },
});

function averageInput(average: unknown) {
  const given = new JsonMembers("smt", average, ["from", "to", "timestamps"], "average");
  return {
    start: given.quantity("from"),
    end: given.quantity("to"),
    timestamps: given.objects("timestamps", ["height", "timestampMs"]).map((time) => ({
      height: time.quantity("height"),
      timestampMs: time.quantity("timestampMs"),
    })),
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
function changeJson({ height, value }: Change): Record<string, Json> {
  return value
    ? { value: toHex(value), since: toQuantity(height) }
    : { deletedAt: toQuantity(height) };
}

/** A change of one of several keys. */
export const keyChangeJson = ({ key, ...change }: Change & { key: Uint8Array }) => ({
  key: toHex(key),
  ...changeJson(change),
});
