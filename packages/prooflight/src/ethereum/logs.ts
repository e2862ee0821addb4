/** The logs of a range of blocks, complete. */

import { invalid } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { notify } from "../client/callback.js";
import type { Server } from "../client/servers.js";
import { refuse } from "../error.js";
import type { Block, Blocks } from "./blocks.js";
import { FittingRange } from "./fitting.js";
import type { Follower } from "./follower.js";
import { type FoundLog, type Hashes, matching, placed, verifyLogs } from "./found-logs.js";
import type { Tips } from "./heads.js";
import type { LogsQuestion } from "./logs-question.js";
import type { LogsProgress, LogsSettings } from "./logs-settings.js";
import { receiptsOf } from "./receipts.js";

/** Receipts that are asked for at once. */
const AT_ONCE = 4;

/** The last block of a question's range, and the number of the first. */
export async function rangeOf(
  server: Server,
  blocks: Blocks,
  heads: Tips,
  { from, to }: LogsQuestion,
): Promise<{ first: bigint; last: Block }> {
  const last = await blocks.at(server, heads, to);
  const { number } = last.header;
  const first =
    typeof from === "bigint" ? from : (await blocks.at(server, heads, from)).header.number;
  if (first <= number) return { first, last };
  throw invalid(undefined, "from", `a block up to ${number}`, `block ${first}`);
}

/** All logs that the filter matches in the blocks of the range, and no others. */
export async function logs(
  server: Server,
  { blocks, bodies }: Pick<Follower, "blocks" | "bodies">,
  heads: Tips,
  question: LogsQuestion,
  { maxLogBytes, onLogsProgress }: LogsSettings,
): Promise<FoundLog[]> {
  const { filter } = question;
  const { first, last } = await rangeOf(server, blocks, heads, question);
  const { number } = last.header;
  const progress: Omit<LogsProgress, "bytes"> = {
    blocks: number - first + 1n,
    headers: 1,
    needed: undefined,
    receipts: 0,
  };
  /** Throws if the replies are too large; `fits` are the blocks that were read before. */
  const check = (fits: FittingRange | undefined) => {
    notify(onLogsProgress, { ...progress, bytes: server.received });
    if (server.received <= maxLogBytes) return;
    const expected = `logs of ${first} to ${number} in ${maxLogBytes} bytes`;
    const found = fits ? `more; ${fits.from} to ${fits.to} may fit` : "more in the first block";
    throw refuse("logs_too_large", expected, found, { cause: fits });
  };
  const range = await blocks.range(server, first, last, (reached) => {
    progress.headers = Number(number - reached) + 1;
    // Receipts take more than headers, so this many blocks are an upper bound.
    check(reached < number ? new FittingRange(reached + 1n, number) : undefined);
  });
  const receipts = new Map<Block, Bytes[]>();
  const needed = matching(filter, range);
  progress.needed = needed.length;
  const done = (count: number) => {
    const next = needed[count]?.header.number ?? number + 1n;
    return next > first ? new FittingRange(first, next - 1n) : undefined;
  };
  for (let at = 0; at < needed.length; at += AT_ONCE) {
    const some = needed.slice(at, at + AT_ONCE);
    const lists = await Promise.all(some.map((block) => receiptsOf(server, block)));
    some.forEach((block, index) => receipts.set(block, lists[index] ?? []));
    progress.receipts = receipts.size;
    check(done(at));
  }
  const found = verifyLogs(filter, range, receipts);
  const withMatches = new Set(found.map(({ blockNumber }) => blockNumber));
  const hashes: Hashes = new Map();
  for (const block of range.filter(({ header }) => withMatches.has(header.number))) {
    const { number } = block.header;
    hashes.set(number, (await bodies.of(server, block)).hashes);
    check(number > first ? new FittingRange(first, number - 1n) : undefined);
  }
  return placed(found, hashes);
}
