/** Checks that headers from servers belong to the history that the client trusts. */

import { type Bytes, toHex, toQuantity } from "../bytes.js";
import { relation } from "../chain/compare.js";
import { decodeHeader, type Header } from "../chain/header.js";
import { ancestorOf, type Older, verifyAncestor } from "../chain/sync.js";
import type { Server, Servers } from "../transport/servers.js";
import { Forks } from "./forks.js";
import { checkBlock, type RequestedBlock } from "./questions.js";
import { type HeaderProof, readHeaderProof } from "./replies.js";
import type { Accepted, Trust } from "./trust.js";

/** A header of the trusted history, with its evidence. */
export interface AuthenticBlock {
  block: Header;
  accepted: Accepted;
  older: Older | undefined;
}

/**
 * Accepts heads, and places older blocks in an accepted head's history.
 *
 * {@link Forks} examines refused headers: they may show that the authorities signed two histories.
 */
export class Authentication {
  readonly #trust: Trust;
  readonly #forks: Forks;

  constructor(trust: Trust) {
    this.#trust = trust;
    this.#forks = new Forks(trust);
  }

  /** Accepts a server's newest head. */
  async newest(server: Server): Promise<Header> {
    for (;;) {
      const before = this.#trust.accepted;
      const proof = await this.#newestOf(server);
      const shown = [proof.head, proof.header];
      try {
        const head = decodeHeader(proof.head);
        const fromPinned = await this.#pathFromPinned(server, head, proof.path, shown);
        // Another call accepted a head meanwhile, and this path does not start there.
        if (this.#trust.accepted !== before) continue;
        return this.#trust.accept(proof.head, proof, fromPinned);
      } catch (error) {
        throw await this.#forks.judge(error, server, ...shown);
      }
    }
  }

  /** Checks that a header is that of the wanted block and belongs to the trusted history. */
  async block(server: Server, signed: Bytes, wanted: RequestedBlock): Promise<AuthenticBlock> {
    const claimed = decodeHeader(signed);
    const shown = [signed];
    try {
      checkBlock(wanted, signed);
      const authentic = await this.#place(server, signed, claimed, shown);
      // Accepting a head checks its age. This block was the newest, but was overtaken by an accepted head.
      if (authentic.older && wanted.at === "latest") this.#trust.checkFresh(signed, claimed);
      return authentic;
    } catch (error) {
      throw await this.#forks.judge(error, server, ...shown);
    }
  }

  /** Asks for a block, checks that it is the wanted one, and places it in the history of an accepted head. */
  async ancestor(
    server: Server,
    head: Header,
    at: string,
  ): Promise<{ block: Header; older: Older }> {
    const shown: Bytes[] = [];
    try {
      const { header: signed, path } = await askHeaderProof(server, at, head.hash, shown);
      checkBlock({ at, newest: undefined }, signed);
      const older = { header: decodeHeader(signed).encoded, path };
      return { block: ancestorOf(head, older), older };
    } catch (error) {
      throw await this.#forks.judge(error, server, ...shown);
    }
  }

  /** A server's newest head, with the position of the trusted header in its history. */
  async #newestOf(server: Server): Promise<HeaderProof> {
    const params = { at: toQuantity(this.#trust.height), head: "latest" };
    try {
      return readHeaderProof(await server.call("prooflight_headerProof", params));
    } catch (error) {
      throw await this.#forks.judgeNewest(error, server);
    }
  }

  async #place(
    server: Server,
    signed: Bytes,
    claimed: Header,
    shown: Bytes[],
  ): Promise<AuthenticBlock> {
    for (;;) {
      const accepted = this.#trust.head;
      const { header } = accepted;
      const placed = relation(claimed, header);
      if (placed === "same") {
        // Accepting it again checks its age.
        const block = this.#trust.accept(
          signed,
          { header: signed, head: signed, path: [] },
          accepted.inclusion,
        );
        return { block, accepted: this.#trust.head, older: undefined };
      }
      if (placed === "below") {
        const { path } = await askHeaderProof(
          server,
          toQuantity(claimed.height),
          header.hash,
          shown,
        );
        const block = verifyAncestor({
          head: header.encoded,
          header: claimed.encoded,
          inclusion: path,
        });
        return { block, accepted, older: { header: block.encoded, path } };
      }
      const proof = await askHeaderProof(server, toQuantity(header.height), claimed.hash, shown);
      const fromPinned = await this.#pathFromPinned(server, claimed, proof.path, shown);
      if (this.#trust.accepted !== accepted) continue;
      const block = this.#trust.accept(signed, proof, fromPinned);
      return { block, accepted: this.#trust.head, older: undefined };
    }
  }

  /** The inclusion path of the pinned checkpoint's header in a head's history. */
  async #pathFromPinned(
    server: Server,
    head: Header,
    fromNewest: Bytes[],
    shown: Bytes[],
  ): Promise<readonly Bytes[]> {
    const { accepted, pinned } = this.#trust;
    if (!accepted || accepted.header.height === pinned.height) return fromNewest;
    if (relation(accepted.header, head) === "same") return accepted.inclusion;
    return (await askHeaderProof(server, toQuantity(pinned.height), head.hash, shown)).path;
  }
}

/** Asks for the position of a block in a head's history. Adds the signed headers of the reply to `shown`. */
async function askHeaderProof(
  server: Server,
  at: string,
  head: Bytes,
  shown: Bytes[],
): Promise<HeaderProof> {
  const params = { at, head: toHex(head) };
  const proof = readHeaderProof(await server.call("prooflight_headerProof", params));
  shown.push(proof.head, proof.header);
  return proof;
}

/** The parts of a client that questions use. */
export interface ClientContext {
  servers: Servers;
  trust: Trust;
  authentication: Authentication;
}
