import { abortSignal, Arguments, invalid } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import type { ChainLimits, Checkpoint } from "../chain/checkpoint.js";
import { copyHeader, type Header } from "../chain/header.js";
import { initScheme, keptScheme, keptSchemes, type StateScheme } from "../chain/schemes.js";
import type { SetupTrust } from "../chain/state.js";
import { describe, refuse } from "../error.js";
import { Servers } from "../transport/servers.js";
import { init } from "../wasm/hash.js";
import { type Answer, answers } from "./answers.js";
import { Authentication, type ClientContext } from "./authentication.js";
import { type Block, blocks, type BlocksOptions } from "./blocks.js";
import { boundsOf } from "./bounds.js";
import { EndableGenerator } from "./following.js";
import { HeadWatch, type WatchOptions } from "./heads.js";
import {
  type Diff,
  diff,
  type DiffOptions,
  type History,
  history,
  type HistoryOptions,
  type TimeWeightedAverage,
  twap,
} from "./history.js";
import { type Options, readOptions } from "./options.js";
import { type At, type Key, readAt, readKey, readKeys } from "./questions.js";
import {
  type Count,
  count,
  type CountOptions,
  range,
  type RangeOptions,
  type RangePage,
} from "./range.js";
import { Trust } from "./trust.js";

/** Options of {@link LightClient.get}. */
export interface GetOptions {
  /** The scheme that proves the answer; one of {@link LightClient.schemes}, by default the first. */
  scheme?: StateScheme | undefined;
  /** The block to ask about. Default `latest`. */
  at?: At | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

/**
 * A client that accepts only data that is proven from its checkpoint.
 *
 * The client may use several servers: if one fails or lies, it asks the next. Every error is a `VerifyError`, or the
 * reason of an `AbortSignal`.
 *
 * Once the authorities are found to have signed two histories, every member but `close` throws the
 * {@link EquivocationError} that has the evidence, and pending questions and iterators reject with it.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/follow-a-chain.md | Follow a chain}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#4-sync | The specification, chain 4}
 *
 * @example
 * ```ts
 * import { LightClient } from "prooflight";
 *
 * const client = await LightClient.connect({
 *   urls: ["https://one.example", "https://two.example"],
 *   checkpoint, // yours; never from a server
 * });
 * const answer = await client.get({ text: "account/alice" });
 * if (answer.kind === "present") console.log(answer.value, "at block", answer.block.height);
 * ```
 */
export class LightClient {
  readonly #servers: Servers;
  readonly #trust: Trust;
  readonly #authentication: Authentication;
  readonly #watch: HeadWatch;
  readonly #setup: SetupTrust;
  readonly #following = new Set<EndableGenerator<Block>>();

  private constructor(
    servers: Servers,
    trust: Trust,
    settings: WatchOptions & { setup: SetupTrust },
  ) {
    this.#servers = servers;
    this.#trust = trust;
    this.#authentication = new Authentication(trust);
    this.#watch = new HeadWatch(servers, (signal) => this.sync({ signal }), settings);
    this.#setup = settings.setup;
    // Once there are two histories, no listener gets another head.
    trust.onStop((error) => {
      this.#watch.stop(error);
    });
  }

  /**
   * Makes a client and accepts a first head. Loads the WebAssembly unless it is loaded.
   *
   * Throws `invalid_input` for wrong options or a malformed checkpoint, `untrusted` if no server's head extends
   * the checkpoint, `unavailable` if no server answers.
   */
  static async connect(options: Options): Promise<LightClient> {
    const settings = readOptions(options);
    const { urls, checkpoint, transport, freshness, now, onFailure, signal } = settings;
    const check = () => {
      trust.check();
    };
    const bounds = (method: string, params: object) =>
      boundsOf(trust.pinned.json.config, method, params);
    const servers = new Servers(urls, transport, onFailure, check, bounds);
    const trust = new Trust(checkpoint, freshness, now);
    await init();
    const client = new LightClient(servers, trust, settings);
    await client.sync({ signal });
    return client;
  }

