/** Detects from the headers of servers that the authorities signed a second history. */

import { type Bytes, toHex, toQuantity } from "../bytes.js";
import { relation } from "../chain/compare.js";
import { decodeHeader, type Header } from "../chain/header.js";
import { VerifyError } from "../error.js";
import type { Server } from "../transport/servers.js";
import { type Ancestor, EquivocationError } from "./equivocation.js";
import { readHeaderProof } from "./replies.js";
import { ancestorAt, type Trust } from "./trust.js";

/** A header in another one's history. */
interface ProvedAncestor extends Ancestor {
  height: bigint;
  hash: Bytes;
}

/** The most headers that are remembered as part of the accepted history. */
const MAX_ANCESTORS = 1024;

/**
 * Examines headers that were refused: they may be of a second history with signatures of a quorum.
 *
 * The client stops only if a quorum signed the header and the accepted history has another header at its height,
 * which was accepted itself or is proven by a path. So on a chain with honest authorities, a server cannot stop
 * clients.
 */
export class Forks {
  readonly #trust: Trust;
  /** Hashes of headers known to be in the accepted history, to save calls if a server is behind. */
  readonly #ancestors = new Set<string>();

  constructor(trust: Trust) {
    this.#trust = trust;
  }

  /**
   * Returns the error for a reply that was refused with `error`.
   *
   * It is an {@link EquivocationError} if one of the reply's signed headers, which are still unverified, provably
   * belongs to another history than the accepted one.
   */
  async judge(error: unknown, server: Server, ...shown: Bytes[]): Promise<unknown> {
    if (!isRefusal(error)) return error;
    for (const signed of shown) {
      const found = await this.#look(server, signed);
      if (found) return found;
    }
    return error;
  }

  /** The same for a server without the newest accepted block: it may have another one at that height. */
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
    // The server had to prove that a higher one extends the accepted head. Other servers may not know it.
    if (!header || !accepted || header.height > accepted.header.height) return undefined;
    const { height, hash } = header;
    if (this.#ancestors.has(toHex(hash))) return undefined;

    const known = trust.knownUpTo(height);
    const stands = known && relation(known, header);
    if (stands === "same") return undefined;
    if (!trust.isSigned(signed, header)) return undefined;
    if (known) {
      const { height: below, ...accepted } = known;
      if (stands === "conflicting")
        return trust.stop({ height, accepted, conflicting: { signed } }, hash);
      const other = await ancestorIn(server, header, below);
      if (other && relation(other, known) === "conflicting") {
        const conflicting = { signed, ancestor: ancestorOf(other) };
        return trust.stop({ height: below, accepted, conflicting }, other.hash);
      }
    }
    for (const asked of [server, ...server.others()]) {
      const ours = await ancestorIn(asked, accepted.header, height);
      if (!ours) continue;
      if (relation(ours, header) === "same") {
        this.#addAncestor(hash);
        return undefined;
      }
      const evidence = { hash: ours.hash, signed: accepted.signed, ancestor: ancestorOf(ours) };
      return trust.stop({ height, accepted: evidence, conflicting: { signed } }, hash);
    }
    return undefined;
  }

  #addAncestor(hash: Bytes): void {
    this.#ancestors.add(toHex(hash));
    const [oldest] = this.#ancestors;
    if (this.#ancestors.size > MAX_ANCESTORS && oldest !== undefined)
      this.#ancestors.delete(oldest);
  }
}

/** The header at a height of a head's history, if this server proves it. */
async function ancestorIn(
  server: Server,
  head: Header,
  height: bigint,
): Promise<ProvedAncestor | undefined> {
  const params = { at: toQuantity(height), head: toHex(head.hash) };
  try {
    const proof = readHeaderProof(await server.call("prooflight_headerProof", params));
    const header = ancestorAt(height, head, proof.header, proof.path);
    return header && { height, hash: header.hash, header: header.encoded, path: proof.path };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** Whether an error is the failure of one server. An `EquivocationError` stops the client. */
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

const ancestorOf = ({ header, path }: ProvedAncestor): Ancestor => ({ header, path });
