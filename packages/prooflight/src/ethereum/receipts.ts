/** Asks servers for all receipts of a block, by the methods that they have. Nothing is verified here. */

import { type Bytes, type Hex, toHex } from "../bytes.js";
import { refuse, VerifyError } from "../error.js";
import { isRateLimit, isUnknownMethod } from "../transport/failure.js";
import type { Server } from "../transport/servers.js";
import type { Block } from "./blocks.js";
import { encodeReceipt } from "./encode.js";
import { JsonValue, quantity, wrong } from "./json.js";

/** Asks for the receipts of a block by one method. */
type ReceiptsRequest = (server: Server, block: Block) => Promise<JsonValue[]>;

const RECEIPTS_REQUESTS: readonly [ReceiptsRequest, ...ReceiptsRequest[]] = [
  byHash,
  byNumber,
  oneByOne,
];

/** The index of the first request to send to a server. The server does not know the methods of the earlier ones. */
const firstRequests = new WeakMap<URL, number>();

/** The receipts of a block, in RLP and unverified. */
export async function receiptsOf(server: Server, block: Block): Promise<Bytes[]> {
  let index = firstRequests.get(server.url) ?? 0;
  let request = RECEIPTS_REQUESTS[index] ?? byHash;
  for (;;) {
    try {
      return (await request(server, block)).map(encodeReceipt);
    } catch (error) {
      const next = RECEIPTS_REQUESTS[index + 1];
      if (!next || !(error instanceof VerifyError) || !mayHelp(next, error)) throw error;
      request = next;
      index += 1;
      if (isUnknownMethod(error)) firstRequests.set(server.url, index);
    }
  }
}

/** Whether a server that gave this error may answer the next request. */
function mayHelp(next: ReceiptsRequest, error: VerifyError): boolean {
  // Some servers take only numbers, and answer null to a hash.
  if (error.reason === "unknown_block") return next === byNumber;
  return error.reason === "server_error" && !isRateLimit(error);
}

const BLOCK_RECEIPTS = "eth_getBlockReceipts";

async function byHash(server: Server, { header: { hash } }: Block): Promise<JsonValue[]> {
  return ofBlock(await server.call(BLOCK_RECEIPTS, [hash]), hash, BLOCK_RECEIPTS).list();
}

/** Asks by number; a server with another block of this number has no answer. */
async function byNumber(server: Server, { header }: Block): Promise<JsonValue[]> {
  const { hash, number } = header;
  const receipts = ofBlock(
    await server.call(BLOCK_RECEIPTS, [quantity(number)]),
    hash,
    BLOCK_RECEIPTS,
  ).list();
  const claimed = receipts.map((receipt) => receipt.optional("blockHash")?.bytes(32));
  const other = claimed.find((bytes) => bytes !== undefined && toHex(bytes) !== hash);
  if (other === undefined) return receipts;
  throw refuse("unknown_block", `receipts of block ${hash}`, `those of block ${toHex(other)}`);
}

/** Less gas than any transaction takes. */
const MIN_TRANSACTION_GAS = 1000n;

/** The most receipts that are asked for at once. */
const MAX_CONCURRENT_RECEIPTS = 16;

async function oneByOne(
  server: Server,
  { header: { hash, gasUsed } }: Block,
): Promise<JsonValue[]> {
  const reply = await server.call("eth_getBlockByHash", [hash, false]);
  const hashes = ofBlock(reply, hash, "the block").member("transactions");
  const transactions = hashes.list().map((transaction) => toHex(transaction.bytes(32)));
  const maxTransactions = gasUsed / MIN_TRANSACTION_GAS;
  if (transactions.length > maxTransactions) {
    throw wrong(hashes.path, `at most ${maxTransactions} hashes`, `${transactions.length}`);
  }
  const method = "eth_getTransactionReceipt";
  const receipts: JsonValue[] = [];
  for (let start = 0; start < transactions.length; start += MAX_CONCURRENT_RECEIPTS) {
    const some = transactions.slice(start, start + MAX_CONCURRENT_RECEIPTS);
    const replies = await Promise.all(
      some.map((transaction) => server.call(method, [transaction])),
    );
    receipts.push(...replies.map((receipt) => ofBlock(receipt, hash, method)));
  }
  return receipts;
}

/** A reply about a block that exists; throws `unknown_block` if the server does not have the block. */
export function ofBlock(reply: unknown, hash: Hex, path: string): JsonValue {
  if (reply !== null) return new JsonValue(reply, path);
  throw refuse("unknown_block", `block ${hash}`, "null");
}
