import { AvlProver, verifyBatch } from "prooflight/avl";
import { init, verifyMptProof } from "prooflight/mpt";

function newDigest(): Uint8Array {
  using prover = new AvlProver({ keyLength: 32 });
  return prover.digest;
}

Object.assign(globalThis, { verifiers: { init, newDigest, verifyBatch, verifyMptProof } });
