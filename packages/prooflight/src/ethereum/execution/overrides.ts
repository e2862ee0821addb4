/** What a caller wants to be different from the state and the block. */

import { Arguments, invalid } from "../../arguments.js";
import { type Hex, toHex } from "../../bytes.js";
import { describe, refuse } from "../../error.js";
import { type BytesLike, bytesLike, type WordLike } from "../../mpt/bytes.js";
import type { Writer } from "../../wire.js";
import {
  integer,
  jsonOf,
  readAddress,
  readWord,
  writeBytes,
  writeInteger,
  writeOptional,
  writeU128,
} from "./call.js";

/** Changes of an account for a call; the state itself stays as it is. */
export interface AccountOverride {
  nonce?: WordLike | undefined;
  /** In wei. */
  balance?: WordLike | undefined;
  code?: BytesLike | undefined;
  /** The values of all slots that are not zero, by slot; without `stateDiff`. */
  state?: Readonly<Record<Hex, WordLike>> | undefined;
  /** The values of some slots, by slot; the others stay. */
  stateDiff?: Readonly<Record<Hex, WordLike>> | undefined;
  /** The address to which the account's precompile moves. */
  movePrecompileToAddress?: BytesLike | undefined;
}

/** Changes of accounts, by address. */
export type StateOverrides = Readonly<Record<Hex, AccountOverride>>;

/** Changes of the block for a call. */
export interface BlockOverrides {
  number?: WordLike | undefined;
  /** Seconds since 1970; they choose the fork. */
  time?: WordLike | undefined;
  gasLimit?: WordLike | undefined;
  feeRecipient?: BytesLike | undefined;
  prevRandao?: BytesLike | undefined;
  /** In wei. */
  baseFeePerGas?: WordLike | undefined;
  /** In wei. */
  blobBaseFee?: WordLike | undefined;
}

interface CheckedAccount {
  nonce: bigint | undefined;
  balance: bigint | undefined;
  code: Hex | undefined;
  state: Record<Hex, Hex> | undefined;
  stateDiff: Record<Hex, Hex> | undefined;
  movePrecompileToAddress: Hex | undefined;
}

interface CheckedBlock {
  number: bigint | undefined;
  time: bigint | undefined;
  gasLimit: bigint | undefined;
  feeRecipient: Hex | undefined;
  prevRandao: Hex | undefined;
  baseFeePerGas: bigint | undefined;
  blobBaseFee: bigint | undefined;
}

/** Changes, checked. */
export interface Overrides {
  accounts: Record<Hex, CheckedAccount>;
  block: CheckedBlock;
}

/** The most slots of all overrides together. */
const MAX_SLOTS = 65_536;

/** The members of the block's changes. */
export const BLOCK_MEMBERS = [
  "number",
  "time",
  "gasLimit",
  "feeRecipient",
  "prevRandao",
  "baseFeePerGas",
  "blobBaseFee",
] as const;

/** Checks changes; throws `invalid_argument`. */
export function readOverrides(accounts: unknown, block: unknown): Overrides {
  let slots = 0;
  const readAccount = ([address, given]: [string, unknown]): [Hex, CheckedAccount] => {
    const path = `overrides[${JSON.stringify(address)}]`;
    const names = [
      "nonce",
      "balance",
      "code",
      "state",
      "stateDiff",
      "movePrecompileToAddress",
    ] as const;
    const members = new Arguments(undefined, given, names, path);
    const optional = optionalOf(members, path);
    const readSlots = (given: unknown, path: string) => {
      const entries = entriesOf(given, path).map(([slot, value]): [Hex, Hex] => [
        readWord(slot, path),
        readWord(value, `${path}[${JSON.stringify(slot)}]`),
      ]);
      slots += entries.length;
      if (slots > MAX_SLOTS) throw invalid(undefined, path, `at most ${MAX_SLOTS} slots`, "more");
      return Object.fromEntries(entries);
    };
    const checked = {
      nonce: optional("nonce", integer(64)),
      balance: optional("balance", integer(256)),
      code: optional("code", (code, path) => toHex(bytesLike(code, path)) as Hex),
      state: optional("state", readSlots),
      stateDiff: optional("stateDiff", readSlots),
      movePrecompileToAddress: optional("movePrecompileToAddress", readAddress),
    };
    if (checked.state && checked.stateDiff) {
      throw refuse("invalid_argument", `${path} to have one of state and stateDiff`, "both");
    }
    return [readAddress(address, path), checked];
  };
  const given = accounts ?? {};
  const members = block ?? {};
  const optional = optionalOf(
    new Arguments(undefined, members, BLOCK_MEMBERS, "blockOverrides"),
    "blockOverrides",
  );
  return {
    accounts: Object.fromEntries(entriesOf(given, "overrides").map(readAccount)),
    block: {
      number: optional("number", integer(64)),
      time: optional("time", integer(64)),
      gasLimit: optional("gasLimit", integer(64)),
      feeRecipient: optional("feeRecipient", readAddress),
      prevRandao: optional("prevRandao", (hash, path) => toHex(bytesLike(hash, path, 32)) as Hex),
      baseFeePerGas: optional("baseFeePerGas", integer(64)),
      blobBaseFee: optional("blobBaseFee", integer(128)),
    },
  };
}

function optionalOf<Name extends string>(members: Arguments<Name>, path: string) {
  return <T>(name: Name, read: (value: unknown, path: string) => T): T | undefined => {
    const value = members.unchecked(name);
    return value === undefined || value === null ? undefined : read(value, `${path}.${name}`);
  };
}

function entriesOf(given: unknown, path: string): [string, unknown][] {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    return Object.entries(given);
  }
  throw invalid(undefined, path, "an object", describe(given));
}

/** Writes `Overrides`. */
export function writeOverrides(writer: Writer, { accounts, block }: Overrides): void {
  writer.sequence(Object.entries(accounts), ([address, changes]) => {
    writer.hex(address);
    writer.optionalU64(changes.nonce);
    writeOptional(writer, changes.balance, (balance) => {
      writeInteger(writer, balance);
    });
    writeOptional(writer, changes.code, (code) => {
      writeBytes(writer, code);
    });
    const slots = changes.state ?? changes.stateDiff;
    writer.u8(changes.state ? 1 : changes.stateDiff ? 2 : 0);
    if (slots) {
      writer.sequence(Object.entries(slots), ([slot, value]) => {
        writer.hex(slot);
        writer.hex(value);
      });
    }
    writeOptional(writer, changes.movePrecompileToAddress, (to) => writer.hex(to));
  });
  writer.optionalU64(block.number);
  writer.optionalU64(block.time);
  writer.optionalU64(block.gasLimit);
  for (const bytes of [block.feeRecipient, block.prevRandao]) {
    writeOptional(writer, bytes, (bytes) => writer.hex(bytes));
  }
  writer.optionalU64(block.baseFeePerGas);
  writeOptional(writer, block.blobBaseFee, (fee) => {
    writeU128(writer, fee);
  });
}

/** The changes of accounts as JSON-RPC has them; undefined if there are none. */
export function overridesJson({ accounts }: Overrides): unknown {
  if (Object.keys(accounts).length === 0) return undefined;
  const given = Object.entries(accounts).map(([address, changes]) => [
    address,
    Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
  ]);
  return jsonOf(Object.fromEntries(given));
}
