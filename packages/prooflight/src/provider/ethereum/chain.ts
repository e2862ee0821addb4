/** The chain as methods see it: verified answers, and which of them no proof covers. */

import { copy, type Hex } from "../../bytes.js";
import { describe, refuse, VerifyError } from "../../error.js";
import { blobsAt, type Fees, feesOf } from "../../ethereum/blobs.js";
import type { Block } from "../../ethereum/blocks.js";
import type { BlockBody } from "../../ethereum/bodies.js";
import type { Follower } from "../../ethereum/follower.js";
import type { Heads } from "../../ethereum/heads.js";
import { NullAnswer } from "../../ethereum/json.js";
import type { BlockName } from "../../ethereum/options.js";
import { ofBlock, receiptsOf } from "../../ethereum/receipts.js";
import { type TransactionReceipt, verifyReceipts } from "../../ethereum/transactions.js";
import type { Server } from "../../transport/servers.js";
import type { RequestArguments } from "../request.js";
import type { NetworkSettings } from "./options.js";
import { SentTransactions } from "./sent.js";

export class Chain {
  readonly settings: NetworkSettings;
  readonly sent: SentTransactions;

  constructor(settings: NetworkSettings) {
    this.settings = settings;
    this.sent = new SentTransactions(settings.now);
  }

  /** Asks one server after another, until one gives an answer that verifies. */
  async ask<T>(question: (view: View) => Promise<T>): Promise<T> {
    const { follower } = this.settings;
    return follower.ask((server, heads) => question(new View(this.settings, server, heads)));
  }

  /**
   * Like `ask`; null if every server says that it does not have what the question names by this hash, which no proof
   * shows. Each must then have the newest head, since a server that is behind may get to know the hash with it.
   */
  async askByHash<T>(
    request: RequestArguments,
    hash: Hex,
    question: (view: View) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await this.ask(async (view) => {
        try {
          return await question(view);
        } catch (error) {
          if (isAbsent(error, hash)) await view.checkHead();
          throw error;
        }
      });
    } catch (error) {
      if (!isAbsent(error, hash)) throw error;
      await this.allowUnproven(request);
      return null;
    }
  }

  /** Throws `unverifiable_method` if the application does not want answers without proof. */
  async allowUnproven(request: RequestArguments): Promise<void> {
    const { onUnproven } = this.settings;
    const refusal = (cause?: unknown) => {
      const expected = "onUnproven to agree to an answer without proof";
      return refuse("unverifiable_method", expected, request.method, { cause });
    };
    let agreed: unknown;
    try {
      const { method, params } = request;
      agreed = await onUnproven?.({ method, params: copy(params) });
    } catch (cause) {
      throw refusal(cause);
    }
    if (agreed === false) throw refusal();
  }
}

/** Whether every server answered null for a hash. */
function isAbsent(error: unknown, hash: Hex): boolean {
  if (!(error instanceof VerifyError)) return false;
  const { cause } = error;
  if (cause instanceof AggregateError) return cause.errors.every((one) => isAbsent(one, hash));
  return cause instanceof NullAnswer && cause.hash === hash;
}

/** One server and the newest heads. */
export class View {
  readonly settings: NetworkSettings;
  readonly server: Server;
  readonly heads: Heads;
  readonly #follower: Follower;

  constructor(settings: NetworkSettings, server: Server, heads: Heads) {
    this.settings = settings;
    this.server = server;
    this.heads = heads;
    this.#follower = settings.follower;
  }

  get follower(): Follower {
    return this.#follower;
  }

  /** A verified block of the chain. */
  async block(name: BlockName): Promise<Block> {
    return this.#follower.blocks.at(this.server, this.heads, name);
  }

  /** Throws `unknown_block` if the server does not have the newest head now. */
  async checkHead(): Promise<void> {
    const { hash } = (await this.block("latest")).header;
    ofBlock(await this.server.call("eth_getBlockByHash", [hash, false]), hash, "the newest block");
  }

  /** A verified block; null for a number above the verified head, whose absence that shows. */
  async find(name: BlockName): Promise<Block | null> {
    if (typeof name !== "bigint") return this.block(name);
    const { header } = await this.block("latest");
    return name > header.number ? null : this.block(name);
  }

  async body(block: Block): Promise<BlockBody> {
    return this.#follower.bodies.of(this.server, block);
  }

  /** The block before another one. */
  async parent({ header }: Block): Promise<Block> {
    return this.#follower.blocks.byHash(this.server, header.parentHash);
  }

  async receipts(block: Block): Promise<{ body: BlockBody; receipts: TransactionReceipt[] }> {
    const body = await this.body(block);
    const given = await receiptsOf(this.server, block);
    return { body, receipts: verifyReceipts(block, body.transactions, given) };
  }

  /** The fees of a block; those of blobs are undefined if its parameters are not known. */
  async fees(block: Block): Promise<Fees> {
    const { excessBlobGas, timestamp, number } = block.header;
    const params = blobsAt(this.settings.blobs, timestamp);
    if (excessBlobGas === undefined || !params || number === 0n) return feesOf(block);
    const parent = await this.parent(block);
    try {
      return feesOf(block, { parent, params });
    } catch (error) {
      if (!(error instanceof VerifyError) || error.reason !== "unsupported_fork") throw error;
      return feesOf(block);
    }
  }
}

/** The refusal of an answer about something that the chain does not have. */
export const missing = (expected: string, found: unknown): VerifyError =>
  refuse("unknown_block", expected, describe(found));

/** The parameters of a request. */
export type Parameters = readonly unknown[];

/** Answers a request; `name` is that of the method. */
export type Method = (chain: Chain, params: Parameters, name: string) => unknown;
