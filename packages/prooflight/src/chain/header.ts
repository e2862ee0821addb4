import { Arguments } from "../arguments.js";
import { type Bytes, copy } from "../bytes.js";
import { type Scheme, SCHEMES } from "../schemes.js";
import { hash } from "../wasm/hash.js";
import { Reader } from "../wire.js";

/**
 * The header of a block. It commits to the state after the block and to all earlier headers.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#1-formats | The specification, chain 1}
 */
export interface Header {
  /** BLAKE2b-256 of a tag and the encoding, 32 bytes. */
  hash: Bytes;
  /** The hash of the chain's configuration, 32 bytes. */
  chain: Bytes;
  /** 0 for genesis. */
  height: bigint;
  /** The hash of the parent's header; zeros for genesis. */
  parent: Bytes;
  /** Milliseconds since 1970. */
  timestampMs: bigint;
  /** The root over the block's operations, 32 bytes. */
  opsRoot: Bytes;
  /** The root over the hashes of all earlier headers, 32 bytes. */
  historyRoot: Bytes;
  /** The root of each of the chain's stores. */
  roots: Partial<Record<Scheme, Bytes>>;
  /** The header's borsh encoding, without signatures. */
  encoded: Bytes;
}

/** A copy of a header, which the receiver may change. */
export const copyHeader = (header: Header): Header => copy(header);

const HASH = 32;

/** The names of the schemes by their ids. */
const NAMES = new Map(Object.entries(SCHEMES).map(([name, { id }]) => [id, name as Scheme]));

/**
 * Decodes a signed header without checking its signatures: do not trust its contents.
 *
 * Throws `malformed` if the bytes are not a signed header, or more than 8 MiB.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#2-decoding | The specification, chain 2}
 *
 * @example
 * ```ts
 * import { decodeHeader, init } from "prooflight/chain";
 *
 * await init();
 * const { height } = decodeHeader(signedHead); // only a claim: verifyHead checks the signatures
 * console.log("the server is", height - BigInt(checkpoint.height), "blocks past the checkpoint");
 * ```
 */
export function decodeHeader(signed: Uint8Array): Header {
  const bytes = new Arguments(undefined, { signed }, ["signed"]).proof("signed");
  return readHeader(hash.call(undefined, (wasm) => wasm.chainDecodeHeader(bytes)));
}

/** Reads a `HeaderResponse`. */
export function readHeader(response: Bytes): Header {
  const hash = response.slice(0, HASH);
  const encoded = response.slice(HASH);
  const reader = new Reader(encoded);
  reader.u8(); // The version, which wasm has checked.
  const header = {
    hash,
    chain: reader.array(HASH),
    height: reader.u64(),
    parent: reader.array(HASH),
    timestampMs: reader.u64(),
    opsRoot: reader.array(HASH),
    historyRoot: reader.array(HASH),
    roots: {} as Header["roots"],
    encoded,
  };
  for (const [id, root] of reader.sequence(() => [reader.u8(), reader.bytes()] as const)) {
    const scheme = NAMES.get(id);
    if (scheme) header.roots[scheme] = root;
  }
  return header;
}
