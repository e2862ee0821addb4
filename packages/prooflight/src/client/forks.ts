/** Finds a second history that the authorities signed in headers that a server shows. */

import { type Bytes, toHex } from "../bytes.js";
import { decodeHeader, type Header } from "../chain/header.js";
import { toQuantity } from "../chain/quantity.js";
import { VerifyError } from "../error.js";
import { type Ancestor, EquivocationError } from "./equivocation.js";
import { readHeaderProof } from "./replies.js";
import type { Server } from "./servers.js";
import { ancestorAt, type Trust } from "./trust.js";

/** A header that another one has in its history. */
interface Placed extends Ancestor {
  hash: Bytes;
}

/** How many headers that were found in the accepted history are kept in mind. */
const MOST_PLACED = 1024;

/**
 * Looks at headers that could not be accepted: whoever signed them may have signed another history.
 *
 * A server's word decides nothing. The client is stopped only where a quorum signed the header, and another
 * header is known of its height: one that was accepted, or one that a path shows to be in the history of one
 * that was. So a server cannot make a client stop on a chain whose authorities are honest.
 */
export class Forks {
  readonly #trust: Trust;
  /** Hashes of headers that the accepted history has, so that a server which is behind is cheap. */
  readonly #placed = new Set<string>();

  constructor(trust: Trust) {
    this.#trust = trust;
  }

  /**
   * Gives the error with which to refuse what a server showed, which was refused with `error`.
   *
   * This is an {@link EquivocationError} if one of the signed headers, which nobody has verified, is of
   * another history than the accepted one and can be shown to be.
   */
  async judge(error: unknown, server: Server, ...shown: Bytes[]): Promise<unknown> {
    if (!isRefusal(error)) return error;
    for (const signed of shown) {
      const found = await this.#look(server, signed);
      if (found) return found;
    }
    return error;
  }

  /** The same for a server that does not have the newest accepted block: what has it in its place? */
  async judgeNewest(error: unknown, server: Server): Promise<unknown> {
    if (!isRefusal(error) || error.reason !== "unknown_block") return error;
    const params = { at: "latest", head: "latest" };
    try {
      const { head } = readHeaderProof(await server.call("prooflight_headerProof", params));
      return await this.judge(error, server, head);
    } catch (other) {
      return isRefusal(other) ? error : other;
    }
  }

  async #look(server: Server, signed: Bytes): Promise<EquivocationError | undefined> {
    const trust = this.#trust;
    const { accepted } = trust;
    const header = decoded(signed);
    // Of a higher one it was the server's to show that it extends what is accepted; nobody else knows it.
    if (!header || !accepted || header.height > accepted.header.height) return undefined;
    const { height, hash } = header;
    if (this.#placed.has(toHex(hash))) return undefined;

    const known = trust.knownUpTo(height);
    if (known?.height === height && equal(known.hash, hash)) return undefined;
    if (!trust.isSigned(signed, header)) return undefined;
    if (known) {
      const { height: below, ...accepted } = known;
      if (below === height) return trust.stop({ height, accepted, conflicting: { signed } }, hash);
      const other = await placeIn(server, header, below);
      if (other && !equal(other.hash, known.hash)) {
        const conflicting = { signed, ancestor: ancestorOf(other) };
        return trust.stop({ height: below, accepted, conflicting }, other.hash);
      }
    }
    for (const asked of [server, ...server.others()]) {
      const ours = await placeIn(asked, accepted.header, height);
      if (!ours) continue;
      if (equal(ours.hash, hash)) {
        this.#remember(hash);
        return undefined;
      }
      const evidence = { hash: ours.hash, signed: accepted.signed, ancestor: ancestorOf(ours) };
      return trust.stop({ height, accepted: evidence, conflicting: { signed } }, hash);
    }
    return undefined;
  }

  #remember(hash: Bytes): void {
    this.#placed.add(toHex(hash));
    const [oldest] = this.#placed;
    if (this.#placed.size > MOST_PLACED && oldest !== undefined) this.#placed.delete(oldest);
  }
}

/** What a head's history has at a height, if this server shows it. */
async function placeIn(server: Server, head: Header, height: bigint): Promise<Placed | undefined> {
  const params = { at: toQuantity(height), head: toHex(head.hash) };
  try {
    const proof = readHeaderProof(await server.call("prooflight_headerProof", params));
    const header = ancestorAt(height, head, proof.header, proof.path);
    return header && { hash: header.hash, header: header.encoded, path: proof.path };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** A refusal of what a server did; not that the client has stopped, which concerns all of them. */
const isRefusal = (error: unknown): error is VerifyError =>
  error instanceof VerifyError && !(error instanceof EquivocationError);

function decoded(signed: Bytes): Header | undefined {
  try {
    return decodeHeader(signed);
  } catch (error) {
    if (error instanceof VerifyError) return undefined;
    throw error;
  }
}

const ancestorOf = ({ header, path }: Placed): Ancestor => ({ header, path });
const equal = (one: Bytes, other: Bytes) => toHex(one) === toHex(other);
