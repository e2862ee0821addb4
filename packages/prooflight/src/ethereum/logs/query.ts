/** Queries for logs: their options, checked, and the blocks that they are about. */

import { abortSignal, Arguments, invalid, itemsOf } from "../../arguments.js";
import { type Bytes, type Hex, toHex } from "../../bytes.js";
import { describe } from "../../error.js";
import { type BytesLike, bytesLike } from "../../mpt/bytes.js";
import { Writer } from "../../wire.js";
import type { Block } from "../blocks.js";
import { type BlockName, blockName } from "../options.js";
import type { ChainView } from "../view.js";

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

/** A checked question. */
export interface LogsQuery {
  filter: Bytes;
  /** The filter as servers take it, without the range. */
  asked: { address?: Hex[]; topics: (Hex[] | null)[] };
  from: BlockName;
  to: BlockName;
  signal: AbortSignal | undefined;
}

/** Checks a question; throws `invalid_argument`. */
export function readLogsOptions(options: LogsOptions): LogsQuery {
  const names = ["address", "topics", "from", "to", "signal"] as const;
  const given = new Arguments(undefined, options, names);
  const addresses = filterValues(given.unchecked("address"), "address", 20);
  const list = given.unchecked("topics") === undefined ? [] : given.list("topics");
  const topics = list.map((topic, index) =>
    filterValues(topic ?? undefined, `topics[${index}]`, 32),
  );
  const filter = new Writer();
  const write = (values: readonly Uint8Array[]) => {
    filter.sequence(values, (value) => {
      filter.array(value);
    });
  };
  write(addresses);
  filter.u32(topics.length);
  topics.forEach(write);
  const hex = (values: readonly Uint8Array[]) => values.map((value) => toHex(value) as Hex);
  return {
    filter: filter.finish(),
    asked: {
      ...(addresses.length > 0 && { address: hex(addresses) }),
      topics: topics.map((values) => (values.length > 0 ? hex(values) : null)),
    },
    from: blockName(given.unchecked("from"), "from"),
    to: blockName(given.unchecked("to"), "to"),
    signal: abortSignal(given.unchecked("signal")),
  };
}

/** The accepted values of a part of a filter, copied since the caller may change them; none if any is accepted. */
function filterValues(given: unknown, name: string, length: number): Uint8Array[] {
  const single = given === undefined ? [] : [given];
  const list = Array.isArray(given) ? itemsOf(undefined, given, name) : single;
  if (list.length <= MAX_FILTER_VALUES) {
    return list.map((value) => bytesLike(value, name, length).slice());
  }
  throw invalid(undefined, name, `at most ${MAX_FILTER_VALUES} values`, describe(list.length));
}

/** The most values of one part of a filter. */
const MAX_FILTER_VALUES = 1024;

/** The last block of a question's range, and the number of the first. */
export async function rangeOf(
  view: ChainView,
  { from, to }: LogsQuery,
): Promise<{ first: bigint; last: Block }> {
  const last = await view.block(to);
  const { number } = last.header;
  const first = typeof from === "bigint" ? from : (await view.block(from)).header.number;
  if (first <= number) return { first, last };
  throw invalid(undefined, "from", `a block up to ${number}`, `block ${first}`);
}
