/** All keys of a range with their values, page by page, and their number. */

import type { AmbEntry } from "../amb/page.js";
import { abortSignal, Arguments, invalid } from "../arguments.js";
import { type Bytes, toHex, toQuantity } from "../bytes.js";
import type { ChainConfig } from "../chain/checkpoint.js";
import { copyHeader, type Header } from "../chain/header.js";
import { initScheme, keptScheme, type StateScheme } from "../chain/schemes.js";
import { verifyStateCount, verifyStateRange } from "../chain/state.js";
import { describe, refuse } from "../error.js";
import type { Server } from "../transport/servers.js";
import type { ClientContext } from "./authentication.js";
import { askHead, askOlderHead, blockAt, type HeadCall } from "./past.js";
import { type At, type Key, readAt, readBound, type RequestedBlock } from "./questions.js";
import { readStateProof } from "./replies.js";

/** Which keys a question is about; without any of these members, all of the state. */
export interface KeyRange {
  /** The first key that may be in the range. Default: no key is before it. */
  from?: Key | undefined;
  /** The first key after the range. Default: the range has no end. */
  to?: Key | undefined;
  /** The prefix of all keys of the range; instead of `from` and `to`. */
  prefix?: Key | undefined;
}

/** Options of {@link LightClient.range}. */
export interface RangeOptions extends KeyRange {
  /** The scheme that proves the pages, `amb`. Default: the first that the chain keeps and that proves ranges. */
  scheme?: StateScheme | undefined;
  /** The block whose state is listed. Default `latest`. */
  at?: At | undefined;
  /** Whether the keys come in descending order. Default: no. */
  reverse?: boolean | undefined;
  /** The most entries of all pages together. Default: no limit. */
  limit?: number | undefined;
  /** The most entries of a page, at most 4096. Default 1024. */
  pageSize?: number | undefined;
  /**
   * The most consecutive pages that a server may send without opening a key, or in addition to the keys that it has
   * opened. A key that was written or deleted after the block is opened, too. Default 64.
   */
  maxEmptyPages?: number | undefined;
  /** Ends the walk. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link LightClient.count}. */
export interface CountOptions extends KeyRange {
  /** The scheme that proves the count, `amb`. Default: the first that the chain keeps and that proves counts. */
  scheme?: StateScheme | undefined;
  /** The block whose keys are counted; servers can prove this only for recent blocks. Default `latest`. */
  at?: At | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

/** A page of a range: all keys up to `next`, none missing. */
export interface RangePage {
  /**
   * The entries, ascending by key; descending with `reverse`. A page may have no entries: at an old block it also
   * proves that keys written later did not exist yet.
   */
  entries: AmbEntry[];
  /** The `from` of the next page, or its `to` in descending order. Null after the last page. */
  next: Bytes | null;
  /** The header of the listed block, the same for all pages of a walk. */
  block: Header;
  /** How the page was verified. */
  evidence: RangeEvidence;
}

/** The number of keys of a range. */
export interface Count {
  count: bigint;
  /** The header of the block whose state was counted. */
  block: Header;
  /** How the count was verified. */
  evidence: RangeEvidence;
}

/** How a page or a count was verified. */
export interface RangeEvidence {
  /** The scheme of the proof. */
  scheme: StateScheme;
  /** The accepted head. For pages, its root proves every page of the walk. */
  head: Header;
  /** Bytes of the proof. */
  proofBytes: number;
  /** How long the verification took, in milliseconds. */
  milliseconds: number;
  /** The server that answered. */
  server: string;
}

/** The most entries of a page. */
const MAX_PAGE_ENTRIES = 4096;
const DEFAULT_PAGE_ENTRIES = 1024;
const MAX_EMPTY_PAGES = 64;

/** The arguments of a walk, checked. */
interface RangeWalk {
  scheme: StateScheme;
  config: ChainConfig;
  /** What is left of the range. */
  lo: Bytes;
  hi: Bytes | null;
  at: string;
  reverse: boolean;
  limit: number;
  pageSize: number;
  maxEmptyPages: number;
  signal: AbortSignal | undefined;
}

/** The blocks that all pages of a walk share. */
interface WalkBlocks {
  head: Header;
  block: Header;
}

/** Lists the keys of a range, one verified page after another. Checks the options immediately. */
export function range(
  client: ClientContext,
  options: RangeOptions,
): AsyncGenerator<RangePage, void, undefined> {
  const names = [
    ...(["from", "to", "prefix", "scheme", "at", "reverse"] as const),
    ...(["limit", "pageSize", "maxEmptyPages", "signal"] as const),
  ];
  const given = new Arguments(undefined, options, names);
  const { config } = client.trust.pinned.json;
  return walk(client, {
    scheme: keptScheme(config, given.unchecked("scheme"), "range"),
    config,
    ...boundsOf(given),
    at: readAt(given.unchecked("at") ?? "latest"),
    reverse: given.optionalBoolean("reverse") ?? false,
    limit: countOf(given, "limit", Infinity) ?? Infinity,
    pageSize: countOf(given, "pageSize", MAX_PAGE_ENTRIES) ?? DEFAULT_PAGE_ENTRIES,
    maxEmptyPages: given.optionalU32("maxEmptyPages") ?? MAX_EMPTY_PAGES,
    signal: abortSignal(given.unchecked("signal")),
  });
}

async function* walk(
  client: ClientContext,
  asked: RangeWalk,
): AsyncGenerator<RangePage, void, undefined> {
  await initScheme(asked.scheme);
  const credits = new EmptyPageAllowance(asked.maxEmptyPages);
  let { lo, hi, limit: left } = asked;
  let pageSize = Math.min(asked.pageSize, left);
  let place: WalkBlocks | undefined;
  for (;;) {
    const question = { ...asked, lo, hi, pageSize };
    const { page, at } = await client.servers.ask(async (server) => {
      const answer = await pageOf(client, server, question, place);
      credits.spend(server, answer.page);
      return answer;
    }, asked.signal);
    place = at;
    const { entries, next } = upTo(left, page, asked.reverse);
    left -= entries.length;
    const { block, head } = at;
    const evidence = { ...page.evidence, head: copyHeader(head) };
    yield { entries, next: next?.slice() ?? null, block: copyHeader(block), evidence };
    // Two histories may have been seen since the last page was sent.
    client.trust.check();
    if (next === null || left === 0) return;
    // A page also opens the keys that were written after the block, which answer nothing.
    const wanted = block.height === head.height ? left : 2 * pageSize;
    pageSize = Math.min(asked.pageSize, wanted);
    if (asked.reverse) hi = next;
    else lo = next;
  }
}

/** One page of one server. */
async function pageOf(
  client: ClientContext,
  server: Server,
  { scheme, config, lo, hi, at, reverse, pageSize }: RangeWalk,
  place: WalkBlocks | undefined,
) {
  const call: HeadCall = {
    method: "prooflight_range",
    params: {
      ...{ lo: toHex(lo), ...(hi && { hi: toHex(hi) }), reverse, limit: pageSize },
      at: place ? toQuantity(place.block.height) : at,
    },
  };
  const placed = place
    ? { ...place, proof: await askOlderHead(server, place.head, call) }
    : await firstPage(client, server, call, at);
  const { head, block, proof } = placed;
  const started = performance.now();
  const { encoded: header } = head;
  const height = block.height;
  const page = verifyStateRange({ scheme, config, header, at: height, lo, hi, reverse, proof });
  const milliseconds = performance.now() - started;
  const evidence = { scheme, proofBytes: proof.length, milliseconds, server: server.name };
  return { page: { ...page, evidence }, at: { head, block } };
}

/** The first page decides whose root proves all of them. */
async function firstPage(client: ClientContext, server: Server, call: HeadCall, at: string) {
  const { head, proof } = await askHead(client, server, call);
  const { block } = await blockAt(client, server, head.header, at);
  return { head: head.header, block, proof };
}

/** At most the first `left` entries of a page, and the bound at which the range continues. */
function upTo(
  left: number,
  { entries, next }: { entries: AmbEntry[]; next: Bytes | null },
  reverse: boolean,
): { entries: AmbEntry[]; next: Bytes | null } {
  const last = entries[left - 1];
  if (!last || entries.length <= left) return { entries, next };
  return { entries: entries.slice(0, left), next: reverse ? last.key : after(last.key) };
}

/** The first key after another. */
function after(key: Bytes): Bytes {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}

/**
 * How many more pages that open no key each server may send. An honest server cuts a page after opening as many keys as
 * were asked for, or after 2 MiB; one that cuts where nothing is opened could make a walk endless. Keys that are opened
 * are bound by the root, whether they answer something or not, so a server cannot make them up.
 */
class EmptyPageAllowance {
  readonly #most: number;
  readonly #left = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Throws `too_many_pages` if the server has no credit left for another page without a key. The last one is free. */
  spend({ name }: Server, { opened, next }: { opened: number; next: Bytes | null }): void {
    if (next === null) return;
    const left = this.#left.get(name) ?? this.#most;
    if (opened > 0) {
      this.#left.set(name, Math.min(this.#most, left + opened));
      return;
    }
    if (left === 0) {
      const expected = `a key opened in one of ${this.#most + 1} pages`;
      throw refuse("too_many_pages", expected, "none");
    }
    this.#left.set(name, left - 1);
  }
}

/** Counts the keys of a range, verified. */
export async function count(client: ClientContext, options: CountOptions): Promise<Count> {
  const names = ["from", "to", "prefix", "scheme", "at", "signal"] as const;
  const given = new Arguments(undefined, options, names);
  const { trust, authentication } = client;
  const { config } = trust.pinned.json;
  const scheme = keptScheme(config, given.unchecked("scheme"), "count");
  const { lo, hi } = boundsOf(given);
  const at = readAt(given.unchecked("at") ?? "latest");
  const signal = abortSignal(given.unchecked("signal"));
  const params = { lo: toHex(lo), ...(hi && { hi: toHex(hi) }), at };
  await initScheme(scheme);
  return client.servers.ask(async (server) => {
    const wanted: RequestedBlock =
      at === "latest" ? { at, newest: trust.height } : { at, newest: undefined };
    const { header, proof } = readStateProof(await server.call("prooflight_count", params));
    const { block, accepted } = await authentication.block(server, header, wanted);
    const started = performance.now();
    const count = verifyStateCount({ scheme, config, header: block.encoded, lo, hi, proof });
    const milliseconds = performance.now() - started;
    const head = copyHeader(accepted.header);
    const proofBytes = proof.length;
    const evidence = { scheme, head, proofBytes, milliseconds, server: server.name };
    return { count, block: copyHeader(block), evidence };
  }, signal);
}

/** The bounds of a range. */
/** The bounds of a range of keys, checked; throws `invalid_argument`. */
export function boundsOf<Name extends string>(
  given: Arguments<Name | keyof KeyRange>,
): Pick<RangeWalk, "lo" | "hi"> {
  const [from, to, prefix] = (["from", "to", "prefix"] as const).map((name) => {
    const bound = given.unchecked(name);
    return bound === undefined ? undefined : readBound(bound, name);
  });
  if (prefix && (from ?? to)) {
    throw invalid(undefined, "prefix", "alone, without from and to", "one of them");
  }
  const lo = prefix ?? from ?? new Uint8Array();
  const hi = (prefix ? afterAll(prefix) : to) ?? null;
  if (hi && !isBefore(lo, hi)) {
    throw invalid(undefined, "from", `before to, ${toHex(hi)}`, toHex(lo));
  }
  return { lo, hi };
}

/** The first key after all keys with a prefix; undefined if there is none. */
function afterAll(prefix: Bytes): Bytes | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  const next = prefix.slice(0, length);
  const last = next[length - 1];
  if (last === undefined) return undefined;
  next[length - 1] = last + 1;
  return next;
}

/** Whether one key comes before another. */
function isBefore(one: Bytes, other: Bytes): boolean {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  const [byte, against] = [one[at], other[at]];
  if (byte === undefined) return one.length < other.length;
  return against !== undefined && byte < against;
}

function countOf<Name extends string>(
  given: Arguments<Name>,
  name: Name,
  most: number,
): number | undefined {
  const value = given.unchecked(name);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value <= most) {
    return value;
  }
  const expected = most === Infinity ? "an integer above 0" : `an integer of 1 to ${most}`;
  throw invalid(undefined, name, expected, describe(value));
}
