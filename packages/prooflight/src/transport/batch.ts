/** Sends the calls of one moment together, as a batch of JSON-RPC, to servers that take batches. */

import { refuse, VerifyError } from "../error.js";
import { isRateLimit, isUnknownMethod, type ServerFailure } from "./failure.js";
import type { BatchedCall, CallResult } from "./rpc.js";

/** The most calls of a batch: nodes that limit batches take at least as many. */
const MAX_BATCH_CALLS = 100;

/** The most batches at once, and the most calls at once to a server that takes none. */
const MAX_BATCHES = 4;
const MAX_SINGLE_CALLS = 32;

/** The URLs of servers that take no batches. */
const WITHOUT_BATCHES = new WeakSet<URL>();

/** What calls the methods of a server. */
export interface Caller {
  /** Its URL, without user and password. */
  readonly url: URL;
  /** Calls a method; throws like `call` of `rpc.ts`. */
  call(method: string, params: object): Promise<unknown>;
}

/** How calls are sent to a server. */
export interface CallSender extends Caller {
  /** Sends a batch; throws like `callBatch` of `rpc.ts`. */
  callBatch(calls: readonly BatchedCall[]): Promise<CallResult[]>;
  /** The most bytes of the reply to a call. */
  mostBytes(call: BatchedCall): number;
  /** The most bytes of a reply. */
  readonly maxReplyBytes: number;
}

interface PendingCall extends BatchedCall {
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Calls the methods of a server; calls that are made at the same time are one request.
 *
 * A server that refuses a batch, or replies with anything but one reply to each call, is sent the calls one by one. If it
 * answers the first of them, it is sent no batch any more. One that does not answer a batch in time is sent all of its
 * calls one by one at once.
 */
export class BatchingCaller implements Caller {
  readonly #sender: CallSender;
  #pending: PendingCall[] = [];
  #running = 0;
  #isScheduled = false;
  #isClosed = false;

  constructor(sender: CallSender) {
    this.#sender = sender;
  }

  get url(): URL {
    return this.#sender.url;
  }

  call(method: string, params: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ method, params, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      void Promise.resolve().then(() => {
        this.#isScheduled = false;
        this.#next();
      });
    });
  }

  /** Sends no more: the question has ended. */
  close(): void {
    this.#isClosed = true;
    this.#next();
  }

  /** Sends what may be sent now. */
  #next(): void {
    if (this.#isClosed) {
      const error = refuse("unreachable", "a question that is still asked", "one that has ended");
      for (const { reject } of this.#pending.splice(0)) reject(error);
    }
    while (this.#pending.length > 0) {
      const takesBatches = !WITHOUT_BATCHES.has(this.url);
      if (this.#running >= (takesBatches ? MAX_BATCHES : MAX_SINGLE_CALLS)) return;
      this.#running += 1;
      void this.#send(this.#take(takesBatches)).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  /** The calls of the next request: as many as one reply may answer, but at least one. */
  #take(takesBatches: boolean): PendingCall[] {
    const { maxReplyBytes } = this.#sender;
    const most = takesBatches ? MAX_BATCH_CALLS : 1;
    let [count, bytes] = [0, 0];
    for (const pending of this.#pending.slice(0, most)) {
      bytes += this.#sender.mostBytes(pending);
      if (count > 0 && bytes > maxReplyBytes) break;
      count += 1;
    }
    return this.#pending.splice(0, count);
  }

  async #send(calls: readonly PendingCall[]): Promise<void> {
    const [first, ...rest] = calls;
    if (!first) return;
    if (rest.length > 0 && (await this.#sendTogether(calls))) return;
    if (this.#isClosed || (rest.length > 0 && WITHOUT_BATCHES.has(this.url))) {
      this.#pending.unshift(...calls);
      return;
    }
    const alone = await this.#sendAlone(first);
    if (rest.length === 0) return;
    if (isFailing(alone)) {
      for (const { reject } of rest) reject(alone);
      return;
    }
    WITHOUT_BATCHES.add(this.url);
    this.#pending.unshift(...rest);
  }

  /** Sends calls as a batch; returns false if the server may not take batches, and the calls are still to be answered. */
  async #sendTogether(calls: readonly PendingCall[]): Promise<boolean> {
    try {
      const results = await this.#sender.callBatch(calls);
      calls.forEach(({ resolve, reject }, index) => {
        const { result, error } = results[index] ?? {};
        if (error) reject(error);
        else resolve(result);
      });
      return true;
    } catch (error) {
      const isTimeout = error instanceof VerifyError && error.reason === "request_timeout";
      // Some servers never answer a batch, and many calls may take one too long.
      if (isTimeout) WITHOUT_BATCHES.add(this.url);
      if (error instanceof VerifyError && error.code === "unavailable") return false;
      for (const { reject } of calls) reject(error);
      return true;
    }
  }

  /** Sends a call alone; returns its error. */
  async #sendAlone({ method, params, resolve, reject }: PendingCall): Promise<unknown> {
    try {
      resolve(await this.#sender.call(method, params));
      return undefined;
    } catch (error) {
      reject(error);
      return error;
    }
  }
}

/** Whether the error of one call is one of the server, which fails other calls too. */
function isFailing(error: unknown): boolean {
  if (error === undefined) return false;
  if (!(error instanceof VerifyError) || SILENCE.has(error.reason)) return true;
  const { status, code } = (error.cause ?? {}) as ServerFailure;
  const isAnswer = status === undefined || code !== undefined || isUnknownMethod(error);
  return !isAnswer || isRateLimit(error);
}

/** The reasons of calls without a reply. */
const SILENCE: ReadonlySet<string> = new Set(["request_timeout", "unreachable"]);
