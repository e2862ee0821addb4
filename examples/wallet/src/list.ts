// The list of all accounts, verified to be complete: a part of it to show, or all of it in one walk.

import {
  type AmbEntry,
  type Bytes,
  type CountOptions,
  type Header,
  type LightClient,
  type RangeOptions,
  type RangePage,
  VerifyError,
} from "prooflight";

import { ACCOUNTS, readAmount } from "./account.js";
import { OF_LISTS } from "./scheme.js";

/** The most accounts that are shown together. */
export const SHOWN = 64;

/** The most accounts of a page; each is verified before the next one is requested. */
export const PAGE = 32;

/** At the newest block, an honest page has entries unless there are no more: deleted accounts take no room in it. */
const EMPTY_PAGES = 8;

/** What proofs cost. */
export interface Cost {
  pages: number;
  proofBytes: number;
  milliseconds: number;
}

/** Neighbours in the list, with none missing between them. */
export interface Part {
  entries: readonly AmbEntry[];
  /** The verified number of accounts before these, and of all accounts. */
  before: bigint;
  count: bigint;
  /** The first key after these; null if they are the last. */
  next: Bytes | null;
  cost: Cost;
  /** The block whose state it is, and the head whose root proves the pages. */
  block: Header;
  head: Header;
  server: string;
}

/** A walk through the whole list. It keeps sums, not the accounts. */
export interface Walk {
  state: "walking" | "complete" | "stopped" | "refused";
  accounts: bigint;
  /** The sum of their amounts, in cents. */
  total: bigint;
  /** The accounts whose values are not amounts. */
  others: bigint;
  cost: Cost;
  block?: Header;
  /** Why it was refused. */
  error?: VerifyError;
}

/** The list as the page shows it. */
export class AccountList {
  /** The last verified part. */
  part: Part | undefined;
  walk: Walk | undefined;
  /** Where the part to show and those before it begin, except for the first. */
  readonly #starts: Bytes[] = [];
  #walking: AbortController | undefined;

  /** Whether the part to show is the first. */
  get isFirst(): boolean {
    return this.#starts.length === 0;
  }

  /** Selects the part after the one shown, or the one before. */
  turn(to: "next" | "previous"): void {
    if (to === "previous") this.#starts.pop();
    else if (this.part?.next) this.#starts.push(this.part.next);
  }

  /** Reads the selected part at the newest block. Throws a `VerifyError`. */
  async read(client: LightClient, signal: AbortSignal): Promise<void> {
    this.part = await readPart(client, this.#starts.at(-1), signal);
  }

  /** Walks through all accounts at the newest block; calls back after every page and at the end. */
  async walkAll(client: LightClient, onChange: () => void): Promise<void> {
    this.stop();
    const stop = (this.#walking = new AbortController());
    const show = (walk: Walk) => {
      if (this.#walking !== stop) return;
      this.walk = walk;
      onChange();
    };
    let walk: Walk = { state: "walking", accounts: 0n, total: 0n, others: 0n, cost: FREE };
    show(walk);
    try {
      const { signal } = stop;
      for await (const page of client.range({ ...ACCOUNTS, scheme: OF_LISTS, signal })) {
        show((walk = withPage(walk, page)));
      }
    } catch (error) {
      if (stop.signal.aborted) return;
      if (!(error instanceof VerifyError)) throw error;
      show({ ...walk, state: "refused", error });
    }
  }

  /** Stops a walk. */
  stop(): void {
    this.#walking?.abort();
    this.#walking = undefined;
    if (this.walk?.state === "walking") this.walk = { ...this.walk, state: "stopped" };
  }
}

/** The sum of amounts in cents, and the number of values that are not amounts. */
export function sumOf(entries: readonly AmbEntry[]): { total: bigint; others: bigint } {
  const amounts = entries.map(({ value }) => readAmount(value));
  return {
    total: amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n),
    others: BigInt(amounts.filter((amount) => amount === undefined).length),
  };
}

async function readPart(
  client: LightClient,
  start: Bytes | undefined,
  signal: AbortSignal,
): Promise<Part> {
  const pages: RangePage[] = [];
  const question: RangeOptions = {
    ...ACCOUNTS,
    ...(start && { from: start }),
    scheme: OF_LISTS,
    limit: SHOWN,
    pageSize: PAGE,
    maxEmptyPages: EMPTY_PAGES,
    signal,
  };
  for await (const page of client.range(question)) pages.push(page);
  const last = pages.at(-1);
  if (!last) throw new Error("a range without a page");
  const { block, next, evidence } = last;
  // The number of all accounts, and that of the accounts before these, at the same block.
  const counted: CountOptions = { ...ACCOUNTS, scheme: OF_LISTS, at: block.height, signal };
  const all = await client.count(counted);
  const before = start && (await client.count({ ...counted, to: start }));
  const proofs = [all, ...(before ? [before] : []), ...pages];
  return {
    entries: pages.flatMap(({ entries }) => entries),
    before: before?.count ?? 0n,
    count: all.count,
    next,
    cost: { ...proofs.map(costOf).reduce(added), pages: pages.length },
    block,
    head: evidence.head,
    server: evidence.server,
  };
}

function withPage(walk: Walk, page: RangePage): Walk {
  const { total, others } = sumOf(page.entries);
  return {
    state: page.next === null ? "complete" : "walking",
    accounts: walk.accounts + BigInt(page.entries.length),
    total: walk.total + total,
    others: walk.others + others,
    cost: added(walk.cost, costOf(page)),
    block: page.block,
  };
}

const FREE: Cost = { pages: 0, proofBytes: 0, milliseconds: 0 };

const costOf = ({
  evidence: { proofBytes, milliseconds },
}: {
  evidence: Omit<Cost, "pages">;
}): Cost => ({ pages: 1, proofBytes, milliseconds });

const added = (one: Cost, other: Cost): Cost => ({
  pages: one.pages + other.pages,
  proofBytes: one.proofBytes + other.proofBytes,
  milliseconds: one.milliseconds + other.milliseconds,
});
