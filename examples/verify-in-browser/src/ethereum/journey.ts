// The way from a checkpoint to a receipt, in steps of which each rests on the one before.

import { VerifyError } from "prooflight";
import {
  type BlockHeader,
  EthereumClient,
  type EthereumOptions,
  type Hex,
  type TransactionReceipt,
} from "prooflight/ethereum";

import { Meter } from "./meter.js";

/** Who is asked, and about which transaction. */
export interface Question {
  options: EthereumOptions & { fetch: typeof fetch };
  hash: Hex;
}

/** The results of the steps, in order. */
export interface Results {
  /** The client, which has accepted the newest head. */
  head: EthereumClient;
  /** The block of that head. */
  block: BlockHeader;
  receipt: TransactionReceipt;
}

export type Step = keyof Results;

/** What a step took. */
export interface Cost {
  milliseconds: number;
  requests: number;
  bytes: number;
}

/** Is told when steps begin and end. */
export interface Listener {
  begins(step: Step): void;
  verified<S extends Step>(step: S, result: Results[S], cost: Cost): void;
  refused(step: Step, error: VerifyError, cost: Cost): void;
}

/** Takes the steps up to the first that fails. Throws errors that are not about answers. */
export async function travel({ options, hash }: Question, tell: Listener): Promise<void> {
  const meter = new Meter(options.fetch);
  async function take<S extends Step>(step: S, go: () => Promise<Results[S]>): Promise<Results[S]> {
    tell.begins(step);
    const [started, before] = [performance.now(), meter.read()];
    const cost = () => ({ milliseconds: performance.now() - started, ...meter.since(before) });
    try {
      const result = await go();
      tell.verified(step, result, cost());
      return result;
    } catch (error) {
      if (error instanceof VerifyError) tell.refused(step, error, cost());
      throw error;
    }
  }
  try {
    const connect = () => EthereumClient.connect({ ...options, fetch: meter.fetch });
    const client = await take("head", connect);
    await take("block", () => client.block("latest"));
    await take("receipt", () => client.receipt(hash));
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
  }
}
