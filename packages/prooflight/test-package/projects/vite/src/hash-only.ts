import { verifyBatch } from "prooflight/avl";
import { init, verifyMptProof } from "prooflight/mpt";

Object.assign(globalThis, { verifiers: { init, verifyBatch, verifyMptProof } });
