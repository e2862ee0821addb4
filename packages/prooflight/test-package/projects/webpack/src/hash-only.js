import { verifyBatch } from "prooflight/avl";
import { init, verifyMptProof } from "prooflight/mpt";

globalThis.verifiers = { init, verifyBatch, verifyMptProof };
