/** Filters and subscriptions: what is new since the last poll. */

import { refuse, VerifyError } from "../../error.js";
import type { Block } from "../../ethereum/blocks.js";
import type { Json } from "../../ethereum/decode.js";
import type { LogsQuery } from "../../ethereum/logs/query.js";
import type { ChainView } from "../../ethereum/view.js";
import { ProviderError } from "../error.js";
import { wrong } from "../request.js";
import type { Chain, Method, Parameters } from "./chain.js";
import { headerJson } from "./json.js";
import { filterAt, logsFor, logsOf } from "./logs.js";
import { OpenSet } from "./open-items.js";

/** A block that a filter has seen, and what it reported about it. */
export interface ReportedBlock {
  block: Block;
  reported: readonly Json[];
}

/** The blocks that a filter remembers, for reorganisations, and the logs of these blocks. */
const MAX_REPORTED_BLOCKS = 128;
const MAX_REPORTED_LOGS = 10_000;

/** The most blocks since the last poll. After more of them, a filter is gone. */
const MAX_NEW_BLOCKS = 1024;

/** The time in milliseconds after which a filter that is not polled is gone, as with geth. */
const FILTER_LIFETIME_MS = 5n * 60n * 1000n;

/** What a filter reports about a block that became canonical, or was replaced. */
export type Report = Json | string;

/** What a filter looks for. */
interface FilterKind {
  /** What a new block adds. */
  added: (view: ChainView, block: Block) => Promise<readonly Json[]>;
  /** What is reported about a block when it becomes canonical, or is removed. */
  report: (seen: ReportedBlock, removed: boolean) => readonly Report[];
}

/** New blocks by their hashes, or by their headers. */
const blockFilter = (write: (block: Block) => Report): FilterKind => ({
  added: () => Promise.resolve([]),
  report: ({ block }, removed) => (removed ? [] : [write(block)]),
});

const hashes = blockFilter(({ header }) => header.hash);
const headers = blockFilter(headerJson);

const logFilter = (question: LogsQuery): FilterKind => ({
  added: (view, { header }) => {
    const { from, to } = question;
    const before = typeof from === "bigint" && header.number < from;
    const after = typeof to === "bigint" && header.number > to;
    if (before || after) return Promise.resolve([]);
    return logsOf(view, { ...question, from: header.hash, to: header.hash });
  },
  report: ({ reported }, removed) => reported.map((log) => ({ ...log, removed })),
});

/** A filter, which reports each change once. */
export class Filter {
  readonly question: LogsQuery | undefined;
  readonly #kind: FilterKind;
  #reported: readonly ReportedBlock[];
  #lastPoll: Promise<unknown> = Promise.resolve();

  private constructor(kind: FilterKind, first: Block, question: LogsQuery | undefined) {
    this.#kind = kind;
    this.#reported = [{ block: first, reported: [] }];
    this.question = question;
  }

  static async open(chain: Chain, kind: FilterKind, question?: LogsQuery): Promise<Filter> {
    return new Filter(kind, await chain.ask((view) => view.block("latest")), question);
  }

  /** What changed since the last call. */
  async changes(chain: Chain): Promise<Report[]> {
    // Polls run one after another, so that no change is reported twice.
    const poll = this.#lastPoll.then(async () => {
      const { seen, reports } = await chain.ask((view) => this.#poll(view));
      this.#reported = seen;
      return reports;
    });
    this.#lastPoll = poll.catch(() => undefined);
    return poll;
  }

  async #poll(view: ChainView): Promise<{ seen: readonly ReportedBlock[]; reports: Report[] }> {
    const { added, report } = this.#kind;
    const latest = await view.block("latest");
    const { list, fork } = await newBlocks(view, this.#reported, latest);
    const isKept = ({ block }: ReportedBlock) => block.header.number <= fork.header.number;
    const kept = this.#reported.filter(isKept);
    const removed = this.#reported.filter((seen) => !isKept(seen));
    const more: ReportedBlock[] = [];
    for (const block of list) more.push({ block, reported: await added(view, block) });
    const reports = [
      ...removed.reverse().flatMap((seen) => report(seen, true)),
      ...more.flatMap((seen) => report(seen, false)),
    ];
    const before = kept.length > 0 ? kept : [{ block: fork, reported: [] }];
    return { seen: newestReported([...before, ...more]), reports };
  }
}

