/** The chain up to the newest heads, as one server shows it. All blocks, transactions and receipts come from here. */

import { type Hex, toHex } from "../bytes.js";
import { refuse, VerifyError } from "../error.js";
import type { Server } from "../transport/servers.js";
import type { Block, Blocks } from "./blocks.js";
import { type Bodies, type BlockBody, transactionsOf } from "./bodies.js";
import type { CallContext } from "./execution/context.js";
import type { Heads } from "./heads.js";
import { JsonValue, NullAnswer } from "./json.js";
import type { BlockName, LogsSettings } from "./options.js";
import { ofBlock, receiptsOf } from "./receipts.js";
import {
  type Transaction,
  type TransactionReceipt,
  verifyReceipt,
  verifyReceipts,
  verifyTransaction,
} from "./transactions.js";

/** What the views of all servers share: the caches of verified data, and the settings. */
export interface ViewContext {
  blocks: Blocks;
  bodies: Bodies;
  calls: CallContext;
  settings: LogsSettings;
}

/** What a server says about a transaction. Nothing of it is verified. */
export interface TransactionClaim {
  hash: Hex;
  /** The reply. */
  json: JsonValue;
  /** The number of its block; undefined if it is in none. */
  blockNumber: bigint | undefined;
}

/** A block, and all of its transactions in RLP. */
type TransactionList = Pick<BlockBody, "block" | "transactions">;

/** One server and the newest heads. What it returns is verified, except for claims. */
export class ChainView {
  readonly server: Server;
  readonly heads: Heads;
  readonly settings: LogsSettings;
  readonly #context: ViewContext;

  constructor(server: Server, heads: Heads, context: ViewContext) {
    this.server = server;
    this.heads = heads;
    this.settings = context.settings;
    this.#context = context;
  }

  /** What calls need besides the server. */
  get calls(): CallContext {
    return this.#context.calls;
  }

  /** The same server's view of other heads. */
  withHeads(heads: Heads): ChainView {
    return new ChainView(this.server, heads, this.#context);
  }

  /** The block that a question names; it is an ancestor of a head, or one itself. */
  async block(name: BlockName): Promise<Block> {
    return this.#context.blocks.at(this.server, this.heads, name);
  }

  /** Like `block`; null for a number above the newest head, of which no block exists yet. */
  async find(name: BlockName): Promise<Block | null> {
    if (typeof name !== "bigint") return this.block(name);
    const { header } = await this.block("latest");
    return name > header.number ? null : this.block(name);
  }

  /** The parent of a block. */
  async parent({ header }: Block): Promise<Block> {
    return this.#context.blocks.byHash(this.server, header.parentHash);
  }

  /** The blocks from a number on to `last`, ascending. Calls `check` with the first number that has been reached. */
  async range(
    from: bigint,
    last: Block,
    check: (reached: bigint) => void = () => undefined,
  ): Promise<[Block, ...Block[]]> {
    return this.#context.blocks.range(this.server, from, last, check);
  }

  /** Throws `unknown_block` if the server does not have the newest head now. */
  async checkHead(): Promise<void> {
    const { hash } = (await this.block("latest")).header;
    ofBlock(await this.server.call("eth_getBlockByHash", [hash, false]), hash, "the newest block");
  }

  /** The body of a block. */
  async body(block: Block): Promise<BlockBody> {
    return this.#context.bodies.of(this.server, block);
  }

  /** What the server says about a transaction; throws `unknown_transaction` if it knows none with this hash. */
  async claim(hash: Hex): Promise<TransactionClaim> {
    const method = "eth_getTransactionByHash";
    const reply = await this.server.call(method, [hash]);
    if (reply === null) throw absent(hash);
    const json = new JsonValue(reply, method);
    return { hash, json, blockNumber: json.optional("blockNumber")?.quantity() };
  }

  /**
   * A transaction, verified with all transactions of its block: those of a body, or those that the server is asked for.
   *
   * Throws `unknown_transaction` if the claim names no block.
   */
  async transaction(claim: TransactionClaim, body?: TransactionList): Promise<Transaction> {
    const { block, transactions } = body ?? (await this.#listOf(claim));
    return onBranch(claim, block, () => verifyTransaction(block, transactions, claim.hash));
  }

  /** The receipt of a transaction, verified with all transactions and receipts of its block. */
  async receipt(claim: TransactionClaim, body?: TransactionList): Promise<TransactionReceipt> {
    const { block, transactions } = body ?? (await this.#listOf(claim));
    const receipts = await receiptsOf(this.server, block);
    return onBranch(claim, block, () => verifyReceipt(block, transactions, receipts, claim.hash));
  }

  /** All receipts of a block, verified with all of its transactions: those of its body, or those that are asked for. */
  async receipts(block: Block, body?: TransactionList): Promise<TransactionReceipt[]> {
    const transactions = body?.transactions ?? (await transactionsOf(this.server, block));
    return verifyReceipts(block, transactions, await receiptsOf(this.server, block));
  }

  /** The block of the number that the server claims for a transaction, and its transactions, unverified. */
  async #listOf({ hash, blockNumber }: TransactionClaim): Promise<TransactionList> {
    if (blockNumber === undefined) throw absent(hash);
    const block = await this.block(blockNumber);
    return { block, transactions: await transactionsOf(this.server, block) };
  }
}

/** The refusal of a server that names no block with a transaction: nothing is proved about the chain. */
export const absent = (hash: Hex): VerifyError =>
  refuse("unknown_transaction", `a block with the transaction ${hash}`, "none", {
    cause: new NullAnswer(hash),
  });

/**
 * Runs `verify` with a transaction and the block of the number that a server claims for it.
 *
 * A server that names another block of that number is on another branch, which is no lie: it has no answer about
 * the heads' branch.
 */
function onBranch<T>({ json }: TransactionClaim, { header }: Block, verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    const isMissing = error instanceof VerifyError && error.reason === "transaction_mismatch";
    const hash = json.optional("blockHash")?.bytes(32);
    if (!isMissing || (hash && toHex(hash) === header.hash)) throw error;
    const expected = `a transaction of block ${header.hash}`;
    throw refuse("unknown_block", expected, "one of another block of its number", { cause: error });
  }
}
