/** The state that a provider trusts, which only the caller can name. */

import { Arguments, invalid, own } from "../arguments.js";
import { type Bytes, fromHex, type Hex, toHex } from "../bytes.js";
import { relation } from "../chain/compare.js";
import { describe, refuse, VerifyError } from "../error.js";
import { type BytesLike, bytesLike } from "../mpt/bytes.js";
import { verifyEthHeader } from "../mpt/proof.js";

/** A block in a request: a tag, a number, or a hash. */
export type BlockName = "latest" | "safe" | "finalized" | bigint | Hex;

/** A block whose state the caller trusts. */
export interface TrustedBlock {
  number: bigint;
  /** The hash of the block, 32 bytes. */
  hash: BytesLike;
  /** The root of the state after the block, 32 bytes. */
  stateRoot: BytesLike;
}

/** A block that the caller trusts by its hash; the header, which may come from anywhere, is checked. */
export interface TrustedHeader {
  /** The hash of the block, 32 bytes. */
  hash: BytesLike;
  /** The block's header in RLP. */
  headerRlp: BytesLike;
}

/**
 * Returns a trusted block, or `undefined` if there is none.
 *
 * The function must not ask the server that is being checked. Possible sources are a light client, a node of your own,
 * or a block that the application pins.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/check-an-ethereum-rpc.md | Check an Ethereum RPC endpoint}
 */
export type Trust = (
  block: BlockName,
) => TrustedBlock | TrustedHeader | undefined | Promise<TrustedBlock | TrustedHeader | undefined>;

/** A trusted block, checked for its form. */
export interface StateAnchor {
  number: bigint;
  hash: Bytes;
  stateRoot: Bytes;
}

/**
 * Returns the trusted block that a request names; throws `unknown_block`, or `wrong_block` if `trust` returns another.
 */
export async function anchorOf(trust: Trust, block: BlockName): Promise<StateAnchor> {
  const anchor = await ask(trust, block);
  if (isNamed(anchor, block)) return anchor;
  const found = typeof block === "bigint" ? String(anchor.number) : toHex(anchor.hash);
  throw refuse("wrong_block", `block ${block} from trust()`, found, { scheme: "mpt" });
}

/** Whether a block is the one that a request names; a tag may name any block. */
function isNamed({ number, hash }: StateAnchor, block: BlockName): boolean {
  if (typeof block === "bigint") return number === block;
  if (!block.startsWith("0x")) return true;
  return relation({ height: number, hash }, { height: number, hash: fromHex(block) }) === "same";
}

async function ask(trust: Trust, block: BlockName): Promise<StateAnchor> {
  const expected = "a block that trust() knows";
  try {
    const trusted = await trust(block);
    if (trusted !== undefined) return read(trusted);
  } catch (cause) {
    // For example from a light client that could reach no server.
    if (cause instanceof VerifyError) throw cause;
    const found = `${block}, for which it threw`;
    throw refuse("unknown_block", expected, found, { scheme: "mpt", cause });
  }
  throw refuse("unknown_block", expected, String(block), { scheme: "mpt" });
}

const MEMBERS = ["number", "hash", "stateRoot", "headerRlp"] as const;

function read(trusted: unknown): StateAnchor {
  // A library's block has many more members.
  const given = new Arguments("mpt", pick(trusted, MEMBERS), MEMBERS, "what trust() gives");
  const hash = bytesLike(given.unchecked("hash"), "hash of trust()", 32).slice();
  if (given.unchecked("headerRlp") !== undefined) {
    for (const name of ["number", "stateRoot"] as const) {
      // They are not compared with the header, so passing them is likely a mistake.
      if (given.unchecked(name) === undefined) continue;
      throw invalid("mpt", `${name} of trust()`, "left out beside headerRlp", "there");
    }
    const headerRlp = bytesLike(given.unchecked("headerRlp"), "headerRlp of trust()");
    return { hash, ...verifyEthHeader({ hash, headerRlp }) };
  }
  const number = given.unchecked("number");
  if (typeof number !== "bigint" || number < 0n || number >= 1n << 64n) {
    throw invalid("mpt", "number of trust()", "a bigint of 0 to 2^64 - 1", describe(number));
  }
  const stateRoot = bytesLike(given.unchecked("stateRoot"), "stateRoot of trust()", 32).slice();
  return { number, hash, stateRoot };
}

/** An object's own members with these names; returns other values unchanged. */
function pick(given: unknown, names: readonly string[]): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(names.map((name) => [name, own(given, name)]));
}
