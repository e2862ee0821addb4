// Reads files that are dropped on the page or chosen.

import { NotAProof } from "./not-a-proof.js";

/** More than the largest proof that the verifiers accept, in hexadecimal. */
const MAX_BYTES = 32 << 20;

/** The text of a file. Throws `NotAProof` if it is too large or cannot be read. */
export async function readFile(file: File): Promise<string> {
  if (file.size > MAX_BYTES) {
    const size = Math.ceil(file.size / (1 << 20));
    throw new NotAProof(`It has ${size} MiB; proof files have at most ${MAX_BYTES >> 20} MiB.`);
  }
  try {
    return await file.text();
  } catch {
    throw new NotAProof("It could not be read. Folders cannot be dropped.");
  }
}
