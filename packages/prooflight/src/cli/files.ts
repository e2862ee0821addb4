import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

import { refuse } from "../error.js";

/** The text of a file, or of standard input for `-`; throws `invalid_argument` if it cannot be read. */
export async function readText(file: string): Promise<string> {
  try {
    // Both fail, too, when there is more than a string can hold.
    return await (file === "-" ? text(process.stdin) : readFile(file, "utf8"));
  } catch (cause) {
    throw refuse("invalid_argument", "a file that can be read, of at most 512 MiB", String(cause), {
      cause,
    });
  }
}
