import { Arguments } from "../arguments.js";
import { type Bytes, toHex } from "../bytes.js";
import type { Checkpoint } from "../chain/checkpoint.js";
import { copyHeader, decodeHeader, type Header } from "../chain/header.js";
import { toQuantity } from "../chain/quantity.js";
import { initScheme, readScheme, type SetupTrust, type StateScheme } from "../chain/schemes.js";
import { verifyAncestor } from "../chain/sync.js";
import { refuse } from "../error.js";
import { init } from "../wasm/hash.js";
import { type Answer, answers, type AskingClient, type Authentic } from "./answers.js";
import { type Block, blocks, type BlocksOptions } from "./blocks.js";
import { boundsOf } from "./bounds.js";
import {
  diff,
  type Diff,
  type DiffOptions,
  history,
  type History,
  type HistoryOptions,
  twap,
  type TimeWeightedAverage,
} from "./history.js";
import { Following } from "./following.js";
import { Forks } from "./forks.js";
import { HeadWatch, type WatchOptions } from "./heads.js";
import { abortSignal, type Options, readOptions } from "./options.js";
import { type HeaderProof, readHeaderProof } from "./replies.js";
import { type At, checkBlock, type Key, readAt, readKeys, type Wanted } from "./questions.js";
import { type Server, Servers } from "./servers.js";
import { type Accepted, Trust } from "./trust.js";

/** What {@link LightClient.get} takes beside the key. */
export interface GetOptions {
  /** The scheme that proves the answer. Default `avl`. */
  scheme?: StateScheme | undefined;
  /** The block to ask about. Default `latest`. */
  at?: At | undefined;
  /** Ends the request. */
  signal?: AbortSignal | undefined;
}

/**
 * A client that believes nothing but what follows from the checkpoint it was given.
 *
 * It may use several servers: where one fails or lies, the next is asked. Every error is a
 * `VerifyError`, or the reason of an `AbortSignal`.
 */
export class LightClient {
  readonly #servers: Servers;
  readonly #trust: Trust;
  readonly #forks: Forks;
  readonly #watch: HeadWatch;
  readonly #setup: SetupTrust;
  readonly #following = new Set<Following<Block>>();

  private constructor(
    servers: Servers,
    trust: Trust,
    settings: WatchOptions & { setup: SetupTrust },
  ) {
    this.#servers = servers;
    this.#trust = trust;
    this.#forks = new Forks(trust);
    this.#watch = new HeadWatch(servers, (signal) => this.sync({ signal }), settings);
    this.#setup = settings.setup;
  }

  /**
   * Makes a client and accepts a first head; loads the WebAssembly if it is not loaded.
   *
   * Throws `invalid_input` for wrong options or a checkpoint that is none, `untrusted` if no head of
   * the servers extends the checkpoint, `unavailable` if none could be had.
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
    return copyHeader(this.#accepted.header);
  }

  /** Asks for the newest head and accepts it; gives it. Throws as {@link LightClient.connect}. */
  async sync(options: { signal?: AbortSignal | undefined } = {}): Promise<Header> {
    this.#trust.check();
    const signal = abortSignal(new Arguments(undefined, options, ["signal"]).unchecked("signal"));
    return this.#servers.ask(async (server) => {
      for (;;) {
        const before = this.#trust.accepted;
        const proof = await this.#newestOf(server);
        try {
          const head = decodeHeader(proof.head);
          const fromPinned = await this.#pathFromPinned(server, head, proof.path);
          // Another call may have accepted a head meanwhile, of which this path knows nothing.
          if (this.#trust.accepted !== before) continue;
          return copyHeader(this.#trust.accept(proof.head, proof, fromPinned));
        } catch (error) {
          throw await this.#forks.judge(error, server, proof.head, proof.header);
        }
      }
    }, signal);
  }

  /**
   * The verified value of a key, or that it has none.
   *
   * Throws a `VerifyError` if no server gives an answer that verifies: `mismatch` or
   * `malformed` for a wrong proof, `untrusted` for a wrong head or block, `unavailable` if there is
   * no answer or no such block.
   */
  async get(key: Key, options: GetOptions = {}): Promise<Answer> {
    const [answer] = await this.getMany([key], options);
    if (!answer) throw refuse("bug", "one answer", "none");
    return answer;
  }

