// The openings of a proof, verified one by one by libraries of pairings. Each gets its points decoded and the
// setup's prepared, where the library can; it does not check the leaves.

import { bn254 } from "@noble/curves/bn254.js";
import mcl from "mcl-wasm";

import { powersOfTau } from "./statement.mjs";

/** A function that throws unless the openings hold, by @noble/curves. */
export function noble(openings, logN) {
  const { G1, G2, fields, pairingBatch } = bn254;
  const tau = powersOfTau(logN).map((power) => G2.Point.BASE.multiply(power));
  const given = openings.map(({ commitment, value, terms }) => ({
    commitment: G1.Point.fromAffine(commitment),
    value,
    terms: terms.map(({ point, factor, j }) => ({ point: G1.Point.fromAffine(point), factor, j })),
  }));
  return () => {
    for (const { commitment, value, terms } of given) {
      let left = commitment.subtract(G1.Point.BASE.multiplyUnsafe(value));
      for (const { point, factor } of terms) left = left.add(point.multiplyUnsafe(factor));
      const right = terms.map(({ point, j }) => ({ g1: point.negate(), g2: tau[j] }));
      const product = pairingBatch([{ g1: left, g2: G2.Point.BASE }, ...right]);
      if (!fields.Fp12.eql(product, fields.Fp12.ONE)) throw new Error("an opening does not hold");
    }
  };
}

/** The same by mcl-wasm, with prepared points of the setup. */
export async function mclWasm(openings, logN) {
  await mcl.init(mcl.BN_SNARK1);
  const scalar = (number) => {
    const scalar = new mcl.Fr();
    scalar.setStr(number.toString());
    return scalar;
  };
  const g1 = ({ x, y }) => {
    const point = new mcl.G1();
    point.setStr(`1 ${x} ${y}`);
    return point;
  };
  const generator = g1({ x: 1n, y: 2n });
  const base = new mcl.G2();
  const { x, y } = bn254.G2.Point.BASE.toAffine();
  base.setStr(`1 ${x.c0} ${x.c1} ${y.c0} ${y.c1}`);
  const one = new mcl.PrecomputedG2(base);
  const tau = powersOfTau(logN).map((power) => new mcl.PrecomputedG2(mcl.mul(base, scalar(power))));
  const given = openings.map(({ commitment, value, terms }) => ({
    commitment: g1(commitment),
    value: scalar(value),
    terms: terms.map(({ point, factor, j }) => ({ point: g1(point), factor: scalar(factor), j })),
  }));
  return () => {
    for (const { commitment, value, terms } of given) {
      let left = mcl.sub(commitment, mcl.mul(generator, value));
      for (const { point, factor } of terms) left = mcl.add(left, mcl.mul(point, factor));
      let product = mcl.precomputedMillerLoop(left, one);
      for (const { point, j } of terms) {
        product = mcl.mul(product, mcl.precomputedMillerLoop(mcl.neg(point), tau[j]));
      }
      if (!mcl.finalExp(product).isOne()) throw new Error("an opening does not hold");
    }
  };
}
