/** The logs of a range of blocks, complete. */

import { notify } from "../../arguments.js";
import type { Bytes } from "../../bytes.js";
import { refuse } from "../../error.js";
import type { Block } from "../blocks.js";
import type { LogsProgress } from "../options.js";
import { receiptsOf } from "../receipts.js";
import type { ChainView } from "../view.js";
import { type LogsQuery, rangeOf } from "./query.js";
import {
  blocksThatMayMatch,
  type FoundLog,
  type TransactionHashes,
  verifyLogs,
  withTransactionHashes,
} from "./verify.js";

/** The most blocks whose receipts are asked for at once. */
const MAX_CONCURRENT_BLOCKS = 4;

/** All logs that the filter matches in the blocks of the range, and no others. */
export async function logs(view: ChainView, question: LogsQuery): Promise<FoundLog[]> {
  const { server, settings } = view;
  const { maxLogBytes, onLogsProgress } = settings;
  const { filter } = question;
  const { first, last } = await rangeOf(view, question);
  const { number } = last.header;
  const progress: Omit<LogsProgress, "bytes"> = {
    blocks: number - first + 1n,
    headers: 1,
    needed: undefined,
    receipts: 0,
  };
  /** Throws if the replies are too large; `fits` are the blocks that were read before. */
  const check = (fits: FittingBlocks | undefined) => {
    notify(onLogsProgress, { ...progress, bytes: server.received });
    if (server.received <= maxLogBytes) return;
    const expected = `logs of ${first} to ${number} in ${maxLogBytes} bytes`;
    const found = fits ? `more; ${fits.from} to ${fits.to} may fit` : "more in the first block";
    throw refuse("logs_too_large", expected, found, { cause: fits });
  };
  const range = await view.range(first, last, (reached) => {
    progress.headers = Number(number - reached) + 1;
    // Receipts take more than headers, so this many blocks are an upper bound.
    check(reached < number ? new FittingBlocks(reached + 1n, number) : undefined);
  });
  const receipts = new Map<Block, Bytes[]>();
  const needed = blocksThatMayMatch(filter, range);
  progress.needed = needed.length;
  const fittingBefore = (count: number) => {
    const next = needed[count]?.header.number ?? number + 1n;
    return next > first ? new FittingBlocks(first, next - 1n) : undefined;
  };
  for (let start = 0; start < needed.length; start += MAX_CONCURRENT_BLOCKS) {
    const some = needed.slice(start, start + MAX_CONCURRENT_BLOCKS);
    const lists = await Promise.all(some.map((block) => receiptsOf(server, block)));
    some.forEach((block, index) => receipts.set(block, lists[index] ?? []));
    progress.receipts = receipts.size;
    check(fittingBefore(start));
  }
  const found = verifyLogs(filter, range, receipts);
  const withMatches = new Set(found.map(({ blockNumber }) => blockNumber));
  const hashes: TransactionHashes = new Map();
  for (const block of range.filter(({ header }) => withMatches.has(header.number))) {
    const { number } = block.header;
    hashes.set(number, (await view.body(block)).hashes);
    check(number > first ? new FittingBlocks(first, number - 1n) : undefined);
  }
  return withTransactionHashes(found, hashes);
}

/** Blocks whose logs may fit into the limit: the cause of `logs_too_large`. */
export class FittingBlocks {
  readonly from: bigint;
  readonly to: bigint;

  constructor(from: bigint, to: bigint) {
    this.from = from;
    this.to = to;
  }

  /** The range in an error, or in one of several servers' errors. */
  static in({ cause }: Error): FittingBlocks | undefined {
    if (cause instanceof FittingBlocks) return cause;
    if (!(cause instanceof AggregateError)) return undefined;
    return cause.errors.map((error) => FittingBlocks.in(error as Error)).find((range) => range);
  }
}
