/** The chain as methods see it. */

import { copy, type Hex } from "../../bytes.js";
import { refuse, VerifyError } from "../../error.js";
import { blobsAt } from "../../ethereum/chains.js";
import { type Fees, feesOf } from "../../ethereum/fees.js";
import type { Block } from "../../ethereum/blocks.js";
import { NullAnswer } from "../../ethereum/json.js";
import type { ChainView } from "../../ethereum/view.js";
import type { RequestArguments } from "../request.js";
import type { NetworkSettings } from "./options.js";
import { SentTransactions } from "./sent.js";

/** The chain of a provider: its settings, its verified answers, and the transactions that were sent. */
export class Chain {
  readonly follows = true;
  readonly settings: NetworkSettings;
  readonly sent: SentTransactions;

  constructor(settings: NetworkSettings) {
    this.settings = settings;
    this.sent = new SentTransactions(settings.now);
  }

  /** Asks one server after another, until one gives an answer that verifies. */
  async ask<T>(question: (view: ChainView) => Promise<T>): Promise<T> {
    return this.settings.follower.ask(question);
  }

  /**
   * Like `ask`; null if every server says that it does not have what the question names by this hash, which no proof
   * shows. Each must then have the newest head, since a server that is behind may get to know the hash with it.
   */
  async askByHash<T>(
    request: RequestArguments,
    hash: Hex,
    question: (view: ChainView) => Promise<T>,
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

  /** The fees of a block; those of blobs are undefined if its parameters are not known. */
  async fees(view: ChainView, block: Block): Promise<Fees> {
    const { excessBlobGas, timestamp, number } = block.header;
    const params = blobsAt(this.settings.blobs, timestamp);
    if (excessBlobGas === undefined || !params || number === 0n) return feesOf(block);
    const parent = await view.parent(block);
    try {
      return feesOf(block, { parent, params });
    } catch (error) {
      if (!(error instanceof VerifyError) || error.reason !== "unsupported_fork") throw error;
      return feesOf(block);
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
  if (cause instanceof AggregateError) return cause.errors.every((inner) => isAbsent(inner, hash));
  return cause instanceof NullAnswer && cause.hash === hash;
}

/** The parameters of a request. */
export type Parameters = readonly unknown[];

/** Answers a request; `name` is that of the method. */
export type Method = (chain: Chain, params: Parameters, name: string) => unknown;
