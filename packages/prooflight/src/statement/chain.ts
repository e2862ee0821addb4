import { toHex, toQuantity } from "../bytes.js";
import type { Checkpoint } from "../chain/checkpoint.js";
import type { Header } from "../chain/header.js";
import {
  type HEAD,
  type Older,
  olderOf,
  verifyAncestor,
  verifyAncestors,
  verifyHead,
} from "../chain/sync.js";
import { type Json, type JsonMembers, kind } from "./json.js";

/** What statements about a head that extends a checkpoint share. */
export const FROM_A_CHECKPOINT = {
  trusted: ["checkpoint", "now", "maxClockSkew", "maxHeadAge"],
  asked: ["checkpoint", "now"],
} as const;

/** A head that extends a checkpoint. */
export const HeaderSync = kind({
  ...FROM_A_CHECKPOINT,
  scheme: "chain",
  question: [],
  evidence: ["head", "inclusion"],
  verify: (given) => answer(verifyHead(syncInput(given))),
});

/** An older header in the history of an accepted head. */
export const HeaderInclusion = kind({
  scheme: "chain",
  trusted: ["head"],
  question: ["header", "height"],
  evidence: ["inclusion"],
  verify(given) {
    return answer(
      verifyAncestor({
        head: given.hex("head"),
        header: given.hex("header"),
        height: given.optionalQuantity("height"),
        inclusion: given.hashes("inclusion"),
      }),
    );
  },
});

/** Several older headers in the history of an accepted head. */
export const HeadersInclusion = kind({
  scheme: "chain",
  trusted: ["head"],
  question: [],
  evidence: ["headers", "hashes"],
  verify(given) {
    const headers = verifyAncestors({
      head: given.hex("head"),
      headers: given.hexList("headers"),
      hashes: given.hashes("hashes"),
    });
    return { headerHashes: headers.map(({ hash }) => toHex(hash)) };
  },
});

/** The input of `verifyHead`, from JSON. */
export function syncInput(given: JsonMembers<(typeof HEAD)[number]>) {
  return {
    // verifyHead checks the unchecked members.
    checkpoint: given.unchecked("checkpoint") as Checkpoint,
    head: given.hex("head"),
    inclusion: given.hashes("inclusion"),
    now: given.quantity("now"),
    maxClockSkew: given.optionalQuantity("maxClockSkew"),
    maxHeadAge: given.optionalQuantity("maxHeadAge"),
  };
}

/** The older header of a statement, if it has one, from JSON. */
export function olderInput(given: JsonMembers<"header" | "path">): Older | undefined {
  const hasPath = given.unchecked("path") !== undefined;
  return olderOf(given.optionalHex("header"), hasPath ? given.hashes("path") : undefined);
}

/** The height and the hash of a header. */
export function answer({ height, hash }: Header): Record<string, Json> {
  return { height: toQuantity(height), headerHash: toHex(hash) };
}
