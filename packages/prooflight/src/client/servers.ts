/** Several servers for one chain. If one fails or lies, the next is asked. */

import { Address, foundInstead } from "../address.js";
import { Arguments } from "../arguments.js";
import { refuse, VerifyError } from "../error.js";
import type { Code } from "../registry.js";
import { throwIfAborted } from "./abort.js";
import type { Bounds } from "./bounds.js";
import { notify } from "./callback.js";
import { InFlight } from "./in-flight.js";
import { Places } from "./places.js";
import { exchange, type Reply, type Transport } from "./http.js";
import { call } from "./rpc.js";
import { readShard, type Shard } from "./shard.js";

/** A server that answers a question. */
export interface Server {
  /** Its URL, without user and password. */
  readonly url: URL;
  /** What may be shown of its URL; different for each server of a client. */
  readonly name: string;
  /** Calls a method; throws like `call` of `rpc.ts`. */
  call(method: string, params: object): Promise<unknown>;
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
   * The server: the origin of its URL, whose other parts may be secret. If several servers have that origin, followed by
   * the server's place in the list, counted from one, as in `https://host/ (server 2)`.
   */
  url: string;
  /** Why its answer was refused. */
  error: VerifyError;
}

/** Whether another server could succeed where this one failed. Other refusals are the caller's fault or a bug. */
const mayDoBetter = ({ code, reason }: VerifyError) =>
  reason === "unsupported_fork" || (OTHERS_MAY_DO_BETTER.has(code) && reason !== "setup_mismatch");

const OTHERS_MAY_DO_BETTER: ReadonlySet<Code> = new Set([
  "malformed",
  "mismatch",
  "untrusted",
  "unavailable",
]);

/** A server as the application listed it. */
export interface Listed {
  readonly address: Address;
  /** What may be shown of its URL; different for each server of a client. */
  readonly name: string;
  /** The part of LVMT's keys that it proves; undefined for all. */
  readonly shard: Shard | undefined;
}

/** The outcome of asking one server. */
export type Attempt<T> = { answer: T; error?: never } | { error: VerifyError; answer?: never };

/** Memory for replies, in addition to one answer and one path of any allowed size. */
const ANSWERS_ROOM = { beginnings: 8 * 1024 * 1024, rest: 16 * 1024 * 1024 };
const PATHS_ROOM = { beginnings: 8 * 1024 * 1024, rest: 0 };

