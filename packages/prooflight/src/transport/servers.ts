/** The servers of a client, which are asked in turn, within bounds of time, memory and concurrency. */

import { notify } from "../arguments.js";
import { refuse, VerifyError } from "../error.js";
import type { Code } from "../registry.js";
import { throwIfAborted } from "./abort.js";
import { BatchingCaller, type Caller } from "./batch.js";
import { exchange, type Reply, type Transport } from "./http.js";
import { ReplyMemory } from "./memory.js";
import { type BatchedCall, call, callBatch } from "./rpc.js";
import { type ListedServer, nameServers, parseServer } from "./server-list.js";
import { RequestSlots } from "./slots.js";

/** The bounds of one reply: the most that an honest answer to its question can need, and a margin. */
export interface ReplyBounds {
  /** Bytes of its text. */
  bytes: number;
  /** Values and objects: commas and opening brackets in its text. */
  items: number;
  /** Members of objects: colons in its text. */
  members: number;
  /** Whether it takes no memory once its call returns, since its question keeps only a part of it. */
  transient?: boolean;
}

/** A server that answers a question. */
export interface Server extends Caller {
  /** What may be shown of its URL; different for each server of a client. */
  readonly name: string;
  /** The same server, which is sent calls of the same time as one request if it takes batches. */
  readonly batching: Caller;
  /** Gets a resource below the URL; throws like `exchange` of `http.ts`. */
  get(path: string, accept: string): Promise<Reply>;
  /** Frees the memory of its replies to this question, which must not be used any more. */
  forget(): void;
  /** The number of bytes of its replies to this question. */
  readonly received: number;
  /** The other servers, for calls that any server may answer. */
  others(): Server[];
}

/** The failure of one server to answer a question. */
export interface Failure {
  /**
   * The server: the origin of its URL, whose other parts may be secret. If several servers have that origin, followed
   * by the server's number in the list, counted from one, as in `https://host/ (server 2)`.
   */
  url: string;
  /** Why the server's answer was refused. */
  error: VerifyError;
}

/** The bounds of several replies together. */
function sumOf(all: readonly ReplyBounds[]): ReplyBounds {
  const sum = (of: (bounds: ReplyBounds) => number) =>
    all.reduce((total, bounds) => total + of(bounds), 0);
  return {
    bytes: sum(({ bytes }) => bytes),
    items: sum(({ items }) => items),
    members: sum(({ members }) => members),
    transient: all.every(({ transient }) => transient),
  };
}

/** Whether another server could succeed where this one failed. Other refusals are the caller's fault or a bug. */
const otherMaySucceed = ({ code, reason }: VerifyError) =>
  reason === "unsupported_fork" || (OTHERS_MAY_SUCCEED.has(code) && reason !== "setup_mismatch");

const OTHERS_MAY_SUCCEED: ReadonlySet<Code> = new Set([
  "malformed",
  "mismatch",
  "untrusted",
  "unavailable",
]);

/** The outcome of asking one server. */
export type Attempt<T> = { answer: T; error?: never } | { error: VerifyError; answer?: never };

/** Memory for replies, in addition to one answer and one path of any allowed size. */
const ANSWERS_BUDGET = { firstParts: 8 * 1024 * 1024, rest: 16 * 1024 * 1024 };
const PATHS_BUDGET = { firstParts: 8 * 1024 * 1024, rest: 0 };

/** The servers of a client. The one that answered last is asked first. */
export class Servers {
  readonly #transport: Transport;
  readonly #servers: readonly ListedServer[];
  readonly #slots: ReadonlyMap<ListedServer, RequestSlots>;
  readonly #onFailure: (failure: Failure) => void;
  readonly #check: () => void;
  readonly #boundsOf: (method: string, params: object) => ReplyBounds;
  readonly #answers = new ReplyMemory(ANSWERS_BUDGET);
  readonly #paths = new ReplyMemory(PATHS_BUDGET);
  /** The index of the server that answered last. */
  #preferred = 0;

  /**
   * Throws `invalid_argument` unless `urls` has at least one http or https URL, each with or without a shard.
   *
   * `check` throws if the client has stopped. `boundsOf` returns the bounds of a reply to a method, or of the resource
   * at a path, then without parameters.
   */
  constructor(
    urls: readonly unknown[],
    transport: Transport,
    onFailure: (failure: Failure) => void,
    check: () => void,
    boundsOf: (method: string, params: object) => ReplyBounds,
  ) {
    if (urls.length === 0) throw refuse("invalid_argument", "at least one URL of a server", "none");
    this.#servers = nameServers(urls.map(parseServer));
    this.#slots = new Map(this.#servers.map((listed) => [listed, new RequestSlots()]));
    this.#transport = transport;
    this.#onFailure = onFailure;
    this.#check = check;
    this.#boundsOf = boundsOf;
  }

  /** The server that is asked first. */
  get preferred(): ListedServer {
    return this.#at(this.#preferred);
  }

  /** Whether there are servers that prove only a part of LVMT's keys. */
  get sharded(): boolean {
    return this.#servers.some(({ shard }) => shard !== undefined);
  }