  /** The newest accepted head. */
  get head(): Header {
    this.#trust.check();
    return copyHeader(this.#trust.head.header);
  }

  /** The schemes of the checkpoint's chain that prove values of keys; schemes without pairings come first. */
  get schemes(): StateScheme[] {
    this.#trust.check();
    return keptSchemes(this.#trust.pinned.json.config);
  }

  /** Asks for the newest head, accepts it and returns it. Throws like {@link LightClient.connect}. */
  async sync(options: { signal?: AbortSignal | undefined } = {}): Promise<Header> {
    this.#trust.check();
    const signal = abortSignal(new Arguments(undefined, options, ["signal"]).unchecked("signal"));
    return this.#servers.ask(async (server) => {
      return copyHeader(await this.#authentication.newest(server));
    }, signal);
  }

  /**
   * Returns the verified value of a key, or its verified absence.
   *
   * Throws a `VerifyError` if no server's answer verifies: `mismatch` or `malformed` for a wrong proof,
   * `untrusted` for a wrong head or block, `unavailable` if there is no answer or no such block.
   */
  async get(key: Key, options: GetOptions = {}): Promise<Answer> {
    const [answer] = await this.#answers((limits) => [readKey(key, limits)], options);
    if (!answer) throw refuse("bug", "one answer", "none");
    return answer;
  }

  /**
   * Returns the verified values of several keys at one block.
   *
   * This takes one request and one verification; for `lvmt` with shards, one of each for every server that is needed.
   */
  async getMany(keys: readonly Key[], options: GetOptions = {}): Promise<Answer[]> {
    return this.#answers((limits) => readKeys(keys, limits), options);
  }

  async #answers(read: (limits: ChainLimits) => Bytes[], options: GetOptions): Promise<Answer[]> {
    this.#trust.check();
    const given = new Arguments(undefined, options, ["scheme", "at", "signal"]);
    const { config } = this.#trust.pinned.json;
    const scheme = keptScheme(config, given.unchecked("scheme"));
    const raw = read(config.limits);
    const where = readAt(given.unchecked("at") ?? "latest");
    const signal = abortSignal(given.unchecked("signal"));
    if (raw.length === 0) return [];
    await initScheme(scheme);
    return answers(
      this.#context,
      { scheme, config, setup: this.#setup, keys: raw, at: where },
      signal,
    );
  }

  /**
   * Returns every change of a key in a range of blocks, and verifies that none is missing. Needs a chain with `smt` or
   * `amb`.
   *
   * Throws like {@link LightClient.get}; `invalid_input` / `invalid_argument` for a range that ends before it begins.
   *
   * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/ask-about-the-past.md | Ask about the past}
   */
  async history(key: Key, options: HistoryOptions): Promise<History> {
    this.#trust.check();
    return history(this.#context, key, options);
  }

  /**
   * Returns every key that changed after one block and up to another, with its last change, and verifies that none
   * is missing. Needs a chain with `smt`. Throws like {@link LightClient.history}.
   *
   * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/ask-about-the-past.md | Ask about the past}
   */
  async diff(options: DiffOptions): Promise<Diff> {
    this.#trust.check();
    return diff(this.#context, options);
  }

  /**
   * Returns the time-weighted average of a key's values from one block to another, with the verified history that
   * it is computed from. Needs a chain with `smt`.
   *
   * Values must be unsigned integers of 1 to 32 bytes, big-endian; otherwise it throws `invalid_input` /
   * `value_not_number`. Other errors are those of {@link LightClient.history}.
   *
   * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/ask-about-the-past.md | Ask about the past}
   */
  async twap(key: Key, options: HistoryOptions): Promise<TimeWeightedAverage> {
    this.#trust.check();
    return twap(this.#context, key, options);
  }

  /**
   * Lists all keys of a range with their values after a block, one verified page after another. Needs a chain with
   * `amb`.
   *
   * Each page proves that no key between its bounds is missing, and begins where the previous page ended. The root of
   * one head proves all pages of a walk, whichever servers they come from. The `next` of the last page is null: the
   * list is then complete.
   *
   * If a server sends many pages without an entry, the client asks the next server; short pages are accepted. Servers
   * keep only the roots of their newest blocks, the reference node 64. A walk that takes longer ends with `unavailable`
   * / `version_unavailable`; another walk can continue from its last `next`, with the height of its `block` as `at`.
   *
   * Throws `invalid_input` for wrong options immediately. `next()` throws like {@link LightClient.get}, and
   * `unavailable` / `too_many_pages` if no server sends a page with an entry.
   *
   * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/list-keys.md | List keys}
   */
  range(options: RangeOptions = {}): AsyncGenerator<RangePage, void, undefined> {
    this.#trust.check();
    return range(this.#context, options);
  }

  /**
   * Returns the verified number of keys of a range that have a value. Needs a chain with `amb`.
   *
   * Throws like {@link LightClient.get}; `unavailable` / `version_unavailable` for a block whose root the servers no
   * longer keep: {@link LightClient.range} lists the keys of any block.
   *
   * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/list-keys.md | List keys}
   */
  async count(options: CountOptions = {}): Promise<Count> {
    this.#trust.check();
    return count(this.#context, options);
  }

  /**
   * Calls `listener` with the current head and then with every newly accepted one.
   *
   * The client reports failures of a server to `onFailure` of the options, and asks the next server. If all servers
   * fail, `onError` gets the error, and the client retries. Returns a function that ends the subscription. Throws
   * `invalid_input` / `invalid_argument` if a listener is not a function.
   */
  onHead(listener: (head: Header) => void, onError?: (error: unknown) => void): () => void {
    this.#trust.check();
    checkFunction(listener, "listener");
    if (onError !== undefined) checkFunction(onError, "onError");
    return this.#watch.subscribe(listener, onError);
  }

  /**
   * Follows the chain block by block.
   *
   * The client verifies that a block's operations are those of its header, and that they lead from the previous state
   * to the header's state. It keeps only 33 bytes of state.
   *
   * The iterator waits while servers are unavailable. `next()` throws other errors like {@link LightClient.get}, also
   * for wrong options, and the reason of an aborted `signal`. `return()` and {@link LightClient.close} end the iterator
   * immediately; a pending `next()` then resolves as done.
   */
  blocks(options: BlocksOptions = {}): AsyncGenerator<Block, void, undefined> {
    const client = {
      ...this.#context,
      sync: (signal: AbortSignal) => this.sync({ signal }),
      onHead: this.onHead.bind(this),
    };
    const following = new EndableGenerator(
      (ended) => blocks(client, options, ended),
      (done) => this.#following.delete(done),
    );
    this.#following.add(following);
    return following;
  }

  /** The newest accepted head as a checkpoint, for the application to save and pin next time. */
  exportCheckpoint(): Checkpoint {
    this.#trust.check();
    return this.#trust.checkpoint;
  }

  /**
   * Ends all subscriptions of {@link LightClient.onHead} and {@link LightClient.blocks}. The client can still be used.
   */
  close(): void {
    for (const following of [...this.#following]) following.end();
    this.#watch.close();
  }

  get #context(): ClientContext {
    return {
      servers: this.#servers,
      trust: this.#trust,
      authentication: this.#authentication,
    };
  }
}

function checkFunction(given: unknown, name: string): void {
  if (typeof given !== "function") throw invalid(undefined, name, "a function", describe(given));
}
