// Files that are dropped on the page or chosen.

import { NotAProof } from "./not-a-proof.js";

/** More than the largest proof that the verifiers accept, in hexadecimal. */
const MAX_BYTES = 32 << 20;

/** Calls back with each file that is dropped anywhere on the page, or chosen with `input`. */
export function onFile(input: HTMLInputElement, listener: (file: File) => void): void {
  const dragging = (on: boolean) => document.body.classList.toggle("dragging", on);
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) listener(file);
    input.value = ""; // or choosing the same file again would change nothing
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    dragging(event.dataTransfer?.types.includes("Files") ?? false);
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) dragging(false); // has left the page, not only an element
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    dragging(false);
    const file = event.dataTransfer?.files[0];
    if (file) listener(file);
  });
}

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
