import { readFile, writeFile } from "node:fs/promises";
import { buffer, text } from "node:stream/consumers";

import { refuse } from "../error.js";
import { withOrigins } from "../url.js";

/** The text of a file, or of standard input for `-`; throws `invalid_argument` if it cannot be read. */
export function readText(file: string): Promise<string> {
  return readable(file === "-" ? text(process.stdin) : readFile(file, "utf8"));
}

/** The bytes of a file, or of standard input for `-`; throws `invalid_argument` if it cannot be read. */
export function readBytes(file: string): Promise<Uint8Array> {
  return readable(file === "-" ? buffer(process.stdin) : readFile(file));
}

/** Writes a value as JSON; throws `invalid_argument` if the file cannot be written. */
export async function writeJson(file: string, content: unknown): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
  } catch (cause) {
    const found = withOrigins(cause instanceof Error ? cause.message : String(cause));
    throw refuse("invalid_argument", "a file that can be written", found, { cause });
  }
}

/** Fails also if the content exceeds the longest string or buffer. */
async function readable<Content>(content: Promise<Content>): Promise<Content> {
  try {
    return await content;
  } catch (cause) {
    const found = withOrigins(cause instanceof Error ? cause.message : String(cause));
    throw refuse("invalid_argument", "a file that can be read, of at most 512 MiB", found, {
      cause,
    });
  }
}
