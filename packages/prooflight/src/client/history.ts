/** Changes in ranges of blocks, with headers from the history of an accepted head. */

import { abortSignal, Arguments, invalid } from "../arguments.js";
import { type Bytes, toHex, toQuantity } from "../bytes.js";
import { copyHeader, type Header } from "../chain/header.js";
import {
  type BlockRangeInput,
  type ProvedDiff,
  type ProvedHistory,
  verifyDiff,
  verifyHistory,
} from "../chain/history.js";
import { keptScheme, type StateScheme } from "../chain/schemes.js";
import { describe, refuse } from "../error.js";
import type { KeyChange } from "../smt/diff.js";
import type { Average } from "../smt/twap.js";
import type { Absent, Present } from "../state.js";
import type { Server } from "../transport/servers.js";
import type { AuthenticBlock, ClientContext } from "./authentication.js";
import {
  type BlocksParts,
  type HistoryParts,
  keepBundle,
  writeDiffBundle,
  writeHistoryBundle,
} from "./bundle.js";
import { readAt, readKey, type RequestedBlock } from "./questions.js";
import {
  type HistoryReply,
  MAX_DIFF_HEADERS,
  MAX_HISTORY_HEADERS,
  readHistoryProof,
} from "./replies.js";

/** Options of {@link LightClient.history} and {@link LightClient.twap}. */
export interface HistoryOptions {
  /** The height of the first block of the range. */
  from: bigint;
  /** The last block of the range: the newest, or that of a height. Default `latest`. */
  to?: "latest" | bigint | undefined;
  /** The scheme that proves the history, `smt` or `amb`. Default: the first of them that the chain keeps. */
  scheme?: StateScheme | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link LightClient.diff}. */
