/** The logs of a range of blocks, complete. */

import { Arguments, invalid } from "../arguments.js";
import { type Bytes, fromHex, type Hex, toHex } from "../bytes.js";
import type { Server } from "../client/servers.js";
import { abortSignal } from "../client/options.js";
import { describe, refuse } from "../error.js";
import { type BytesLike, bytesLike } from "../mpt/bytes.js";
import { ethereum } from "../wasm/ethereum.js";
import { Reader, Writer } from "../wire.js";
import { type Block, type Blocks } from "./blocks.js";
import type { Heads } from "./heads.js";
import type { BlockName } from "./options.js";
import { blockName } from "./questions.js";
import { type Log, readLog, receiptsOf } from "./transactions.js";

/** A question about logs. */
export interface LogsOptions {
  /** The contract, or several. Default: any. */
  address?: BytesLike | readonly BytesLike[] | undefined;
  /** For each position, the topic, several, or `null` for any. Default: any. */
  topics?: readonly (BytesLike | readonly BytesLike[] | null)[] | undefined;
  /** The first block. Default `latest`. */
  from?: BlockName | undefined;
  /** The last block. Default `latest`. */
  to?: BlockName | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

/** A log that a filter found, with its block's time in seconds since 1970. */
export interface FoundLog extends Log {
  blockTimestamp: bigint;
}

/** A checked question. */
export interface LogsQuestion {
  filter: Bytes;
  from: BlockName;
  to: BlockName;
  signal: AbortSignal | undefined;
}

/** Checks a question; throws `invalid_argument`. */
export function readLogsOptions(options: LogsOptions): LogsQuestion {
  const names = ["address", "topics", "from", "to", "signal"] as const;
  const given = new Arguments(undefined, options, names);
  const filter = new Writer();
  writeOneOf(filter, given.unchecked("address"), "address", 20);
  const topics = given.unchecked("topics") === undefined ? [] : given.list("topics");
  filter.u32(topics.length);
  topics.forEach((topic, index) => {
    writeOneOf(filter, topic ?? undefined, `topics[${index}]`, 32);
  });
  return {
    filter: filter.finish(),
    from: blockName(given.unchecked("from"), "from"),
    to: blockName(given.unchecked("to"), "to"),
    signal: abortSignal(given.unchecked("signal")),
  };
}

/** Writes the accepted values of a part of a filter; none for any. */
function writeOneOf(filter: Writer, given: unknown, name: string, length: number): void {
  const list: readonly unknown[] =
    given === undefined ? [] : Array.isArray(given) ? given : [given];
  if (list.length > MOST_VALUES) {
    throw invalid(undefined, name, `at most ${MOST_VALUES} values`, describe(list.length));
  }
  filter.sequence(list, (value) => {
    filter.array(bytesLike(value, name, length));
  });
}

/** Values of one part of a filter. */
const MOST_VALUES = 1024;

/** Receipts that are asked for at once. */
const AT_ONCE = 4;

/** All logs that the filter matches in the blocks of the range, and no others. */
export async function logs(
  server: Server,
  blocks: Blocks,
  heads: Heads,
  { filter, from, to }: LogsQuestion,
  maxBytes: number,
): Promise<FoundLog[]> {
  const last = await blocks.at(server, heads, to);
  const first =
    typeof from === "bigint" ? from : (await blocks.at(server, heads, from)).header.number;
  const { number } = last.header;
  if (first > number) {
    throw invalid(undefined, "from", `a block up to ${number}`, `block ${first}`);
  }
  const check = (done: () => string) => {
    if (server.received <= maxBytes) return;
    throw refuse("logs_too_large", `logs of ${first} to ${number} in ${maxBytes} bytes`, done());
  };
  const range = await blocks.range(server, first, last, () => {
    check(() => "more for their headers alone");
  });
  const needed = matching(filter, range);
  const receipts = new Map<Block, Bytes[]>();
  for (let at = 0; at < needed.length; at += AT_ONCE) {
    const some = needed.slice(at, at + AT_ONCE);
    const lists = await Promise.all(some.map((block) => receiptsOf(server, block)));
    some.forEach((block, index) => receipts.set(block, lists[index] ?? []));
    check(() => `more after ${receipts.size} of ${needed.length} blocks that may have some`);
  }
  return verify(filter, range, receipts);
}

/** The blocks whose blooms do not exclude a match. */
function matching(filter: Bytes, range: readonly Block[]): Block[] {
  const request = new Writer(512 * range.length);
  request.array(filter);
  request.sequence(range, ({ header }) => {
    request.array(fromHex(header.logsBloom));
  });
  const packed = request.finish();
  const may = ethereum.call(undefined, (wasm) => wasm.ethMayMatch(packed));
  return range.filter((_, index) => may[index] === 1);
}

function verify(
  filter: Bytes,
  range: readonly [Block, ...Block[]],
  receipts: ReadonlyMap<Block, Bytes[]>,
): FoundLog[] {
  const [first] = range;
  const last = range.at(-1) ?? first;
  const request = new Writer(1 << 20);
  request.array(last.hash);
  request.u64(first.header.number);
  request.u64(last.header.number);
  request.array(filter);
  request.sequence(range, (block) => {
    request.bytes(block.rlp);
    const list = receipts.get(block);
    request.bool(list !== undefined);
    if (list) {
      request.sequence(list, (item) => {
        request.bytes(item);
      });
    }
  });
  const packed = request.finish();
  const reader = new Reader(ethereum.call(undefined, (wasm) => wasm.ethVerifyLogs(packed)));
  return reader.sequence(() => ({
    blockHash: toHex(reader.array(32)) as Hex,
    blockNumber: reader.u64(),
    blockTimestamp: reader.u64(),
    transactionIndex: Number(reader.u64()),
    logIndex: Number(reader.u64()),
    ...readLog(reader),
  }));
}
