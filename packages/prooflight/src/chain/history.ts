/** Statements about ranges of blocks, with the headers that they need, from an accepted head's history. */

import { Arguments } from "../arguments.js";
import { writeItems } from "../limits.js";
import { SCHEMES } from "../schemes.js";
import { type KeyChange, readChanges } from "../smt/diff.js";
import { type KeyHistory, readHistory } from "../smt/history.js";
import { type Average, readAverage } from "../smt/twap.js";
import { Reader, Writer } from "../wire.js";
import { type ChainConfig, writeConfig } from "./checkpoint.js";
import { type Header, readHeader } from "./header.js";
import { callState, type StateScheme } from "./schemes.js";
import { STATEMENT } from "./state.js";

/** The headers of a range, its last block, and the proof. */
export interface BlockRangeInput {
  /** The scheme that proves the statement. */
  scheme: StateScheme;
  /** The configuration of the chain, from the caller's own checkpoint. */
  config: ChainConfig;
  /** The `encoded` header of an accepted head. */
  head: Uint8Array;
  /** The `encoded` older headers, in ascending order of their heights. */
  headers: readonly Uint8Array[];
  /** The hashes that prove their places in the head's history, 32 bytes each. */
  hashes: readonly Uint8Array[];
  /** The last block of the range. Default: the head's. */
  to: bigint | undefined;
  /** The proof. */
  proof: Uint8Array;
}

/** A key's history, the headers that it needs, and the average on request. */
export interface ProvedHistory {
  headers: Header[];
  history: KeyHistory;
  average: Average | undefined;
}

/** Verifies every change of a key in a range of blocks, and averages its values on request. */
export function verifyHistory(
  input: BlockRangeInput & { key: Uint8Array; from: bigint; average: boolean },
): ProvedHistory {
  const request = new Writer(4096);
  request.u8(STATEMENT.history);
  request.u8(SCHEMES[input.scheme].id);
  writeHeaders(request, input);
  request.bytes(input.key);
  request.u64(input.from);
  request.optionalU64(input.to);
  request.bool(input.average);
  const response = send(request, input);
  const headers = readHeaders(response);
  const history = readHistory(response);
  const average = response.u8() === 0 ? undefined : readAverage(response);
  return { headers, history, average };
}

/** The keys that changed, and the headers that the proof needs. */
export interface ProvedDiff {
  headers: Header[];
  changes: KeyChange[];
}

/** Verifies which keys changed after block `from` and up to block `to`; all keys if `from` is null. */
export function verifyDiff(input: BlockRangeInput & { from: bigint | null }): ProvedDiff {
  const request = new Writer(4096);
  request.u8(STATEMENT.diff);
  writeHeaders(request, input);
  request.optionalU64(input.from ?? undefined);
  request.optionalU64(input.to);
  const response = send(request, input);
  return { headers: readHeaders(response), changes: readChanges(response) };
}

function writeHeaders(
  request: Writer,
  { scheme, config, head, headers, hashes }: BlockRangeInput,
): void {
  writeConfig(request, config);
  request.bytes(head);
  writeItems(request, headers, "headers", { scheme });
  writeItems(request, hashes, "hashes", { scheme, length: 32 });
}

function send(request: Writer, { scheme, proof: given }: BlockRangeInput): Reader {
  const proof = new Arguments(scheme, { proof: given }, ["proof"]).proof("proof");
  return new Reader(callState(scheme, request.finish(), proof));
}

const readHeaders = (response: Reader): Header[] =>
  response.sequence(() => readHeader(response.bytes()));
