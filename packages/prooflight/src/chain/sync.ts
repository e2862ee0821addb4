import { Arguments, invalid } from "../arguments.js";
import { BYTES, viewOf } from "../bytes.js";
import { describe } from "../error.js";
import { hash } from "../wasm/hash.js";
import { Writer } from "../wire.js";
import { type Checkpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.js";
import { type Header, readHeader } from "./header.js";

/** How fresh a head must be, by the caller's clock. */
export interface Freshness {
  /** How far ahead of `now` a head may be, in milliseconds. Default 30,000. */
  maxClockSkew?: bigint | undefined;
  /** How old a head may be, in milliseconds. Default: any age. */
  maxHeadAge?: bigint | undefined;
}

/** What {@link verifyHead} takes. */
export interface HeadInput extends Freshness {
  /** What the caller trusts. */
  checkpoint: Checkpoint;
  /** The signed head, encoded. */
  head: Uint8Array;
  /** The path of the checkpoint's header in the head's history, hashes of 32 bytes. */
  inclusion: readonly Uint8Array[];
  /** The caller's time, in milliseconds since 1970. */
  now: bigint;
}

/** What {@link verifyAncestor} takes. */
export interface AncestorInput {
  /** The `encoded` header of an accepted head. */
  head: Uint8Array;
  /** The `encoded` older header. */
  header: Uint8Array;
  /** The path of the older header in the head's history, hashes of 32 bytes. */
  inclusion: readonly Uint8Array[];
}

/** How far ahead of the clock a head may be unless the caller says otherwise, in milliseconds. */
const MAX_CLOCK_SKEW = 30_000n;

/**
 * Accepts a signed head that extends the checkpoint.
 *
 * Throws a `VerifyError`: `untrusted` if too few authorities signed it, it is of another chain,
 * behind the checkpoint, does not have it in its history, is another header of the same height
 * (`equivocation`), from the future or too old; `malformed` if the bytes are no signed header;
 * `invalid_input` for a checkpoint that no chain has. Source: `test-vectors/SPEC.md`, section "Sync".
 */
export function verifyHead(input: HeadInput): Header {
  const given = new Arguments(undefined, input, [
    "checkpoint",
    "head",
    "inclusion",
    "now",
    "maxClockSkew",
    "maxHeadAge",
  ]);
  const request = new Writer(1024);
  writeCheckpoint(request, readCheckpoint(given.unchecked("checkpoint")));
  writePath(request, given.list("inclusion"));
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
 * Throws `not_an_ancestor` if the head's history has another header at that height, `malformed` if
 * the bytes are no headers.
 */
export function verifyAncestor(input: AncestorInput): Header {
  const given = new Arguments(undefined, input, ["head", "header", "inclusion"]);
  const request = new Writer(1024);
  request.bytes(given.proof("head"));
  writePath(request, given.list("inclusion"));
  const header = given.proof("header");
  const packed = request.finish();
  return readHeader(hash.call(undefined, (wasm) => wasm.chainVerifyAncestor(packed, header)));
}

function writePath(writer: Writer, path: readonly unknown[]): void {
  writer.u32(path.length);
  path.forEach((given, index) => {
    const bytes = viewOf(given);
    if (!bytes) throw invalid(undefined, `inclusion[${index}]`, BYTES, describe(given));
    if (bytes.length !== 32) {
      throw invalid(undefined, `inclusion[${index}]`, "32 bytes", `${bytes.length} bytes`);
    }
    writer.array(bytes);
  });
}