  /** All servers, in the order in which they are asked. */
  inOrder(): ListedServer[] {
    return [...this.#servers.slice(this.#preferred), ...this.#servers.slice(0, this.#preferred)];
  }

  /**
   * Runs `ask` with one server after another until one succeeds.
   *
   * If none does, throws the {@link worstError} of their errors.
   */
  async ask<T>(ask: (server: Server) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const errors: VerifyError[] = [];
    for (const listed of this.inOrder()) {
      const attempt = await this.try(listed, ask, signal);
      if (attempt.error) {
        errors.push(attempt.error);
        continue;
      }
      this.prefer(listed);
      return attempt.answer;
    }
    throw worstError(errors);
  }

  /** Runs `ask` with every server; throws the {@link worstError} of the errors if one fails. */
  async askEach<T>(
    ask: (server: Server) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T[]> {
    const attempts = await Promise.all(
      this.#servers.map((listed) => this.try(listed, ask, signal)),
    );
    const errors = attempts.flatMap(({ error }) => error ?? []);
    if (errors.length > 0) throw worstError(errors);
    return attempts.map(({ answer }) => answer as T);
  }

  /** Asks this server first from now on. */
  prefer(listed: ListedServer): void {
    this.#preferred = this.#servers.indexOf(listed);
  }

  /** Runs `ask` with one server. Throws errors that another server could not avoid. */
  async try<T>(
    listed: ListedServer,
    ask: (server: Server) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<Attempt<T>> {
    // A client that another question stopped is not this server's failure.
    const client = { stopped: false };
    const check = () => {
      client.stopped = true;
      this.#check();
      client.stopped = false;
    };
    check();
    const releases: (() => void)[] = [];
    const slots = this.#slots.get(listed);
    let answered = false;
    try {
      await slots?.take(this.#transport.timeout, listed.address.url.host, signal);
      releases.push(() => slots?.free(answered));
      check();
      const answer = await ask(this.#open(listed, signal, check, releases));
      check();
      answered = true;
      return { answer };
    } catch (thrown) {
      // The application's own abort is not this server's failure either.
      throwIfAborted(signal);
      const error = listed.address.conceal(thrown);
      if (client.stopped) throw error;
      if (!(error instanceof VerifyError) || !otherMaySucceed(error)) throw error;
      notify(this.#onFailure, { url: listed.name, error });
      // The authorities signed two heads, which no other server can undo.
      if (error.reason === "equivocation") throw error;
      // Another question may have stopped the client meanwhile.
      check();
      return { error };
    } finally {
      for (const release of releases) release();
    }
  }

  /** Adds functions to `releases` that release the memory of replies, once the question is answered. */
  #open(
    listed: ListedServer,
    signal: AbortSignal | undefined,
    check: () => void,
    releases: (() => void)[],
  ): Server {
    const { name, address } = listed;
    const { url } = address;
    const fetch = address.fetchBy(this.#transport.fetch);
    const question = { received: 0 };
    const replies: (() => void)[] = [];
    const forget = () => {
      for (const release of replies.splice(0)) release();
    };
    releases.push(forget);
    const bounded = async <T>(
      bounds: ReplyBounds,
      memory: ReplyMemory,
      send: (transport: Transport) => Promise<T>,
    ): Promise<T> => {
      const { grow, release } = memory.open();
      const isTransient = bounds.transient ?? false;
      if (!isTransient) replies.push(release);
      try {
        return await send({
          ...this.#transport,
          fetch,
          maxReplyBytes: Math.min(bounds.bytes, this.#transport.maxReplyBytes),
          maxReplyItems: bounds.items,
          maxReplyMembers: bounds.members,
          received: (bytes) => {
            question.received += bytes;
          },
          grow,
        });
      } finally {
        if (isTransient) release();
      }
    };
    const callOne: Caller["call"] = async (method, params) => {
      check();
      // Paths have their own memory: a question asks for them while it holds its answer.
      const memory = method === "prooflight_headerProof" ? this.#paths : this.#answers;
      return bounded(this.#boundsOf(method, params), memory, (transport) =>
        call(transport, url, method, params, signal),
      );
    };
    const boundsOf = ({ method, params }: BatchedCall) => this.#boundsOf(method, params);
    const batching = new BatchingCaller({
      url,
      call: callOne,
      callBatch: async (calls) => {
        check();
        return bounded(sumOf(calls.map(boundsOf)), this.#answers, (transport) =>
          callBatch(transport, url, calls, signal),
        );
      },
      mostBytes: (call) => boundsOf(call).bytes,
      maxReplyBytes: this.#transport.maxReplyBytes,
    });
    releases.push(() => {
      batching.close();
    });
    return {
      url,
      name,
      forget,
      batching,
      get received() {
        return question.received;
      },
      call: callOne,
      get: async (path, accept) => {
        check();
        const resource = new URL(url);
        const [pathname = "", query] = path.split("?", 2);
        resource.pathname = resource.pathname.replace(/\/$/, "") + pathname;
        for (const [name, value] of new URLSearchParams(query)) {
          resource.searchParams.set(name, value);
        }
        return bounded(this.#boundsOf(path, {}), this.#answers, (transport) =>
          exchange(transport, resource, { headers: { accept } }, signal),
        );
      },
      others: () =>
        this.inOrder()
          .filter((other) => other !== listed)
          .map((other) => this.#open(other, signal, check, releases)),
    };
  }

  #at(index: number): ListedServer {
    const listed = this.#servers[index];
    if (!listed) throw refuse("bug", "a server", "none");
    return listed;
  }
}

/**
 * The error of the first server that lied, otherwise of the first one; if there are several, its `cause` is an
 * `AggregateError` of all of them.
 */
export function worstError(errors: readonly VerifyError[]): VerifyError {
  const [first] = errors;
  const refusal = errors.find(({ code }) => code !== "unavailable") ?? first;
  if (!refusal) throw refuse("bug", "a server that failed", "none");
  if (errors.length === 1) return refusal;
  const cause = new AggregateError(errors, "no server gave an answer that verifies");
  return new VerifyError(refusal.toJSON(), { cause });
}
