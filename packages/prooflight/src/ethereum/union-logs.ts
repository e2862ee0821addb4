/** The logs that servers name, each proven. */

import { type Hex, toHex } from "../bytes.js";
import type { Server } from "../client/servers.js";
import { refuse, VerifyError } from "../error.js";
import { ethereum } from "../wasm/ethereum.js";
import type { Block } from "./blocks.js";
import type { Follower } from "./follower.js";
import { type FoundLog, placed, verifyLogs } from "./found-logs.js";
import type { Tips } from "./heads.js";
import { Given, quantity } from "./json.js";
import { rangeOf } from "./logs.js";
import type { LogsQuestion } from "./logs-question.js";
import type { LogsSettings } from "./logs-settings.js";
import { receiptsOf } from "./receipts.js";

/**
 * The logs that any server names; each is proven, and none is missing if one of the servers is honest.
 *
 * Every server must answer, with the right number of logs in each block that it names: otherwise the honest one could be
 * left out. Nothing else that it says about a log is read.
 */
export async function unionLogs(
  follower: Follower,
  question: LogsQuestion,
  settings: LogsSettings,
): Promise<FoundLog[]> {
  const lists = await follower.askEach(
    (server, heads) => namedLogs(server, follower, heads, question, settings),
    question.signal,
  );
  const all = lists.flat().map((log) => [`${log.blockNumber}/${log.logIndex}`, log] as const);
  return [...new Map(all).values()].sort(
    (one, other) => Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex,
  );
}

/** The logs of the blocks in which a server names some, all of them. */
async function namedLogs(
  server: Server,
  { blocks, bodies }: Follower,
  heads: Tips,
  question: LogsQuestion,
  { maxLogBytes }: LogsSettings,
): Promise<FoundLog[]> {
  const { first, last } = await rangeOf(server, blocks, heads, question);
  const { number } = last.header;
  await checkChain(server, last);
  const range = { fromBlock: quantity(first), toBlock: quantity(number) };
  const method = "eth_getLogs";
  const reply = new Given(await server.call(method, [{ ...question.asked, ...range }]), method);
  const found: FoundLog[] = [];
  for (const [hash, count] of countsOf(reply)) {
    const block = await blocks.at(server, heads, hash);
    const { number: at } = block.header;
    if (at < first || at > number) {
      throw refuse("wrong_block", `logs of ${first} to ${number}`, `one of block ${at}`);
    }
    const receipts = new Map([[block, await receiptsOf(server, block)]]);
    const logs = verifyLogs(question.filter, [block], receipts);
    if (logs.length !== count) {
      const expected = `${logs.length} logs of block ${at} from ${method}`;
      throw refuse("invalid_answer", expected, `${count}`);
    }
    found.push(...placed(logs, new Map([[at, (await bodies.of(server, block)).hashes]])));
    if (server.received <= maxLogBytes) continue;
    throw refuse("logs_too_large", `logs of ${first} to ${number} in ${maxLogBytes} bytes`, "more");
  }
  return found;
}

/** A server that is behind, or on another chain, leaves out logs without lying. */
async function checkChain(server: Server, { header, hash }: Block): Promise<void> {
  const method = "eth_getBlockByNumber";
  const reply = await server.call(method, [quantity(header.number), false]);
  if (reply === null) throw refuse("unknown_block", `block ${header.hash}`, "none");
  const found = new Given(reply, method).member("hash").bytes(32);
  try {
    ethereum.call(undefined, (wasm) => {
      wasm.ethCheckCanonical(hash, found);
    });
  } catch (cause) {
    if (!(cause instanceof VerifyError) || cause.reason !== "not_an_ancestor") throw cause;
    throw refuse("unknown_block", `block ${header.hash}`, toHex(found), { cause });
  }
}

/** How many logs a server names in each block. */
function countsOf(reply: Given): Map<Hex, number> {
  const counts = new Map<Hex, number>();
  for (const log of reply.list()) {
    const hash = toHex(log.member("blockHash").bytes(32)) as Hex;
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return counts;
}
