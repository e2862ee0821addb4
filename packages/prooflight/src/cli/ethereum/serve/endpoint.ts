/** JSON-RPC: single requests and batches, answered by a provider of EIP-1193. */

import type { Eip1193Provider } from "../../../provider/request.js";
import { VERSION } from "../../../registry.js";
import type { StartGate } from "./queue.js";
import { NoHead, QueueFull, WorkQueue } from "./queue.js";

/** The bounds of an endpoint. */
export interface EndpointLimits {
  /** Requests of a batch. */
  batch: number;
  /** Characters of all replies to a batch. */
  batchReply: number;
  /** Requests that are at work at once. */
  running: number;
  /** Requests that wait for others. */
  waiting: number;
}

/** The bounds, unless others are given. */
export const LIMITS: EndpointLimits = {
  batch: 100,
  // As much as one reply with logs may take.
  batchReply: 64 * 1024 * 1024,
  running: 32,
  waiting: 512,
};

/** The most characters of a method's name. Longer ones are unknown. */
const MAX_METHOD_CHARACTERS = 128;

/** The methods that only a connection has which can be notified. */
const SUBSCRIPTION_METHODS: ReadonlySet<string> = new Set(["eth_subscribe", "eth_unsubscribe"]);

/** An error of JSON-RPC. */
interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

type Id = string | number | null;

/** Opens and ends subscriptions, for a connection that can be notified. */
export type SubscribeHandler = (request: Pick<Request, "method" | "params">) => Promise<unknown>;

/** What a body of requests shares: who waits for it, and how much its replies may take. */
interface Exchange {
  signal: AbortSignal | undefined;
  subscribe: SubscribeHandler | undefined;
  charactersLeft: number;
}

/** Answers the requests of JSON-RPC bodies. */
export class Endpoint {
  readonly #provider: Eip1193Provider;
  readonly #gate: StartGate | undefined;
  readonly #limits: EndpointLimits;
  readonly #queue: WorkQueue;

  /** Requests that ask the provider wait for `gate`. */
  constructor(
    provider: Eip1193Provider,
    { gate, limits = {} }: { gate?: StartGate; limits?: Partial<EndpointLimits> } = {},
  ) {
    this.#provider = provider;
    this.#gate = gate;
    this.#limits = { ...LIMITS, ...limits };
    this.#queue = new WorkQueue(this.#limits.running, this.#limits.waiting);
  }

