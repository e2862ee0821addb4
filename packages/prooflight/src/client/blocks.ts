/** Follows a chain block by block, keeping only the digest of the state. */

import { abortSignal, Arguments } from "../arguments.js";
import { type Bytes, toHex, toQuantity } from "../bytes.js";
import { verifyBlock } from "../chain/block.js";
import { copyHeader, type Header } from "../chain/header.js";
import { VerifyError } from "../error.js";
import type { StateOperation } from "../state.js";
import { either, pause, throwIfAborted } from "../transport/abort.js";
import type { Servers } from "../transport/servers.js";
import type { Authentication } from "./authentication.js";
import type { RequestedBlock } from "./questions.js";
import { readBlock, readHeaderProof } from "./replies.js";
import type { Trust } from "./trust.js";

/** Options of {@link LightClient.blocks}. */
export interface BlocksOptions {
  /** The height of the first block. Default: that of the next new block. */
  from?: bigint | undefined;
  /** The digest of the state before the first block. Default: the one in its parent's header. */
  digest?: Uint8Array | undefined;
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
}

/** A verified block. */
export interface Block {
  header: Header;
  /** The block's operations on the state, ascending by key. */
  operations: StateOperation<Bytes>[];
  /** The digest of the state after the block, 33 bytes, which is enough to continue. */
  digest: Bytes;
  /** Bytes of the transition proof. */
  proofBytes: number;
}

/** The parts of a client that following blocks uses. */
export interface BlocksContext {
  servers: Servers;
  trust: Trust;
  sync: (signal: AbortSignal) => Promise<Header>;
  authentication: Authentication;
  onHead: (listener: (head: Header) => void, onError: (error: unknown) => void) => () => void;
}

/** The delay before unavailable servers are asked again, in milliseconds. */
const RETRY_DELAY_MS = 1000;

/**
 * Reads the options immediately; `next()` throws the error of a wrong option. Returns soon after `ended` is aborted;
 * throws the reason of the options' signal if that signal is aborted.
 */
export function blocks(
  client: BlocksContext,
  options: BlocksOptions,
  ended: AbortSignal,
): AsyncGenerator<Block, void, undefined> {
  try {
    const read = readOptions(options);
    return follow(client, () => read, ended);
  } catch (error) {
    return follow(client, () => raise(error), ended);
  }
}

function readOptions(options: BlocksOptions): BlocksOptions {
  const given = new Arguments(undefined, options, ["from", "digest", "signal"]);
  const hasDigest = given.unchecked("digest") !== undefined;
  return {
    from: given.optionalU64("from"),
    digest: hasDigest ? given.array("digest", 33).slice() : undefined,
    signal: abortSignal(given.unchecked("signal")),
  };
}

function raise(error: unknown): never {
  throw error;
}

async function* follow(
  client: BlocksContext,
  options: () => BlocksOptions,
  ended: AbortSignal,
): AsyncGenerator<Block, void, undefined> {
  client.trust.check();
  const { from, digest: first, signal: given } = options();
  let digest = first;
  const { signal, release } = either(given, ended);
  let heads: HeadWaiter | undefined;
  let parent: Header | undefined;
  try {
    const newest = await persistently(() => client.sync(signal), signal);
    heads = new HeadWaiter(client, newest, signal);
    let height = from ?? newest.height + 1n;
    for (;;) {
      await heads.reach(height);
      const next = async () => {
        if (!parent && height > 0n) parent = await headerAt(client, height - 1n, signal);
        return blockAt(client, height, parent, digest, signal);
      };
      const block = await persistently(next, signal);
      parent = block.header;
      digest = block.digest.slice();
      height += 1n;
      yield { ...block, header: copyHeader(parent) };
    }
  } finally {
    heads?.close();
    release();
  }
}

/** The newest accepted head, while blocks are followed. */
class HeadWaiter {
  readonly #stop: () => void;
  readonly #signal: AbortSignal | undefined;
  #newest: bigint;
  #failure: unknown;
  #wake: (() => void) | undefined;

  constructor(client: BlocksContext, head: Header, signal: AbortSignal | undefined) {
    this.#newest = head.height;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#notify);
    this.#stop = client.onHead(
      ({ height }) => {
        this.#newest = height;
        this.#failure = undefined;
        this.#notify();
      },
      (error) => {
        if (isUnavailable(error)) return;
        this.#failure = error;
        this.#notify();
      },
    );
  }

  /** Waits for a head of that height or above. */
  async reach(height: bigint): Promise<void> {
    for (;;) {
      throwIfAborted(this.#signal);
      if (this.#newest >= height) return;
      if (this.#failure !== undefined) throw this.#failure as Error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#stop();
    this.#signal?.removeEventListener("abort", this.#notify);
  }

  readonly #notify = (): void => {
    this.#wake?.();
  };
}

/** Repeats `ask` while the servers are unavailable; `onFailure` is called for each failure. */
async function persistently<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      throwIfAborted(signal);
      if (!isUnavailable(error)) throw error;
    }
    await pause(RETRY_DELAY_MS, signal);
    throwIfAborted(signal);
  }
}

const isUnavailable = (error: unknown) =>
  error instanceof VerifyError && error.code === "unavailable";

function headerAt(client: BlocksContext, height: bigint, signal: AbortSignal | undefined) {
  return client.servers.ask(async (server) => {
    const head = client.trust.accepted?.header.hash ?? client.trust.pinned.headerHash;
    const params = { at: toQuantity(height), head: toHex(head) };
    const proof = readHeaderProof(await server.call("prooflight_headerProof", params));
    const wanted: RequestedBlock = { at: params.at, newest: undefined };
    const { block } = await client.authentication.block(server, proof.header, wanted);
    return block;
  }, signal);
}

function blockAt(
  client: BlocksContext,
  height: bigint,
  parent: Header | undefined,
  digest: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<Block> {
  return client.servers.ask(async (server) => {
    const params = { at: toQuantity(height) };
    const { limits } = client.trust.pinned.json.config;
    const result = await server.call("prooflight_block", params);
    const reply = readBlock(result, "avl", limits.maxOps);
    const wanted: RequestedBlock = { ...params, newest: undefined };
    const { block: header } = await client.authentication.block(server, reply.header, wanted);
    const { operations, transition: proof } = reply;
    const before = { parent: parent?.encoded, digest };
    const after = verifyBlock({ ...before, header: header.encoded, limits, operations, proof });
    return { header, operations, digest: after, proofBytes: proof.length };
  }, signal);
}
