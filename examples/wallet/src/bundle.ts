// Answers as files: with their proofs and headers, they verify without any server.

import {
  type Answer,
  type Bundle,
  type BundleTrust,
  toBundle,
  type VerifiedAnswer,
  verifyBundle,
} from "prooflight";

import { nameOf } from "./account.js";

/** Larger than any answer. */
const MAX_BYTES = 32 << 20;

/** Why a file is not an answer, in a readable sentence. */
export class NotABundle extends Error {}

/** A file's verified answers: each account with its proven state. */
export interface Verified {
  header: VerifiedAnswer["header"];
  results: { name: string; result: VerifiedAnswer["results"][number] }[];
}

/** The answer about an account as a file. */
export function toFile(account: string, answer: Answer): File {
  const text = JSON.stringify(toBundle(answer), null, 2);
  const name = `${account.replace(/[^\w-]+/g, "-")}-at-block-${answer.block.height}.json`;
  return new File([text], name, { type: "application/json" });
}

/** Verifies a file. Throws `NotABundle` or a `VerifyError`. */
export async function verifyFile(file: File, trust: BundleTrust): Promise<Verified> {
  const verified = await verifyBundle(await read(file), trust);
  if (verified.kind !== "StateAnswer") {
    throw new NotABundle(
      "It has what changed in a range of blocks, which this page does not show.",
    );
  }
  const { header, keys, results } = verified;
  return {
    header,
    results: results.map((result, index) => ({
      name: nameOf(keys[index] ?? new Uint8Array()),
      result,
    })),
  };
}

async function read(file: File): Promise<Bundle> {
  if (file.size > MAX_BYTES) throw new NotABundle(`It has more than ${MAX_BYTES >> 20} MiB.`);
  const text = await file.text().catch(() => {
    throw new NotABundle("It could not be read. Folders cannot be verified.");
  });
  try {
    // Verification checks its form.
    return JSON.parse(text) as Bundle;
  } catch (error) {
    throw new NotABundle(`It is not JSON: ${(error as Error).message}.`);
  }
}
