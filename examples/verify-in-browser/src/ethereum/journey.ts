// The way from a checkpoint to a receipt, or to what a contract returns, in steps of which each rests on those before it.

import { VerifyError } from "prooflight";
import {
  type BlockHeader,
  EthereumClient,
  type EthereumOptions,
  type Hex,
  type TransactionReceipt,
} from "prooflight/ethereum";

import { type CallResults, takeCall } from "./call.js";
import { Meter } from "./meter.js";

/** Who is asked, and about which transaction or which call. */
export type Question = { options: EthereumOptions & { fetch: typeof fetch } } & (
  { kind: "receipt"; hash: Hex } | { kind: "call"; call: { to: Hex; data: Hex } }
);

/** The results of the steps. */
export interface Results extends CallResults {
  /** The client, which has accepted the newest head. */
  head: EthereumClient;
  /** The block of that head. */
  block: BlockHeader;
  receipt: TransactionReceipt;
}

export type Step = keyof Results;

/** The steps after the checkpoint, in order. */
export const STEPS: Readonly<Record<Question["kind"], readonly Step[]>> = {
  receipt: ["head", "block", "receipt"],
  call: ["head", "block", "account", "code", "slots", "execution"],
};

/** What a step took. */
export interface Cost {
  milliseconds: number;
  requests: number;
  bytes: number;
  /** The round trips of a call in which it asked; those of one round trip travel together. */
  rounds?: readonly number[];
}

/** Is told when steps begin and end. */
export interface Listener {
  begins(step: Step): void;
  verified<S extends Step>(step: S, result: Results[S], cost: Cost): void;
  refused(step: Step, error: VerifyError, cost: Cost): void;
  /** A server says that the call returns something else. */
  contradicted(result: Results["execution"], cost: Cost): void;
  /** All steps are verified, and took this together. */
  arrived(cost: Cost): void;
}

/** Takes the steps up to the first that fails. Throws errors that are not about answers. */
export async function travel(question: Question, tell: Listener): Promise<void> {
  const { options } = question;
  const meter = new Meter(options.fetch);
  const started = performance.now();
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
    const block = await take("block", () => client.block("latest"));
    if (question.kind === "receipt") await take("receipt", () => client.receipt(question.hash));
    else if (!(await takeCall({ client, block, question, meter }, tell))) return;
    tell.arrived({ milliseconds: performance.now() - started, ...meter.read() });
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
  }
}
