/** Follows a chain block by block, with the digest of the state as all that is kept of it. */

import { invalid } from "../arguments.js";
import { type Bytes, fromHex, toHex } from "../bytes.js";
import { rootOf } from "../chain/answer.js";
import { decodeHeader, type Header } from "../chain/header.js";
import { toQuantity } from "../chain/quantity.js";
import { type StateOperation, verifyBlock } from "../chain/state.js";
import { describe, refuse, VerifyError } from "../error.js";
import { pause } from "./heads.js";
import { readBlock, readHeaderProof } from "./replies.js";
import type { Server, Servers } from "./servers.js";
import type { Trust } from "./trust.js";

/** What {@link LightClient.blocks} takes. */
export interface BlocksOptions {
  /** The height of the first block. Default: that of the next one to come. */
  from?: bigint | undefined;
  /** The digest of the state before the first block. Default: that which its parent's header has. */
  digest?: Uint8Array | undefined;
  /** Ends it. */
  signal?: AbortSignal | undefined;
}

/** A block that was verified. */
export interface Block {
  header: Header;
  /** What it did to the state, ascending by key. */
  operations: StateOperation[];
  /** The digest of the state after it, 33 bytes: all that is needed to go on. */
  digest: Bytes;
  /** Bytes of the transition proof. */
  proofBytes: number;
}

/** What following needs of a client. */
export interface Client {
  servers: Servers;
  trust: Trust;
  sync: (signal: AbortSignal | undefined) => Promise<Header>;
  authenticate: (server: Server, signed: Bytes, claimed: Header) => Promise<{ block: Header }>;
  onHead: (listener: (head: Header) => void, onError: (error: unknown) => void) => () => void;
}

/** How long to wait before servers that were unavailable are asked again, in milliseconds. */
const AGAIN = 1000;

/** The digest before block 0: that of an empty dictionary with keys of 32 bytes. */
const EMPTY = fromHex("0x4ec61f485b98eb87153f7c57db4f5ecd75556fddbc403b41acf8441fde8e160900");

export async function* blocks(
  client: Client,
  { from, digest: given, signal }: BlocksOptions,
): AsyncGenerator<Block, void, undefined> {
  if (from !== undefined && (typeof from !== "bigint" || from < 0n)) {
    throw invalid(undefined, "from", "a height, a bigint", describe(from));
  }
  const heads = new Heads(client, await client.sync(signal), signal);
  let height = from ?? heads.height + 1n;
  let parent: Header | undefined;
  let digest = given?.slice();
  try {
    for (;;) {
      await heads.reach(height);
      const next = async () => {
        if (!parent && height > 0n) parent = await headerAt(client, height - 1n, signal);
        digest ??= parent ? rootOf("avl", parent.roots) : EMPTY;
        return blockAt(client, height, parent, digest, signal);
      };
      const block = await heads.orLater(next);
      if (!block) continue;
      yield block;
      ({ header: parent, digest } = block);
      height += 1n;
    }
  } finally {
    heads.close();
  }
}

/** The newest accepted head, while blocks are followed. */
class Heads {
  readonly #stop: () => void;
  readonly #signal: AbortSignal | undefined;
  #newest: bigint;
  #failure: unknown;
  #wake: (() => void) | undefined;

  constructor(client: Client, head: Header, signal: AbortSignal | undefined) {
    this.#newest = head.height;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#notify);
    this.#stop = client.onHead(
      ({ height }) => {
        this.#newest = height;
        this.#notify();
      },
      (error) => {
        if (error instanceof VerifyError && error.code === "unavailable") return;
        this.#failure = error;
        this.#notify();
      },
    );
  }

  get height(): bigint {
    return this.#newest;
  }

  /** Waits for a head of that height or above. */
  async reach(height: bigint): Promise<void> {
    for (;;) {
      this.#signal?.throwIfAborted();
      if (this.#newest >= height) return;
      if (this.#failure !== undefined) throw this.#failure as Error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** What is asked for; undefined, after a pause, where the servers are unavailable. */
  async orLater<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof VerifyError) || error.code !== "unavailable") throw error;
      // `onFailure` has heard of it; servers come back.
      await pause(AGAIN);
      return undefined;
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

function headerAt(client: Client, height: bigint, signal: AbortSignal | undefined) {
  return client.servers.ask(async (server) => {
    const head = client.trust.accepted?.header.hash ?? client.trust.pinned.headerHash;
    const params = { at: toQuantity(height), head: toHex(head) };
    const proof = readHeaderProof(await server.call("prooflight_headerProof", params));
    return authentic(client, server, proof.header, height);
  }, signal);
}

function blockAt(
  client: Client,
  height: bigint,
  parent: Header | undefined,
  digest: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<Block> {
  return client.servers.ask(async (server) => {
    const params = { at: toQuantity(height) };
    const reply = readBlock(await server.call("prooflight_block", params), "avl");
    const header = await authentic(client, server, reply.header, height);
    if (parent) checkFollows(parent, header);
    const { operations, transition: proof } = reply;
    const { limits } = client.trust.pinned.json.config;
    const after = verifyBlock({ digest, header: header.encoded, limits, operations, proof });
    return { header, operations, digest: after, proofBytes: proof.length };
  }, signal);
}

async function authentic(client: Client, server: Server, signed: Bytes, height: bigint) {
  const claimed = decodeHeader(signed);
  if (claimed.height !== height) {
    throw refuse(
      "wrong_block",
      `block ${toQuantity(height)}`,
      `block ${toQuantity(claimed.height)}`,
    );
  }
  return (await client.authenticate(server, signed, claimed)).block;
}

/** Two blocks that one head's history has in a row must follow each other. */
function checkFollows(parent: Header, header: Header): void {
  const [expected, found] = [toHex(parent.hash), toHex(header.parent)];
  if (expected !== found) throw refuse("not_extending", `the parent ${expected}`, found);
  if (header.timestampMs <= parent.timestampMs) {
    const found = `${header.timestampMs} ms`;
    throw refuse("invalid_header", `a timestamp above ${parent.timestampMs} ms`, found);
  }
}