/** The newest blocks, as many as a filter may remember, but at least one. */
export function newestReported(seen: readonly ReportedBlock[]): readonly ReportedBlock[] {
  let [first, logs] = [seen.length, 0];
  while (first > 0 && seen.length - first < MAX_REPORTED_BLOCKS) {
    logs += seen[first - 1]?.reported.length ?? 0;
    if (logs > MAX_REPORTED_LOGS && first < seen.length) break;
    first -= 1;
  }
  return seen.slice(first);
}

/** The blocks of the head's chain after `fork`, its last seen block or an ancestor of all seen blocks. */
async function newBlocks(
  view: ChainView,
  seen: readonly ReportedBlock[],
  latest: Block,
): Promise<{ list: Block[]; fork: Block }> {
  const known = new Set(seen.map(({ block }) => block.header.hash));
  const list: Block[] = [];
  let [block, oldest] = [latest, seen[0]?.block ?? latest];
  for (;;) {
    // If all seen blocks have been replaced, the chains meet before the oldest of them.
    while (oldest.header.number > block.header.number) {
      if (known.size > MAX_NEW_BLOCKS) throw filterNotFound();
      oldest = await view.parent(oldest);
      known.add(oldest.header.hash);
    }
    if (known.has(block.header.hash)) return { list, fork: block };
    if (list.length > MAX_NEW_BLOCKS || block.header.number === 0n) throw filterNotFound();
    list.unshift(block);
    block = await view.parent(block);
  }
}

/** The open filters of a provider, each until it is not polled for {@link FILTER_LIFETIME_MS}. */
export class Filters {
  readonly #open = new OpenSet<{ filter: Filter; polledAt: bigint }>(
    "filters",
    "eth_uninstallFilter",
  );

  /** Opens a filter; returns its id. Throws `busy` if too many are open: none is closed that is still polled. */
  async open({ settings }: Chain, open: () => Promise<Filter>): Promise<string> {
    this.#expire(settings.now());
    return this.#open.open(async () => ({ filter: await open(), polledAt: settings.now() }));
  }

  get({ settings }: Chain, id: unknown): Filter {
    const now = settings.now();
    this.#expire(now);
    const item = this.#open.get(String(id));
    if (!item) throw filterNotFound();
    item.polledAt = now;
    return item.filter;
  }

  remove(id: unknown): boolean {
    return this.#open.remove(String(id)) !== undefined;
  }

  #expire(now: bigint): void {
    for (const [id, { polledAt }] of this.#open) {
      if (now - polledAt > FILTER_LIFETIME_MS) this.#open.remove(id);
    }
  }
}

/** The error of nodes for an unknown filter, after which libraries open another one. */
const filterNotFound = () =>
  new ProviderError(refuse("invalid_argument", "an open filter", "filter not found"), -32000);

/** The methods about filters. */
export function filterMethods(filters: Filters): [string, number, Method][] {
  return [
    [
      "eth_newFilter",
      1,
      (chain, params, name) => filters.open(chain, () => openLogs(chain, params, name, 0)),
    ],
    ["eth_newBlockFilter", 0, (chain) => filters.open(chain, () => Filter.open(chain, hashes))],
    [
      "eth_getFilterChanges",
      1,
      async (chain, [id]) => {
        try {
          return await filters.get(chain, id).changes(chain);
        } catch (error) {
          if (error instanceof ProviderError && error.code === -32000) filters.remove(id);
          throw error;
        }
      },
    ],
    [
      "eth_getFilterLogs",
      1,
      async (chain, params, name) => {
        const { question } = filters.get(chain, params[0]);
        if (!question) throw filterNotFound();
        return logsFor(chain, question, { method: name, params });
      },
    ],
    ["eth_uninstallFilter", 1, (_, [id]) => filters.remove(id)],
  ];
}

/** Opens a filter of new logs. */
export async function openLogs(
  chain: Chain,
  params: Parameters,
  name: string,
  index: number,
): Promise<Filter> {
  const question = filterAt(name, params, index);
  if (typeof question.from === "string" && question.from.startsWith("0x")) {
    throw wrong(name, "a range of blocks, of which new ones are reported", question.from);
  }
  return Filter.open(chain, logFilter(question), question);
}

/** Opens a filter of new headers. */
export const openHeaders = async (chain: Chain): Promise<Filter> => Filter.open(chain, headers);

/** Whether an error ends a filter: the filter is gone, or no answer about the chain can be trusted any more. */
export const endsFilter = (error: unknown): boolean =>
  error instanceof ProviderError
    ? error.code === -32000 && error.cause instanceof VerifyError
    : error instanceof VerifyError && error.reason === "conflicting_finality";
