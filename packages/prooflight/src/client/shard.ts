import { Arguments, invalid } from "../arguments.js";

/** The keys that a server proves: those whose class, the low `bits` bits of their index, is `value`. */
export interface Shard {
  /** The number of bits of a class, 0 to 16. `2^bits` such servers together prove all keys. */
  bits: number;
  /** The class, below `2^bits`. */
  value: number;
}

/** Checks the form of a shard; throws `invalid_argument`. */
export function readShard(given: unknown, path: string): Shard {
  const members = new Arguments("lvmt", given, ["bits", "value"], path);
  const [bits, value] = [members.u32("bits"), members.u32("value")];
  if (bits > 16) throw invalid("lvmt", `${path}.bits`, "at most 16", `${bits}`);
  if (value >= 2 ** bits) throw invalid("lvmt", `${path}.value`, `below 2^${bits}`, `${value}`);
  return { bits, value };
}
