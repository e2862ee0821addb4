import { AvlProver, init, type Operation } from "../src/avl.js";

await init();

/** What the verifier pins about the dictionary of these tests. */
export const pinned = { keyLength: 2, valueLength: 8 };

/** The key of a number: even ones are in the dictionary. */
export const key = (n: number) => Uint8Array.of(1, n);

/** The value of a number: 64 bits, big-endian. */
export function long(n: bigint | number): Uint8Array<ArrayBuffer> {
  const value = new Uint8Array(8);
  new DataView(value.buffer).setBigInt64(0, BigInt(n));
  return value;
}

/** A dictionary of the keys 2, 4, … 200, each with its number as value. */
export function dictionary(): AvlProver {
  const prover = new AvlProver(pinned);
  const numbers = Array.from({ length: 100 }, (_, i) => 2 * i + 2);
  prover.apply(numbers.map((n) => ({ op: "Insert", key: key(n), value: long(n) })));
  return prover;
}

/** What {@link verifyBatch} needs to verify operations on that dictionary. */
export function proven(operations: Operation[]) {
  using prover = dictionary();
  const { proof } = prover.prove(operations);
  return { ...pinned, digest: prover.digest, operations, proof };
}

/** The same bytes but for one, counted from the end if negative. */
export function flipped(bytes: Uint8Array, at: number): Uint8Array<ArrayBuffer> {
  const changed = Uint8Array.from(bytes);
  const index = at < 0 ? bytes.length + at : at;
  changed[index] = (changed[index] ?? 0) ^ 1;
  return changed;
}

/** The same bytes with others after them. */
export const extended = (bytes: Uint8Array, ...more: number[]) =>
  Uint8Array.from([...bytes, ...more]);