  /**
   * The reply to a body; undefined if it has only notifications. `signal` is aborted if nobody waits any more; without
   * `subscribe`, there are no subscriptions.
   */
  async answer(
    body: Uint8Array,
    signal?: AbortSignal,
    subscribe?: SubscribeHandler,
  ): Promise<string | undefined> {
    const given = parse(body);
    if (given === undefined) return failure(null, { code: -32700, message: "not JSON" });
    const { batch, batchReply } = this.#limits;
    if (!Array.isArray(given)) {
      return this.#reply(given, { signal, subscribe, charactersLeft: Infinity });
    }
    if (given.length === 0) return failure(null, wrongRequest("the batch is empty"));
    if (given.length > batch) {
      return failure(null, overLimit(`a batch has at most ${batch} requests`));
    }
    const exchange = { signal, subscribe, charactersLeft: batchReply };
    const replies = await Promise.all(given.map((one) => this.#reply(one, exchange)));
    const texts = replies.filter((reply) => reply !== undefined);
    return texts.length === 0 ? undefined : `[${texts.join()}]`;
  }

  /** The reply to one request; undefined for a notification. */
  async #reply(given: unknown, exchange: Exchange): Promise<string | undefined> {
    const request = read(given);
    if ("error" in request) return failure(request.id, request.error);
    const { id } = request;
    let reply: string;
    try {
      const result = await this.#result(request, exchange);
      reply = JSON.stringify({ jsonrpc: "2.0", id: id ?? null, result: result ?? null });
    } catch (error) {
      reply = failure(id ?? null, errorOf(error, request.method));
    }
    if (id === undefined) return undefined;
    exchange.charactersLeft -= reply.length;
    if (exchange.charactersLeft >= 0) return reply;
    return failure(id, overLimit("the replies to this batch are too long; ask for less at once"));
  }

  async #result({ method, params }: Request, { signal, subscribe }: Exchange): Promise<unknown> {
    if (method === "web3_clientVersion") return `prooflight/${VERSION}`;
    const isSubscription = SUBSCRIPTION_METHODS.has(method);
    // What geth answers over HTTP. Its older versions have the code -32001, which means something else here.
    if (isSubscription && !subscribe) throw new Refused(-32601, "notifications not supported");
    if (method.length > MAX_METHOD_CHARACTERS) throw unknownMethod(method);
    const ask = isSubscription ? subscribe : undefined;
    await this.#gate?.pass();
    return this.#queue.run(
      () => ask?.({ method, params }) ?? this.#provider.request({ method, params }),
      signal,
    );
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

/** A request; one without an id is a notification. */
interface Request {
  id: Id | undefined;
  method: string;
  params: readonly unknown[] | object;
}

/** Reads a request, or says why it is none. */
function read(given: unknown): Request | { id: Id; error: RpcError } {
  const refused = (message: string, id: Id = null) => ({ id, error: wrongRequest(message) });
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return refused("a request is an object");
  }
  const { jsonrpc, id, method, params } = given as Record<string, unknown>;
  if (id !== undefined && !isId(id)) {
    return refused("an id is a string, null, or a number that JSON keeps");
  }
  if (jsonrpc !== "2.0") return refused('a request has "jsonrpc": "2.0"', id);
  if (typeof method !== "string") return refused("a method is a string", id);
  // Some programs send null for none.
  const list = params ?? [];
  if (typeof list !== "object") return refused("parameters are an array", id);
  return { id, method, params: list };
}

/** Whether a reply can repeat an id exactly. */
const isId = (id: unknown): id is Id =>
  id === null ||
  typeof id === "string" ||
  (typeof id === "number" && (!Number.isInteger(id) || Number.isSafeInteger(id)));

const failure = (id: Id, error: RpcError): string => JSON.stringify({ jsonrpc: "2.0", id, error });

const wrongRequest = (message: string): RpcError => ({
  code: -32600,
  message: `invalid request: ${message}`,
});

const overLimit = (message: string): RpcError => ({
  code: -32005,
  message: `limit exceeded: ${message}`,
});

/** A refusal of the endpoint itself. */
class Refused extends Error {
  override readonly name = "Refused";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The refusal in the words of geth, which programs look for: foundry goes on after no other code. */
const unknownMethod = (method: string) => {
  const shown = method.slice(0, MAX_METHOD_CHARACTERS);
  return new Refused(-32601, `the method ${shown} does not exist/is not available`);
};

/** The error of a request as JSON-RPC has it. */
function errorOf(thrown: unknown, method: string): RpcError {
  if (thrown instanceof QueueFull) return overLimit(thrown.message);
  if (thrown instanceof NoHead) return { code: -32001, message: thrown.message };
  const { code, message, data } = Object(thrown) as Partial<Record<keyof RpcError, unknown>>;
  if (typeof code !== "number" || !Number.isSafeInteger(code)) {
    return { code: -32603, message: "internal error" };
  }
  const known = isUnserved(data, method) ? unknownMethod(method) : { code, message };
  return {
    code: known.code,
    message: typeof known.message === "string" ? known.message : "",
    ...(data !== undefined && { data }),
  };
}

/** Whether a refusal is about the method itself, and not about its parameters. */
function isUnserved(data: unknown, method: string): boolean {
  const { reason, found } = Object(data) as { reason?: unknown; found?: unknown };
  return reason === "unverifiable_method" && found === method;
}
