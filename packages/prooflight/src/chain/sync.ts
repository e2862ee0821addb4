import { Arguments, type FromJson } from "../arguments.js";
import { describe, refuse } from "../error.js";
import { writeItems } from "../limits.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";
import { type Checkpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.js";
import { type Header, readHeader } from "./header.js";

/** The required freshness of a head, by the caller's clock. */
export interface Freshness {
  /** The most that a head may be ahead of `now`, in milliseconds. Default 30,000. */
  maxClockSkew?: bigint | undefined;
  /** The greatest age of a head, in milliseconds. Default: any age. */
  maxHeadAge?: bigint | undefined;
}

/** The input of {@link verifyHead}. */
export interface HeadInput extends Freshness {
  /** The caller's checkpoint. */
  checkpoint: FromJson<Checkpoint>;
  /** The signed head, encoded. */
  head: Uint8Array;
  /** The path of the checkpoint's header in the head's history, hashes of 32 bytes. */
  inclusion: readonly Uint8Array[];
  /** The caller's time, in milliseconds since 1970. */
  now: bigint;
}

/** The input of {@link verifyAncestor}. */
export interface AncestorInput {
  /** The `encoded` header of an accepted head. */
  head: Uint8Array;
  /** The `encoded` older header. */
  header: Uint8Array;
  /** The path of the older header in the head's history, hashes of 32 bytes. */
  inclusion: readonly Uint8Array[];
  /** The height that the older header must have. Default: any. */
  height?: bigint | undefined;
}

/** The input of {@link verifyAncestors}. */
export interface AncestorsInput {
  /** The `encoded` header of an accepted head. */
  head: Uint8Array;
  /** The `encoded` older headers, in ascending order of their heights. */
  headers: readonly Uint8Array[];
  /** The hashes that prove the headers' places in the head's history, 32 bytes each. */
  hashes: readonly Uint8Array[];
}

/** The members of a {@link HeadInput}. */
export const HEAD = [
  "checkpoint",
  "head",
  "inclusion",
  "now",
  "maxClockSkew",
  "maxHeadAge",
] as const satisfies readonly (keyof HeadInput)[];

const HASHES = { length: 32 };

/** The most that a head may be ahead of the clock by default, in milliseconds. */
const MAX_CLOCK_SKEW = 30_000n;

/**
 * Accepts a signed head that extends the checkpoint.
 *
 * Throws a `VerifyError`: `untrusted` if too few authorities signed the head, or if it is of another chain, is behind
 * the checkpoint, does not have the checkpoint in its history, is from the future or is too old; `untrusted` /
 * `equivocation` if it is another header of the checkpoint's height; `malformed` if the bytes are not a signed header;
 * `invalid_input` for an invalid checkpoint.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#4-sync | The specification, chain 4}
 *
 * @example
 * ```ts
 * import { init, verifyHead } from "prooflight/chain";
 *
 * await init();
 * const freshness = { now: BigInt(Date.now()), maxHeadAge: 60_000n }; // at most a minute old
 * const head = verifyHead({ checkpoint, head: signedHead, inclusion, ...freshness });
 * console.log(head.height, head.roots.avl);
 * ```
 */
export function verifyHead(input: HeadInput): Header {
  const given = new Arguments(undefined, input, HEAD);
  const request = new Writer(1024);
  writeCheckpoint(request, readCheckpoint(given.unchecked("checkpoint")));
  writeItems(request, given.list("inclusion"), "inclusion", HASHES);
  request.u64(given.u64("now"));
  request.u64(given.optionalU64("maxClockSkew") ?? MAX_CLOCK_SKEW);
  const maxHeadAge = given.optionalU64("maxHeadAge");
  request.bool(maxHeadAge !== undefined);
  if (maxHeadAge !== undefined) request.u64(maxHeadAge);
  const head = given.proof("head");
  const packed = request.finish();
  return readHeader(hash.call(undefined, (wasm) => wasm.chainVerifyHead(packed, head)));
}

/**
 * Accepts an older header by its place in the history of a head that the caller has accepted.
 *
 * Throws `untrusted` / `not_an_ancestor` if the head's history has another header at that height, or if the header's
 * height is not `height`; `malformed` if the bytes are not headers.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#4-sync | The specification, chain 4}
 *
 * @example
 * ```ts
 * import { init, verifyAncestor } from "prooflight/chain";
 *
 * await init();
 * const ends = { head: head.encoded, header: older }; // `head` was accepted by verifyHead
 * const { timestampMs } = verifyAncestor({ ...ends, inclusion, height: 90n });
 * console.log("block 90 is of", new Date(Number(timestampMs)));
 * ```
 */
export function verifyAncestor(input: AncestorInput): Header {
  const given = new Arguments(undefined, input, ["head", "header", "inclusion", "height"]);
  const request = new Writer(1024);
  request.bytes(given.proof("head"));
  writeItems(request, given.list("inclusion"), "inclusion", HASHES);
  request.optionalU64(given.optionalU64("height"));
  const header = given.proof("header");
  const packed = request.finish();
  return readHeader(hash.call(undefined, (wasm) => wasm.chainVerifyAncestor(packed, header)));
}

/** An older header, and its path in a head's history. */
export interface Older {
  /** The encoded header. */
  header: Uint8Array;
  /** The path, hashes of 32 bytes. */
  path: readonly Uint8Array[];
}

/** The older header with its path. Throws `invalid_argument` if only one of them is given: neither is ever ignored. */
export function olderOf(
  header: Uint8Array | undefined,
  path: readonly Uint8Array[] | undefined,
): Older | undefined {
  if (header && path) return { header, path };
  if (!header && !path) return undefined;
  const [missing, given] = header ? ["path", "header"] : ["header", "path"];
  throw refuse("invalid_argument", `${missing} to be given with ${given}`, describe(undefined));
}

/** Accepts a signed head, and an older header in its history if one is given. Returns the older of the two. */
export function verifyHeadOrOlder(input: HeadInput, older: Older | undefined): Header {
  const head = verifyHead(input);
  return older ? ancestorOf(head, older) : head;
}

/** Accepts an older header of an accepted head's history. */
export function ancestorOf(head: Header, { header, path: inclusion }: Older): Header {
  return verifyAncestor({ head: head.encoded, header, inclusion });
}

/**
 * Accepts several older headers by their places in the history of a head that the caller has accepted.
 *
 * Throws `untrusted` / `not_an_ancestor` if the head's history has another header at one of the heights, or if the
 * headers are not in ascending order; `malformed` if the bytes are not headers.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#9-several-headers-of-one-history | The specification, chain 9}
 *
 * @example
 * ```ts
 * import { init, verifyAncestors } from "prooflight/chain";
 *
 * await init();
 * const received = { headers: [older, newer], hashes }; // ascending by height
 * const accepted = verifyAncestors({ head: head.encoded, ...received }); // of verifyHead
 * console.log(accepted.map(({ height }) => height)); // [90n, 120n]
 * ```
 */
export function verifyAncestors(input: AncestorsInput): Header[] {
  const given = new Arguments(undefined, input, ["head", "headers", "hashes"]);
  const request = new Writer(4096);
  request.bytes(given.proof("head"));
  const headers = given.list("headers");
  writeItems(request, headers, "headers");
  writeItems(request, given.list("hashes"), "hashes", HASHES);
  const packed = request.finish();
  const response = new Reader(hash.call(undefined, (wasm) => wasm.chainVerifyAncestors(packed)));
  return response.sequence(() => readHeader(response.bytes()));
}
