import { Arguments, invalid } from "../arguments.js";
import { type Bytes, toHex, toQuantity } from "../bytes.js";
import type { Checkpoint } from "../chain/checkpoint.js";
import type { Header } from "../chain/header.js";
import {
  type Freshness,
  HEAD,
  type Older,
  olderOf,
  verifyAncestor,
  verifyAncestors,
  verifyHead,
} from "../chain/sync.js";
import { init } from "../wasm/hash.js";
import { hexItems, hexMember, type Json, type Kind, optionalHex, quantity, there } from "./json.js";

/** What statements about a head that extends a checkpoint share. */
export const FROM_A_CHECKPOINT = {
  trusted: ({ checkpoint, now, maxClockSkew, maxHeadAge }) =>
    there({ checkpoint, now, maxClockSkew, maxHeadAge }),
  asked: ["checkpoint", "now"],
  subjects: () => [],
  init,
} as const satisfies Partial<Kind>;

/** A head that extends a checkpoint. */
export const HeaderSync: Kind = {
  ...FROM_A_CHECKPOINT,
  scheme: "chain",
  question: () => ({}),
  verify(input) {
    const given = new Arguments(undefined, input, HEAD);
    return answer(verifyHead(syncInput(given)));
  },
};

/** The members that the statements about older headers of an accepted head share. */
const INCLUSION = {
  scheme: "chain",
  trusted: ({ head }) => there({ head }),
  question: ({ header, height }) => there({ header, height }),
  asked: [],
  subjects: () => [],
  init,
} satisfies Omit<Kind, "verify">;

/** An older header in the history of an accepted head. */
export const HeaderInclusion: Kind = {
  ...INCLUSION,
  verify(input) {
    const given = new Arguments(undefined, input, ["head", "header", "height", "inclusion"]);
    return answer(
      verifyAncestor({
        head: hexMember(undefined, given, "head"),
        header: hexMember(undefined, given, "header"),
        height: optionalQuantity(given, "height"),
        inclusion: path(given.list("inclusion"), "inclusion"),
      }),
    );
  },
};

/** Several older headers in the history of an accepted head. */
export const HeadersInclusion: Kind = {
  ...INCLUSION,
  verify(input) {
    const given = new Arguments(undefined, input, ["head", "headers", "hashes"]);
    const headers = verifyAncestors({
      head: hexMember(undefined, given, "head"),
      headers: hexItems(undefined, given.list("headers"), "headers"),
      hashes: path(given.list("hashes"), "hashes"),
    });
    return { headerHashes: headers.map(({ hash }) => toHex(hash)) };
  },
};

/** The input of `verifyHead`, from JSON. */
export function syncInput(given: Arguments<(typeof HEAD)[number]>) {
  return {
    // verifyHead checks the unchecked members.
    checkpoint: given.unchecked("checkpoint") as Checkpoint,
    head: hexMember(undefined, given, "head"),
    inclusion: path(given.list("inclusion"), "inclusion"),
    now: quantity(undefined, given.unchecked("now"), "now"),
    ...freshness(given),
  };
}

/** The older header of a statement, if it has one, from JSON. */
export function olderInput(given: Arguments<"header" | "path">): Older | undefined {
  const hasPath = given.unchecked("path") !== undefined;
  return olderOf(
    optionalHex(undefined, given, "header"),
    hasPath ? path(given.list("path"), "path") : undefined,
  );
}

/** The hashes of a path. */
export function path(list: readonly unknown[], name: string): Bytes[] {
  const hashes = hexItems(undefined, list, name);
  const wrong = hashes.findIndex(({ length }) => length !== 32);
  if (wrong < 0) return hashes;
  throw invalid(undefined, `${name}[${wrong}]`, "32 bytes", `${hashes[wrong]?.length} bytes`);
}

function freshness(given: Arguments<"maxClockSkew" | "maxHeadAge">): Freshness {
  return {
    maxClockSkew: optionalQuantity(given, "maxClockSkew"),
    maxHeadAge: optionalQuantity(given, "maxHeadAge"),
  };
}

function optionalQuantity<Name extends string>(
  given: Arguments<Name>,
  name: Name,
): bigint | undefined {
  const number = given.unchecked(name);
  return number === undefined ? undefined : quantity(undefined, number, name);
}

/** The height and the hash of a header. */
export function answer({ height, hash }: Header): Record<string, Json> {
  return { height: toQuantity(height), headerHash: toHex(hash) };
}
