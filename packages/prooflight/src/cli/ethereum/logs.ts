import type { Hex } from "../../bytes.js";
import { describe, refuse } from "../../error.js";
import { readLogsOptions } from "../../ethereum/logs/query.js";
import type { LogsProgress } from "../../ethereum/options.js";
import { printVerdict } from "../chain.js";
import { EXIT, print, printRows } from "../output.js";
import { bold, text, yellow } from "../text.js";
import { blockOf, follow, type FollowOptions } from "./follow.js";
import { blockName, logRows, printAnswer, printBasis } from "./show.js";

/** The most logs that are shown. `--json` prints all. */
const SHOWN = 50;

interface LogsOptions extends FollowOptions {
  topic?: string[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  union?: boolean | undefined;
  "max-bytes"?: string | undefined;
}

/** `prooflight eth logs [ADDRESS…]`: prints every matching log of a range. Returns the exit code. */
export async function logs(
  addresses: readonly string[],
  options: LogsOptions,
  json: boolean,
): Promise<number> {
  const [from, to] = [blockOf(options.from, "--from"), blockOf(options.to, "--to")];
  const filter = {
    ...(addresses.length > 0 && { address: addresses as Hex[] }),
    topics: (options.topic ?? []).map(topicOf),
  };
  // Asks no server about a filter that the client would refuse.
  readLogsOptions(filter);
  const progress = process.stderr.isTTY
    ? new Progress((text) => process.stderr.write(text))
    : undefined;
  const isUnion = options.union === true;
  const following = await follow(options, {
    logs: isUnion ? "union" : "complete",
    maxLogBytes: bytesOf(options["max-bytes"]),
    onLogsProgress: progress?.show,
  });
  const { client } = following;
  // Tags become numbers once, so that the answer is about the range that is printed.
  const last = await client.block(to);
  const first = typeof from === "bigint" ? from : (await client.block(from)).number;
  const found = await client.logs({ ...filter, from: first, to: last.hash }).finally(() => {
    progress?.end();
  });
  if (json) {
    printAnswer(following, { from: first, to: last.number, complete: !isUnion, logs: found });
    return EXIT.ok;
  }
  const range =
    first === last.number ? `of block ${first}` : `of blocks ${first} to ${last.number}`;
  printVerdict(`${countOf(found.length, isUnion)} ${range}`);
  for (const log of found.slice(0, SHOWN)) {
    print();
    print(
      text`  ${bold(`log ${log.logIndex}`)} of transaction ${log.transactionIndex} in ${blockName({ number: log.blockNumber, timestamp: log.blockTimestamp })}`,
    );
    printRows([...logRows(log), ["transaction", log.transactionHash]], "    ");
  }
  if (found.length > SHOWN) {
    print();
    print(`  and ${found.length - SHOWN} more; --json prints all`);
  }
  if (isUnion) {
    const servers = options.execution?.length === 1 ? "the execution node" : "an execution node";
    printBasis(following, `all receipts of the blocks that the execution nodes name`);
    print();
    print(text`  ${yellow("Logs may be missing")} unless ${servers} is honest.`);
  } else {
    printBasis(following, "every header of the range, and all receipts of blocks that may match");
  }
  return EXIT.ok;
}

function countOf(count: number, isUnion: boolean): string {
  if (count === 0) return isUnion ? "no log named" : "no log";
  if (isUnion) return count === 1 ? "one log" : `${count} logs`;
  return count === 1 ? "the only log" : `all ${count} logs`;
}

/** A position of the filter: a topic, several with commas, or `any`. */
const topicOf = (given: string): Hex[] | null =>
  given === "any" ? null : (given.split(",") as Hex[]);

function bytesOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^[0-9]{1,9}$/.test(given)) return Number(given);
  throw refuse("invalid_argument", "--max-bytes, a number", describe(given));
}

/** Shows on a terminal how far a question about logs has come. */
export class Progress {
  readonly #write: (text: string) => void;
  #isShown = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  readonly show = ({ blocks, headers, needed, receipts, bytes }: LogsProgress): void => {
    const counts = [
      `${headers} of ${blocks} headers`,
      ...(needed === undefined ? [] : [`receipts of ${receipts} of ${needed} blocks`]),
      `${(bytes / 1e6).toFixed(1)} MB`,
    ];
    this.#isShown = true;
    this.#write(`\r\u001b[K${counts.join(", ")}`);
  };

  /** Clears the line. */
  end(): void {
    if (this.#isShown) this.#write("\r\u001b[K");
  }
}