export class Servers {
  readonly #transport: Transport;
  readonly #listed: readonly Listed[];
  readonly #places: ReadonlyMap<Listed, Places>;
  readonly #onFailure: (failure: Failure) => void;
  readonly #check: () => void;
  readonly #boundsOf: (method: string, params: object) => Bounds;
  readonly #answers = new InFlight(ANSWERS_ROOM);
  readonly #paths = new InFlight(PATHS_ROOM);
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
    boundsOf: (method: string, params: object) => Bounds,
  ) {
    if (urls.length === 0) throw refuse("invalid_argument", "at least one URL of a server", "none");
    this.#listed = named(urls.map(parse));
    this.#places = new Map(this.#listed.map((listed) => [listed, new Places()]));
    this.#transport = transport;
    this.#onFailure = onFailure;
    this.#check = check;
    this.#boundsOf = boundsOf;
  }

  /** The server that is asked first. */
  get preferred(): Listed {
    return this.#at(this.#preferred);
  }

  /** Whether there are servers that prove only a part of LVMT's keys. */
  get sharded(): boolean {
    return this.#listed.some(({ shard }) => shard !== undefined);
  }

  /** All servers, in the order in which they are asked. */
  inOrder(): Listed[] {
    return [...this.#listed.slice(this.#preferred), ...this.#listed.slice(0, this.#preferred)];
  }

  /**
   * Runs `ask` with one server after another until one succeeds.
   *
   * If none does, throws the {@link worst} of their errors.
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
    throw worst(errors);
  }

  /** Runs `ask` with every server; throws the {@link worst} of the errors if one fails. */
  async askEach<T>(
    ask: (server: Server) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T[]> {
    const attempts = await Promise.all(this.#listed.map((listed) => this.try(listed, ask, signal)));
    const errors = attempts.flatMap(({ error }) => error ?? []);
    if (errors.length > 0) throw worst(errors);
    return attempts.map(({ answer }) => answer as T);
  }

  /** Asks this server first from now on. */
  prefer(listed: Listed): void {
    this.#preferred = this.#listed.indexOf(listed);
  }

  /** Runs `ask` with one server. Throws errors that another server could not avoid. */
  async try<T>(
    listed: Listed,
    ask: (server: Server) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<Attempt<T>> {
    // If another question stops the client, that is not this server's failure.
    const client = { stopped: false };
    const check = () => {
      client.stopped = true;
      this.#check();
      client.stopped = false;
    };
    check();
    const held: (() => void)[] = [];
    const places = this.#places.get(listed);
    let answered = false;
    try {
      await places?.take(this.#transport.timeout, listed.address.url.host, signal);
      held.push(() => places?.free(answered));
      check();
      const answer = await ask(this.#open(listed, signal, check, held));
      check();
      answered = true;
      return { answer };
    } catch (thrown) {
      // Nor is the application's own abort.
      throwIfAborted(signal);
      const error = listed.address.conceal(thrown);
      if (client.stopped) throw error;
      if (!(error instanceof VerifyError) || !mayDoBetter(error)) throw error;
      notify(this.#onFailure, { url: listed.name, error });
      // The authorities signed two heads, which no other server can undo.
      if (error.reason === "equivocation") throw error;
      // Another question may have stopped the client meanwhile.
      check();
      return { error };
    } finally {
      for (const release of held) release();
    }
  }

  /** Adds functions to `held` that release the memory of replies, once the question is answered. */
  #open(
    listed: Listed,
    signal: AbortSignal | undefined,
    check: () => void,
    held: (() => void)[],
  ): Server {
    const { name, address } = listed;
    const { url } = address;
    const fetch = address.fetchBy(this.#transport.fetch);
    const question = { received: 0 };
    const replies: (() => void)[] = [];
    const forget = () => {
      for (const release of replies.splice(0)) release();
    };
    held.push(forget);
    const bounded = async <T>(
      bounds: Bounds,
      room: InFlight,
      send: (transport: Transport) => Promise<T>,
    ): Promise<T> => {
      const { grow, release } = room.open();
      const passing = bounds.passing ?? false;
      if (!passing) replies.push(release);
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
        if (passing) release();
      }
    };
    return {
      url,
      name,
      forget,
      get received() {
        return question.received;
      },
      call: async (method, params) => {
        check();
        // Paths have a room of their own: a question asks for them while it holds its answer.
        const room = method === "prooflight_headerProof" ? this.#paths : this.#answers;
        return bounded(this.#boundsOf(method, params), room, (transport) =>
          call(transport, url, method, params, signal),
        );
      },
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
          .map((other) => this.#open(other, signal, check, held)),
    };
  }

  #at(index: number): Listed {
    const listed = this.#listed[index];
    if (!listed) throw refuse("bug", "a server", "none");
    return listed;
  }
}

/**
 * The error of the first server that lied, otherwise of the first one; if there are several, its `cause` is an
 * `AggregateError` of all of them.
 */
export function worst(errors: readonly VerifyError[]): VerifyError {
  const [first] = errors;
  const told = errors.find(({ code }) => code !== "unavailable") ?? first;
  if (!told) throw refuse("bug", "a server that failed", "none");
  if (errors.length === 1) return told;
  const cause = new AggregateError(errors, "no server gave an answer that verifies");
  return new VerifyError(told.toJSON(), { cause });
}

type Unnamed = Omit<Listed, "name">;

function parse(given: unknown, index: number): Unnamed {
  if (typeof given !== "object" || given === null || given instanceof URL) {
    return { address: addressOf(given), shard: undefined };
  }
  const path = `urls[${index}]`;
  const members = new Arguments(undefined, given, ["url", "shard"], path);
  const shard = readShard(members.unchecked("shard"), `${path}.shard`);
  return { address: addressOf(members.unchecked("url")), shard };
}

/** Names servers by their origins, and numbers those of one origin by their places in the list. */
function named(listed: readonly Unnamed[]): Listed[] {
  return listed.map((one, index) => {
    const { origin } = one.address;
    const isAlone = listed.every((other) => other === one || other.address.origin !== origin);
    return { ...one, name: isAlone ? origin : `${origin} (server ${index + 1})` };
  });
}

function addressOf(given: unknown): Address {
  const { location } = globalThis as { location?: Location };
  const base = location?.protocol.startsWith("http") ? location.href : undefined;
  const isText = typeof given === "string" || given instanceof URL;
  const address = isText ? Address.read(given, base) : undefined;
  if (address) return address;
  throw refuse("invalid_argument", "an http or https URL of a server", foundInstead(given));
}