  /**
   * The verified values of several keys at one block, with one request and one verification: of `lvmt`, one
   * for each of the servers whose shards are needed.
   */
  async getMany(keys: readonly Key[], options: GetOptions = {}): Promise<Answer[]> {
    this.#trust.check();
    const given = new Arguments(undefined, options, ["scheme", "at", "signal"]);
    const scheme = readScheme(given.unchecked("scheme") ?? "avl");
    const { config } = this.#trust.pinned.json;
    const raw = readKeys(keys, config.limits);
    const where = readAt(given.unchecked("at") ?? "latest");
    const signal = abortSignal(given.unchecked("signal"));
    if (raw.length === 0) return [];
    await initScheme(scheme);
    return answers(
      this.#asking,
      { scheme, config, setup: this.#setup, keys: raw, at: where },
      signal,
    );
  }

  /**
   * Every change of a key in a range of blocks, verified to be all of them; on a chain with `smt`.
   *
   * Throws as {@link LightClient.get}; `invalid_argument` for a range that ends before it begins.
   */
  async history(key: Key, options: HistoryOptions): Promise<History> {
    this.#trust.check();
    return history(this.#asking, key, options);
  }

  /**
   * Every key that changed after one block and up to another, with its last change, verified to be all of
   * them; on a chain with `smt`. Throws as {@link LightClient.history}.
   */
  async diff(options: DiffOptions): Promise<Diff> {
    this.#trust.check();
    return diff(this.#asking, options);
  }

  /**
   * The average of a key's values over the time from one block to another, each weighted by how long the
   * key had it, with the verified history that it is of; on a chain with `smt`.
   *
   * Values are unsigned integers of 1 to 32 bytes, big-endian; another is `value_not_number`. Throws as
   * {@link LightClient.history}.
   */
  async twap(key: Key, options: HistoryOptions): Promise<TimeWeightedAverage> {
    this.#trust.check();
    return twap(this.#asking, key, options);
  }

  /**
   * Calls `listener` with every new head that was accepted, the present one first.
   *
   * A server that fails or lies is reported to `onFailure` of the options, and the next one asked, for
   * ever; `onError` gets what none could mend. The function that is returned ends it.
   */
  onHead(listener: (head: Header) => void, onError?: (error: unknown) => void): () => void {
    return this.#watch.subscribe(listener, onError);
  }

  /**
   * Follows the chain block by block: checks that each block's operations are those of its header, and
   * lead from the state before to the one that its header has. Needs 33 bytes of state.
   *
   * Where servers are unavailable it waits for them; else it throws as {@link LightClient.get}, and
   * the reason of `signal` once that says to end. `return()` ends it at once, and so does
   * {@link LightClient.close}: a `next()` under way gives that it is done.
   */
  blocks(options: BlocksOptions = {}): AsyncGenerator<Block, void, undefined> {
    const client = {
      ...this.#asking,
      sync: (signal: AbortSignal) => this.sync({ signal }),
      onHead: this.onHead.bind(this),
    };
    const following = new Following(
      (ended) => blocks(client, options, ended),
      (done) => this.#following.delete(done),
    );
    this.#following.add(following);
    return following;
  }

  /** The newest accepted head as a checkpoint, for the application to save and pin next time. */
  exportCheckpoint(): Checkpoint {
    return this.#trust.checkpoint;
  }

  /** Ends what {@link LightClient.onHead} and {@link LightClient.blocks} began; both may be begun again. */
  close(): void {
    for (const following of [...this.#following]) following.end();
    this.#watch.close();
  }

  get #asking(): AskingClient {
    return {
      servers: this.#servers,
      trust: this.#trust,
      authenticate: (server, signed, wanted) => this.#authenticate(server, signed, wanted),
    };
  }

  get #accepted(): Accepted {
    const { accepted } = this.#trust;
    if (!accepted) throw refuse("bug", "an accepted head", "none");
    return accepted;
  }

  /** The newest head that a server has, with the place of what is trusted in its history. */
  async #newestOf(server: Server): Promise<HeaderProof> {
    const params = { at: toQuantity(this.#trust.height), head: "latest" };
    try {
      return readHeaderProof(await server.call("prooflight_headerProof", params));
    } catch (error) {
      throw await this.#forks.judgeNewest(error, server);
    }
  }

  /** Shows that a header is that of a wanted block, and is an accepted head or an ancestor of one. */
  async #authenticate(server: Server, signed: Bytes, wanted: Wanted): Promise<Authentic> {
    const claimed = decodeHeader(signed);
    try {
      checkBlock(wanted, claimed);
      const authentic = await this.#place(server, signed, claimed);
      // Of a newest block that a newer one has overtaken meanwhile, nobody has looked at the age.
      if (authentic.older && wanted.at === "latest") this.#trust.checkFresh(signed, claimed);
      return authentic;
    } catch (error) {
      throw await this.#forks.judge(error, server, signed);
    }
  }

  async #place(server: Server, signed: Bytes, claimed: Header): Promise<Authentic> {
    for (;;) {
      const accepted = this.#accepted;
      const { header } = accepted;
      const ask = async (at: bigint, head: Bytes) =>
        readHeaderProof(
          await server.call("prooflight_headerProof", { at: toQuantity(at), head: toHex(head) }),
        );
      if (toHex(claimed.hash) === toHex(header.hash)) {
        // Its age is checked again.
        const block = this.#trust.accept(
          signed,
          { header: signed, head: signed, path: [] },
          accepted.inclusion,
        );
        return { block, accepted: this.#accepted, older: undefined };
      }
      if (claimed.height < header.height) {
        const { path } = await ask(claimed.height, header.hash);
        const block = verifyAncestor({
          head: header.encoded,
          header: claimed.encoded,
          inclusion: path,
        });
        return { block, accepted, older: { header: block.encoded, path } };
      }
      const proof = await ask(header.height, claimed.hash);
      const fromPinned = await this.#pathFromPinned(server, claimed, proof.path);
      if (this.#trust.accepted !== accepted) continue;
      const block = this.#trust.accept(signed, proof, fromPinned);
      return { block, accepted: this.#accepted, older: undefined };
    }
  }

  /** The path of the pinned checkpoint's header in a head's history. */
  async #pathFromPinned(
    server: Server,
    head: Header,
    fromNewest: Bytes[],
  ): Promise<readonly Bytes[]> {
    const { accepted, pinned } = this.#trust;
    if (!accepted || accepted.header.height === pinned.height) return fromNewest;
    if (toHex(accepted.header.hash) === toHex(head.hash)) return accepted.inclusion;
    const params = { at: toQuantity(pinned.height), head: toHex(head.hash) };
    return readHeaderProof(await server.call("prooflight_headerProof", params)).path;
  }
}
