// What a proof of one key claims of the vectors, as big integers: for verifiers that know nothing of LVMT.

import { createHash } from "node:crypto";

/** The order of the groups, and the prime that coordinates are modulo. */
export const R = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;
const Q = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;

/** A root of unity of order 2^28. */
const W28 = 19103219067921713944291392827692070036145651957329286315305642004821462161904n;

/** Entries have six versions of five bytes. */
const ENTRY = 30;

/** `[tau^(2^j)]_2` of the development setup are these multiples of the generator. */
export function powersOfTau(logN) {
  const hash = createHash("blake2b512").update("prooflight/amt/dev-tau/v1").digest();
  const powers = [fromLittleEndian(hash) % R];
  while (powers.length < logN) powers.push(powers.at(-1) ** 2n % R);
  return powers;
}

/**
 * The openings of a proof that one key is present: each says that
 * `e(C - value G + sum of c q, G2) = product of e(q, [tau^(2^j)]_2)` over its `terms` q, c and j.
 */
export function openings({ proof, keyHash, aroot, logN, logArity }) {
  const reader = new Reader(proof.subarray(3));
  const claims = reader.list(() => {
    if (reader.take(1)[0] !== 0) throw new Error("the key is not present");
    reader.take(2 + 12);
    reader.take(reader.u32());
  });
  if (claims.length !== 1) throw new Error("not a proof of one key");
  const entries = reader.list(() => fromLittleEndian(reader.take(ENTRY)));
  const amts = reader.list(() => {
    const commitment = reader.take(32);
    reader.take(12);
    return { commitment, single: reader.take(1)[0] === 0 };
  });
  const points = reader.list(() => reader.take(32));

  return entries.map((value, level) => {
    const { commitment, single } = level === 0 ? { commitment: aroot } : amts[level - 1];
    const x = power(power(W28, 1n << BigInt(28 - logN)), indexAt(keyHash, logN, level));
    const step = single ? logN : logArity;
    const bases = Array.from({ length: logN / step }, (_, d) => logN - step * (d + 1));
    const terms = bases.map((j) => ({
      point: decompress(points.shift()),
      factor: power(x, 1n << BigInt(j)),
      j,
    }));
    return { commitment: decompress(commitment), value, terms };
  });
}

function indexAt(keyHash, logN, level) {
  const bits = BigInt(`0x${keyHash.toString("hex")}`);
  return (bits >> BigInt(256 - logN * (level + 1))) % (1n << BigInt(logN));
}

/** A point of G1 from its compressed form. */
function decompress(bytes) {
  const flags = bytes[31] & 0xc0;
  const x = fromLittleEndian([...bytes.subarray(0, 31), bytes[31] & 0x3f]);
  const y = power((x ** 3n + 3n) % Q, (Q + 1n) / 4n, Q);
  return { x, y: y > Q - y === (flags === 0x80) ? y : Q - y };
}

function power(base, exponent, modulus = R) {
  let result = 1n;
  for (let e = exponent, b = base; e > 0n; e >>= 1n, b = (b * b) % modulus) {
    if (e & 1n) result = (result * b) % modulus;
  }
  return result;
}

function fromLittleEndian(bytes) {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
}

/** Borsh, as far as a proof has it. */
class Reader {
  #bytes;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  take(count) {
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }

  u32() {
    return this.take(4).readUInt32LE();
  }

  list(read) {
    return Array.from({ length: this.u32() }, read);
  }
}
