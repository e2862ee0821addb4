/** The union of all servers' logs, each proven. */

import { type Hex, toHex } from "../../bytes.js";
import { refuse, VerifyError } from "../../error.js";
import type { Server } from "../../transport/servers.js";
import { ethereum } from "../../wasm/ethereum.js";
import type { Block } from "../blocks.js";
import type { Follower } from "../follower.js";
import { JsonValue, quantity } from "../json.js";
import { receiptsOf } from "../receipts.js";
import type { ChainView } from "../view.js";
import { type LogsQuery, rangeOf } from "./query.js";
import { blocksThatMayMatch, type FoundLog, verifyLogs, withTransactionHashes } from "./verify.js";

/**
 * The number of newest blocks whose logs are proven complete. The nodes behind one URL may differ by so many blocks:
 * a node that lacks some of them leaves out their logs without lying.
 */
const MAX_PROVEN_BLOCKS = 64n;

/**
 * The union of all servers' logs, each proven. In the newest blocks no log is missing; in the others, none is missing
 * if one of the servers is honest.
 *
 * Every server must answer, with the right number of logs in each block that it names: otherwise the honest one could be
 * left out. Nothing else that it says about a log is read.
 */
export async function unionLogs(follower: Follower, question: LogsQuery): Promise<FoundLog[]> {
  const { signal } = question;
  const answers = await follower.askEach(
    async (view) => ({ heads: view.heads, blocks: await namedLogs(view, question) }),
    signal,
  );
  const found: LogsOfBlocks = new Map(answers.flatMap(({ blocks }) => [...blocks]));
  const newest = await follower.ask(
    // About the same heads, so that the newest blocks are those of the same range.
    (view) => newestLogs(view.withHeads(answers[0]?.heads ?? view.heads), question, found),
    signal,
  );
  return [...found.values(), ...newest.values()]
    .flat()
    .sort(
      (one, other) => Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex,
    );
}

/** All logs of some blocks that the filter matches, by the block's hash. */
type LogsOfBlocks = Map<Hex, readonly FoundLog[]>;

/** The logs of the blocks in which a server names some. */
async function namedLogs(view: ChainView, question: LogsQuery): Promise<LogsOfBlocks> {
  const { server } = view;
  const { first, last } = await rangeOf(view, question);
  const { number } = last.header;
  const method = "eth_getLogs";
  const ask = async (range: object) =>
    new JsonValue(await server.call(method, [{ ...question.asked, ...range }]), method);
  const proven = firstProven(first, last);
  if (proven > first) {
    // The node that is asked for logs must have the newest block that is not proven: by hash it cannot leave it out.
    const [oldest] = await view.range(proven, last);
    const { parentHash } = oldest.header;
    const { value } = await ask({ blockHash: parentHash });
    if (value === null) throw refuse("unknown_block", `the logs of block ${parentHash}`, "null");
  }
  const reply = await ask({ fromBlock: quantity(first), toBlock: quantity(number) });
  await checkChain(server, last);
  const found: LogsOfBlocks = new Map();
  for (const [hash, count] of countsOf(reply)) {
    const block = await view.block(hash);
    const { number: blockNumber } = block.header;
    if (blockNumber < first || blockNumber > number) {
      throw refuse("wrong_block", `logs of ${first} to ${number}`, `one of block ${blockNumber}`);
    }
    const logs = await logsOf(view, block, question);
    if (logs.length !== count) {
      const expected = `${logs.length} logs of block ${blockNumber} from ${method}`;
      throw refuse("invalid_answer", expected, `${count}`);
    }
    found.set(hash, logs);
  }
  return found;
}

/** The logs of the newest blocks of the range, except those that were found already. */
async function newestLogs(
  view: ChainView,
  question: LogsQuery,
  found: LogsOfBlocks,
): Promise<LogsOfBlocks> {
  const { first, last } = await rangeOf(view, question);
  const range = await view.range(firstProven(first, last), last);
  const newest: LogsOfBlocks = new Map();
  for (const block of blocksThatMayMatch(question.filter, range)) {
    const { hash } = block.header;
    if (found.has(hash)) continue;
    newest.set(hash, await logsOf(view, block, question));
  }
  return newest;
}

function firstProven(first: bigint, { header: { number } }: Block): bigint {
  return number - first < MAX_PROVEN_BLOCKS ? first : number - MAX_PROVEN_BLOCKS + 1n;
}

/** All logs of a block that the filter matches; throws `logs_too_large` if the server has sent too much. */
async function logsOf(view: ChainView, block: Block, { filter }: LogsQuery): Promise<FoundLog[]> {
  const { server, settings } = view;
  const logs = verifyLogs(filter, [block], new Map([[block, await receiptsOf(server, block)]]));
  const { number } = block.header;
  // Without logs, the hashes of transactions are not needed.
  const hashes = logs.length > 0 ? (await view.body(block)).hashes : [];
  if (server.received > settings.maxLogBytes) {
    const expected = `logs up to block ${number} in ${settings.maxLogBytes} bytes`;
    throw refuse("logs_too_large", expected, "more");
  }
  return withTransactionHashes(logs, new Map([[number, hashes]]));
}

/** Throws `unknown_block` if the server does not have the last block: it may then have left out logs without lying. */
async function checkChain(server: Server, { header, hash }: Block): Promise<void> {
  const method = "eth_getBlockByNumber";
  const reply = await server.call(method, [quantity(header.number), false]);
  if (reply === null) throw refuse("unknown_block", `block ${header.hash}`, "none");
  const found = new JsonValue(reply, method).member("hash").bytes(32);
  try {
    ethereum.call(undefined, (wasm) => {
      wasm.ethCheckCanonical(hash, found);
    });
  } catch (cause) {
    if (!(cause instanceof VerifyError) || cause.reason !== "not_an_ancestor") throw cause;
    throw refuse("unknown_block", `block ${header.hash}`, toHex(found), { cause });
  }
}

/** The number of logs that a server names in each block. */
function countsOf(reply: JsonValue): Map<Hex, number> {
  const counts = new Map<Hex, number>();
  for (const log of reply.list()) {
    const hash = toHex(log.member("blockHash").bytes(32)) as Hex;
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return counts;
}
