/** What a client verified, as JSON to verify again without a server. */

import { type Hex, type Quantity, toHex, toQuantity } from "../bytes.js";
import type { StateScheme } from "../chain/schemes.js";
import type { Older } from "../chain/sync.js";

/**
 * What a client verified with its proof and headers, as JSON, to verify later without a server from the checkpoint
 * that the client pinned.
 *
 * Each has the form of the vector type that `kind` names, without the members that only the verifier can know: the
 * checkpoint and the time.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/vectors.md#8-stateanswer | The specification, vectors 8, 22 and 23}
 */
export type Bundle = AnswerBundle | HistoryBundle | DiffBundle;

/** What every {@link Bundle} has. */
export interface SavedProof {
  /** The signed head. */
  head: Hex;
  /** The path of the checkpoint's header in the head's history. */
  inclusion: Hex[];
  /** The header whose root the proof is against, if it is not the head's. */
  header?: Hex;
  /** The path of `header` in the head's history. */
  path?: Hex[];
  /** The proof. */
  proof: Hex;
}

/**
 * An answer about keys.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/vectors.md#8-stateanswer | The specification, vectors 8}
 */
export interface AnswerBundle extends SavedProof {
  kind: "StateAnswer";
  scheme: StateScheme;
  /** The raw keys. */
  keys: Hex[];
}

/** What every {@link Bundle} about a range of blocks has. */
export interface SavedBlocks extends SavedProof {
  /** The scheme of the proof: `smt`, or `amb` for a history. */
  scheme: StateScheme;
  /** The headers of other blocks of the range. */
  headers: Hex[];
  /** The hashes that place `headers` in the history of `header`, or of the head. */
  hashes: Hex[];
  /** The last block. */
  to: Quantity;
}

/**
 * Every change of a key in a range of blocks.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/vectors.md#22-statehistory | The specification, vectors 22}
 */
export interface HistoryBundle extends SavedBlocks {
  kind: "StateHistory";
  /** The raw key. */
  key: Hex;
  /** The first block. */
  from: Quantity;
  /** Whether the values are averaged. */
  average?: true;
}

/**
 * Every key that changed in a range of blocks.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/vectors.md#23-statediff | The specification, vectors 23}
 */
export interface DiffBundle extends SavedBlocks {
  kind: "StateDiff";
  /** The block after which changes count; null if all do. */
  from: Quantity | null;
}

/**
 * How to write the bundles of a client's results. The results are plain data, which can be sent to a worker or page.
 */
const BUNDLES = new WeakMap<object, () => Bundle>();

/** Keeps the contents of a bundle of `given`. */
export function keepBundle(given: object, write: () => Bundle): void {
  BUNDLES.set(given, write);
}

/** Writes the bundle of a client's result; undefined for anything else. */
export function bundleOf(given: object): Bundle | undefined {
  return BUNDLES.get(given)?.();
}

/** What all bundles are made of, as bytes. */
interface Parts {
  head: Uint8Array;
  inclusion: readonly Uint8Array[];
  older: Older | undefined;
  proof: Uint8Array;
}

interface AnswerParts extends Parts {
  scheme: StateScheme;
  keys: readonly Uint8Array[];
}

/** What a bundle about a range of blocks is made of. */
export interface BlocksParts extends Parts {
  scheme: StateScheme;
  headers: readonly Uint8Array[];
  hashes: readonly Uint8Array[];
  to: bigint;
}

/** What a bundle with a history is made of. */
export interface HistoryParts extends BlocksParts {
  key: Uint8Array;
  from: bigint;
  average?: true;
}

/** Writes a bundle with answers. */
export function writeAnswerBundle({ scheme, keys, ...parts }: AnswerParts): AnswerBundle {
  const { head, ...rest } = saved(parts);
  return { kind: "StateAnswer", scheme, head, ...rest, keys: keys.map(hex) };
}

/** Writes a bundle with a history. */
export function writeHistoryBundle(parts: HistoryParts): HistoryBundle {
  const { key, from, average } = parts;
  return {
    kind: "StateHistory",
    ...savedBlocks(parts),
    key: hex(key),
    from: toQuantity(from),
    ...(average && { average }),
  };
}

/** Writes a bundle with a diff. */
export function writeDiffBundle(parts: BlocksParts & { from: bigint | null }): DiffBundle {
  const { from } = parts;
  return {
    kind: "StateDiff",
    ...savedBlocks(parts),
    from: from === null ? null : toQuantity(from),
  };
}

function savedBlocks({ scheme, headers, hashes, to, ...parts }: BlocksParts): SavedBlocks {
  return {
    scheme,
    ...saved(parts),
    headers: headers.map(hex),
    hashes: hashes.map(hex),
    to: toQuantity(to),
  };
}

function saved({ head, inclusion, older, proof }: Parts): SavedProof {
  return {
    head: hex(head),
    inclusion: inclusion.map(hex),
    ...(older && { header: hex(older.header), path: older.path.map(hex) }),
    proof: hex(proof),
  };
}

const hex = (bytes: Uint8Array) => toHex(bytes) as Hex;
