import { type Arguments, invalid, readHash } from "../arguments.js";
import { type Hex, viewOf } from "../bytes.js";
import type { Writer } from "../wire.js";

/**
 * The trusted setup that commitments were made under: trusted by the caller, never taken from the server.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/amt.md#3-setups | The specification, amt 3}
 */
export interface Setup {
  /** The id of the setup, 32 bytes. */
  paramsId: Uint8Array | Hex;
  /** The base-2 logarithm of the number of entries of a vector. */
  logN: number;
  /**
   * Whether a development setup is accepted, under which anyone can forge proofs. Default false: it is
   * refused as `unsupported` / `insecure_setup`.
   */
  allowInsecureSetup?: boolean | undefined;
  /**
   * The verifying key, for a setup that is neither the development one nor that of the Perpetual Powers
   * of Tau. It is checked against `paramsId`, so it may come from anywhere.
   */
  verifyingKey?: Uint8Array | undefined;
}

/** The members of a {@link Setup}. */
export const SETUP = ["paramsId", "logN", "allowInsecureSetup", "verifyingKey"] as const;

/** An upper bound on the bytes of a verifying key. */
const MAX_KEY_BYTES = 4096;

/** Writes a `Setup`. */
export function writeSetup<Name extends string>(
  writer: Writer,
  given: Arguments<Name | (typeof SETUP)[number]>,
): void {
  writer.array(paramsId(given));
  writer.u8(u8(given, "logN"));
  writer.bool(given.optionalBoolean("allowInsecureSetup") ?? false);
  const hasKey = given.unchecked("verifyingKey") !== undefined;
  writer.bool(hasKey);
  if (hasKey) writer.bytes(verifyingKey(given, "verifyingKey"));
}

/** The bytes of a verifying key. */
export function verifyingKey<Name extends string>(given: Arguments<Name>, name: Name): Uint8Array {
  const bytes = given.bytes(name);
  if (bytes.length <= MAX_KEY_BYTES) return bytes;
  throw invalid("lvmt", name, `at most ${MAX_KEY_BYTES} bytes`, `${bytes.length} bytes`);
}

/** An integer that fits into a byte. */
export function u8<Name extends string>(given: Arguments<Name>, name: Name): number {
  const value = given.u32(name);
  if (value < 256) return value;
  throw invalid("lvmt", name, "an integer of 0 to 255", `the number ${value}`);
}

/** The id of a setup, as bytes or in 0x-hex. */
export function paramsId<Name extends string>(given: Arguments<Name | "paramsId">): Uint8Array {
  const id = given.unchecked("paramsId");
  return viewOf(id) ? given.array("paramsId", 32) : readHash(id, "paramsId");
}
