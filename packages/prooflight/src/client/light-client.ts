import { Arguments, invalid } from "../arguments.js";
import { type Bytes, fromHex, toHex, viewOf } from "../bytes.js";
import type { ChainLimits, Checkpoint, Hex } from "../chain/checkpoint.js";
import { decodeHeader, type Header } from "../chain/header.js";
import { toQuantity } from "../chain/quantity.js";
import {
  initScheme,
  readScheme,
  type SetupTrust,
  type StateScheme,
  verifyKeys,
} from "../chain/schemes.js";
import { verifyAncestor } from "../chain/sync.js";
import { describe, refuse } from "../error.js";
import type { Absent, Present } from "../result.js";
import { init } from "../wasm/hash.js";
import { type Block, blocks, type BlocksOptions } from "./blocks.js";
import { type Bundle, toBundle } from "./bundle.js";
import { HeadWatch, type WatchOptions } from "./heads.js";
import { abortSignal, type Options, readOptions } from "./options.js";
import { readHeaderProof, readStateProof } from "./replies.js";
import { type Server, Servers } from "./servers.js";
import { type Accepted, Trust } from "./trust.js";

/** A raw key, as bytes or in 0x-hex. */
export type Key = Uint8Array | Hex;

/** A block: the newest, the one of a height, or the one with a header hash in 0x-hex. */
export type At = "latest" | bigint | Hex;

/** What {@link LightClient.get} takes beside the key. */
export interface GetOptions {
  /** The scheme that proves the answer. Default `avl`. */
  scheme?: StateScheme | undefined;
  /** The block to ask about. Default `latest`. */
  at?: At | undefined;
  /** Ends the request. */
  signal?: AbortSignal | undefined;
}

/** A verified answer about one key. */
export type Answer = (Present | Absent) & {
  /** The raw key. */
  key: Bytes;
  /** The header of the block that the answer is about. */
  block: Header;
  /** What it took to verify it. */
  evidence: {
    /** The accepted head that the block is, or is an ancestor of. */
    head: Header;
    /** Bytes of the proof; the keys of one request share it. */
    proofBytes: number;
    /** How long the verification took, in milliseconds. */
    milliseconds: number;
    /** The server that answered. */
    server: string;
  };
  /** The answers of the request with their proof, to save and verify without a server. */
  toBundle(): Bundle;
};

/**
 * A client that believes nothing but what follows from the checkpoint it was given.
 *
 * It may use several servers: where one fails or lies, the next is asked. Every error is a
 * `VerifyError`, or the reason of an `AbortSignal`.
 */
export class LightClient {
  readonly #servers: Servers;
  readonly #trust: Trust;
  readonly #watch: HeadWatch;
  readonly #setup: SetupTrust;

  private constructor(
    servers: Servers,
    trust: Trust,
    settings: WatchOptions & { setup: SetupTrust },
  ) {
    this.#servers = servers;
    this.#trust = trust;
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
    const servers = new Servers(urls, transport, onFailure);
    const trust = new Trust(checkpoint, freshness, now);
    await init();
    const client = new LightClient(servers, trust, settings);
    await client.sync({ signal });
    return client;
  }

  /** The newest accepted head. */
  get head(): Header {
    return this.#accepted.header;
  }