export interface DiffOptions {
  /** The height of the block after which changes count; null for all changes, including those of genesis. */
  from: bigint | null;
  /** The last block whose changes count: the newest, or that of a height. Default `latest`. */
  to?: "latest" | bigint | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

/** A change of a key's value. */
export interface VerifiedChange {
  /** The header of the block that made the change. */
  block: Header;
  /** The new value; null if the key was deleted. */
  value: Bytes | null;
}

/** Every change of a key in a range of blocks. */
export interface VerifiedHistory {
  /** The raw key. */
  key: Bytes;
  /** The header of the first block of the range. */
  from: Header;
  /** The header of the last block of the range. */
  to: Header;
  /**
   * The key's state before the range; undefined with `smt` if the range's first block changed the key, which hides it.
   */
  entering: Present | Absent | undefined;
  /** Every change, the oldest first. */
  changes: VerifiedChange[];
}

/** Every change of a key in a range of blocks, and how this was verified. */
export interface History extends VerifiedHistory {
  /** How the answer was verified. */
  evidence: HistoryEvidence;
}

/** Every key that changed in a range of blocks. */
export interface VerifiedDiff {
  /** The height of the block after which changes count; null if all do. */
  from: bigint | null;
  /** The header of the last block whose changes count. */
  to: Header;
  /** The last change of each key, in the order of the keys' hashes. */
  changes: KeyChange[];
}

/** Every key that changed in a range of blocks, and how this was verified. */
export interface Diff extends VerifiedDiff {
  /** How the answer was verified. */
  evidence: HistoryEvidence;
}

/** A time-weighted average with its history; exact as the fraction `sum / coveredMs`. */
export interface TimeWeightedAverage extends Average {
  history: History;
}

/** How an answer about a range was verified. */
export interface HistoryEvidence {
  /** The scheme of the proof. */
  scheme: StateScheme;
  /** The accepted head. All blocks of the range are in its history; the last one may be the head itself. */
  head: Header;
  /** Bytes of the proof. */
  proofBytes: number;
  /** The number of headers that the proof needs. */
  headers: number;
  /** How long the verification took, in milliseconds. */
  milliseconds: number;
  /** The server that answered. */
  server: string;
}

/** Heights have 64 bits, so no block is after this one. */
const LAST_HEIGHT = (1n << 64n) - 1n;

/** Asks for a key's history and verifies it. */
export async function history(
  client: ClientContext,
  key: unknown,
  options: HistoryOptions,
): Promise<History> {
  const { history } = await ask(client, key, options, false);
  return history;
}

/** Asks for a key's history, verifies it, and averages the values. */
export async function twap(
  client: ClientContext,
  key: unknown,
  options: HistoryOptions,
): Promise<TimeWeightedAverage> {
  const { history, average, parts } = await ask(client, key, options, true);
  if (!average) throw refuse("bug", "an average", "none", { scheme: "smt" });
  const averaged = { ...average, history };
  keepBundle(averaged, () => writeHistoryBundle({ ...parts, average: true }));
  return averaged;
}

/** Asks which keys changed, and verifies the answer. */
export async function diff(client: ClientContext, options: DiffOptions): Promise<Diff> {
  const given = new Arguments(undefined, options, ["from", "to", "signal"]);
  const from = given.unchecked("from") === null ? null : given.u64("from");
  if (from === LAST_HEIGHT) throw invalid(undefined, "from", "below the last height", `${from}`);
  const first = from === null ? 0n : from + 1n;
  const to = readEnd(given.unchecked("to"), first);
  const params = { ...(from !== null && { from: toQuantity(from) }), to };
  const signal = abortSignal(given.unchecked("signal"));
  const scheme = keptScheme(client.trust.pinned.json.config, undefined, "diff");
  return client.servers.ask(async (server) => {
    const wanted = requestedHead(client, to, first);
    const reply = readHistoryProof(await server.call("prooflight_diff", params), MAX_DIFF_HEADERS);
    const range = await acceptBlocks(client, server, reply, { scheme, wanted, to });
    const proved = verifyDiff({ ...range.input, from });
    const diff = { ...diffOf(range, from, proved), evidence: evidenceOf(range, reply, server) };
    const parts = { ...partsOf(range, reply), from };
    keepBundle(diff, () => writeDiffBundle(parts));
    return diff;
  }, signal);
}

async function ask(
  client: ClientContext,
  key: unknown,
  options: HistoryOptions,
  average: boolean,
): Promise<{ history: History; average: Average | undefined; parts: HistoryParts }> {
  const given = new Arguments(undefined, options, ["from", "to", "scheme", "signal"]);
  const { config } = client.trust.pinned.json;
  const scheme = keptScheme(config, given.unchecked("scheme"), average ? "average" : "history");
  const from = given.u64("from");
  const to = readEnd(given.unchecked("to"), from);
  const signal = abortSignal(given.unchecked("signal"));
  const raw = readKey(key, config.limits);
  // Nodes take smt if none is named, where a chain keeps it.
  const named = scheme === "smt" ? {} : { scheme };
  const params = { key: toHex(raw), from: toQuantity(from), to, ...named };
  return client.servers.ask(async (server) => {
    const wanted = requestedHead(client, to, from);
    const reply = readHistoryProof(
      await server.call("prooflight_history", params),
      MAX_HISTORY_HEADERS,
    );
    const range = await acceptBlocks(client, server, reply, { scheme, wanted, to });
    const proved = verifyHistory({ ...range.input, key: raw, from, average });
    // The caller may write to the result.
    const history = {
      ...historyOf(range, { key: raw.slice(), from }, proved),
      evidence: evidenceOf(range, reply, server),
    };
    const parts = { ...partsOf(range, reply), key: raw, from };
    keepBundle(history, () => writeHistoryBundle(parts));
    return { history, average: proved.average, parts };
  }, signal);
}

/**
 * The required head of a range up to the newest block, before a server is asked: it must not be below the known
 * head, nor below the range's first block. For other ranges, any head will do.
 */
function requestedHead({ trust }: ClientContext, to: string, first: bigint): RequestedBlock {
  if (to !== "latest") return { at: undefined, newest: undefined };
  return { at: to, newest: trust.height > first ? trust.height : first };
}

/** A range whose head is accepted; all else of it is to be verified. */
export interface AcceptedBlocks {
  /** The head of the range. */
  head: Header;
  input: BlockRangeInput;
}

/** The same, of a server's reply. */
interface ServedBlocks extends AcceptedBlocks {
  /** What the client trusts the range's head by. */
  authentic: AuthenticBlock;
  /** When the verification began. */
  started: number;
}

async function acceptBlocks(
  client: ClientContext,
  server: Server,
  { head: signed, headers, hashes, proof }: HistoryReply,
  { scheme, wanted, to }: { scheme: StateScheme; wanted: RequestedBlock; to: string },
): Promise<ServedBlocks> {
  const authentic = await client.authentication.block(server, signed, wanted);
  const { block: head } = authentic;
  const { config } = client.trust.pinned.json;
  const last = to === "latest" ? undefined : BigInt(to);
  const input = { scheme, config, head: head.encoded, headers, hashes, to: last, proof };
  return { authentic, head, input, started: performance.now() };
}

/** What was proved of a key, with the headers of the blocks that it names. */
export function historyOf(
  range: AcceptedBlocks,
  { key, from }: { key: Bytes; from: bigint },
  { headers, history: { entering, changes } }: ProvedHistory,
): VerifiedHistory {
  const { headerOf, last } = headersOf(range, headers);
  return {
    key,
    from: headerOf(from),
    to: headerOf(last),
    entering,
    changes: changes.map(({ height, value }) => ({ block: headerOf(height), value })),
  };
}

/** What was proved of all keys, with the header of the last block. */
export function diffOf(
  range: AcceptedBlocks,
  from: bigint | null,
  { headers, changes }: ProvedDiff,
): VerifiedDiff {
  const { headerOf, last } = headersOf(range, headers);
  return { from, to: headerOf(last), changes };
}

/** The headers of a range that was verified, which found them to be all that it needs. */
function headersOf({ head, input }: AcceptedBlocks, headers: readonly Header[]) {
  const known = new Map([copyHeader(head), ...headers].map((header) => [header.height, header]));
  const headerOf = (height: bigint): Header => {
    const header = known.get(height);
    if (header) return header;
    throw refuse("bug", `the header of block ${height}`, "none", { scheme: input.scheme });
  };
  return { headerOf, last: input.to ?? head.height };
}

/** What a bundle has of a range. */
function partsOf({ authentic, head, input }: ServedBlocks, reply: HistoryReply): BlocksParts {
  const { accepted, older } = authentic;
  const { headers, hashes, proof } = reply;
  const { scheme } = input;
  const to = input.to ?? head.height;
  return {
    scheme,
    head: accepted.signed,
    inclusion: accepted.inclusion,
    older,
    headers,
    hashes,
    to,
    proof,
  };
}

function evidenceOf(
  { authentic, input, started }: ServedBlocks,
  { headers, proof }: HistoryReply,
  { name }: Server,
): HistoryEvidence {
  const milliseconds = performance.now() - started;
  const [head, counted] = [copyHeader(authentic.accepted.header), headers.length + 1];
  const { scheme } = input;
  return {
    scheme,
    head,
    proofBytes: proof.length,
    headers: counted,
    milliseconds,
    server: name,
  };
}

/** The JSON-RPC parameter for the last block of a range, which is at least `first`. */
function readEnd(to: unknown, first: bigint): string {
  if (to === undefined || to === "latest") return "latest";
  if (typeof to !== "bigint") throw invalid(undefined, "to", "latest or a bigint", describe(to));
  if (to < first) throw invalid(undefined, "to", `at least ${first}`, `${to}`);
  return readAt(to);
}