  /** Asks for the newest head and accepts it; gives it. Throws as {@link LightClient.connect}. */
  async sync(options: { signal?: AbortSignal | undefined } = {}): Promise<Header> {
    const signal = abortSignal(new Arguments(undefined, options, ["signal"]).unchecked("signal"));
    return this.#servers.ask(async (server) => {
      for (;;) {
        const before = this.#trust.accepted;
        const at = toQuantity(this.#trust.height);
        const proof = readHeaderProof(
          await server.call("prooflight_headerProof", { at, head: "latest" }),
        );
        const fromPinned = await this.#pathFromPinned(server, decodeHeader(proof.head), proof.path);
        // Another call may have accepted a head meanwhile, of which this path knows nothing.
        if (this.#trust.accepted === before) {
          return this.#trust.accept(proof.head, proof, fromPinned);
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

  /** The verified values of several keys at one block, with one request and one verification. */
  async getMany(keys: readonly Key[], options: GetOptions = {}): Promise<Answer[]> {
    const given = new Arguments(undefined, options, ["scheme", "at", "signal"]);
    const scheme = readScheme(given.unchecked("scheme") ?? "avl");
    const { config } = this.#trust.pinned.json;
    const raw = readKeys(keys, config.limits);
    const where = readAt(given.unchecked("at") ?? "latest");
    const signal = abortSignal(given.unchecked("signal"));
    if (raw.length === 0) return [];
    await initScheme(scheme);
    const params = { scheme, keys: raw.map(toHex), at: where };
    return this.#servers.ask(async (server) => {
      const newest = this.#trust.height;
      const reply = readStateProof(await server.call("prooflight_prove", params));
      const claimed = decodeHeader(reply.header);
      checkBlock(where, claimed, newest);
      const place = await this.#authenticate(server, reply.header, claimed);
      const started = performance.now();
      const results = verifyKeys(scheme, {
        header: place.block,
        config,
        keys: raw,
        proof: reply.proof,
        setup: this.#setup,
      });
      const evidence = {
        head: place.accepted.header,
        proofBytes: reply.proof.length,
        milliseconds: performance.now() - started,
        server: server.url.href,
      };
      const { signed: head, inclusion } = place.accepted;
      const parts = { scheme, head, inclusion, older: place.older, keys: raw, proof: reply.proof };
      return raw.map((key, index) => ({
        ...resultAt(results, index),
        key,
        block: place.block,
        evidence,
        toBundle: () => toBundle(parts),
      }));
    }, signal);
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
   * the reason of `signal` once that says to end.
   */
  blocks(options: BlocksOptions = {}): AsyncGenerator<Block, void, undefined> {
    return blocks(
      {
        servers: this.#servers,
        trust: this.#trust,
        sync: (signal) => this.sync({ signal }),
        authenticate: (server, signed, claimed) => this.#authenticate(server, signed, claimed),
        onHead: (listener, onError) => this.onHead(listener, onError),
      },
      options,
    );
  }

  /** The newest accepted head as a checkpoint, for the application to save and pin next time. */
  exportCheckpoint(): Checkpoint {
    return this.#trust.checkpoint;
  }

  /** Ends what {@link LightClient.onHead} began. */
  close(): void {
    this.#watch.close();
  }

  get #accepted(): Accepted {
    const { accepted } = this.#trust;
    if (!accepted) throw refuse("bug", "an accepted head", "none");
    return accepted;
  }

  /** Shows that a header is an accepted head, or an ancestor of one. */
  async #authenticate(server: Server, signed: Bytes, claimed: Header): Promise<Authentic> {
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

/** A header that is accepted, and why. */
interface Authentic {
  block: Header;
  accepted: Accepted;
  older: { header: Bytes; path: readonly Bytes[] } | undefined;
}

function resultAt(results: readonly (Present | Absent)[], index: number): Present | Absent {
  const result = results[index];
  if (!result) throw refuse("bug", "a result for each key", `${results.length} of them`);
  return result;
}

/** Whether a header is that of the block which was asked about. */
function checkBlock(at: string, claimed: Header, newest: bigint): void {
  if (at === "latest") {
    if (claimed.height >= newest) return;
    throw refuse("head_behind", `a height of at least ${newest}`, `${claimed.height}`);
  }
  const found = at.length === 66 ? toHex(claimed.hash) : toQuantity(claimed.height);
  if (found !== at) throw refuse("wrong_block", `block ${at}`, `block ${found}`);
}

function readKeys(keys: unknown, { maxKey }: ChainLimits): Bytes[] {
  if (!Array.isArray(keys)) throw invalid(undefined, "keys", "an array", describe(keys));
  return Array.from(keys, (key: unknown) => {
    const raw = readKey(key);
    if (raw.length <= maxKey) return raw;
    throw refuse("key_length", `at most ${maxKey} bytes`, `${raw.length} bytes`);
  });
}

function readKey(key: unknown): Bytes {
  if (typeof key === "string") return fromHex(key);
  const bytes = viewOf(key);
  if (!bytes) throw invalid(undefined, "a key", "a Uint8Array or 0x-hex", describe(key));
  return bytes.slice();
}

/** How the wire names a block. */
function readAt(at: unknown): string {
  if (at === "latest") return at;
  if (typeof at === "bigint" && at >= 0n && at < 1n << 64n) return toQuantity(at);
  if (typeof at === "string" && /^0x[0-9a-f]{64}$/i.test(at)) return at.toLowerCase();
  throw invalid(undefined, "at", "latest, a bigint, or a header hash in 0x-hex", describe(at));
}
