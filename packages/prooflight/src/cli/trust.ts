/**
 * Replaces the inputs that a statement must not choose itself: trusted inputs come from the options and the clock.
 *
 * Test vectors are run without this; see `vectors.ts`.
 */

import { toHex, toQuantity } from "../bytes.js";
import type { StateScheme } from "../chain/schemes.js";
import { describe, refuse } from "../error.js";
import type { Kind } from "../statement/json.js";
import { type ChainOptions, readCheckpointFile } from "./chain.js";
import { readBytes } from "./files.js";
import { print } from "./output.js";
import { type SafeText, yellow } from "./text.js";

/** The options that name trusted inputs. */
export interface TrustOptions {
  checkpoint?: string | undefined;
  "allow-insecure-setup"?: boolean | undefined;
  "verifying-key"?: string | undefined;
}

/** A statement's input, ready to be verified. */
export interface Trusted {
  /** The input, with the trusted members taken from the options. */
  input: Record<string, unknown>;
  /** Members that should be trusted but come from the statement's own file. */
  unpinned: Unpinned[];
}

export interface Unpinned {
  member: string;
  /** Its name in a sentence, and how to replace it. */
  what: string;
  remedy: string;
}

/** Replaces the trusted members of a statement's input. */
export async function withTrust(
  kind: Kind,
  stated: Readonly<Record<string, unknown>>,
  options: TrustOptions,
): Promise<Trusted> {
  const input = { ...stated };
  const unpinned: Unpinned[] = [];
  permission(kind, input, options);
  await key(kind, input, options, unpinned);
  await checkpoint(kind, input, options, unpinned);
  return { input, unpinned };
}

/** Only the option can allow an insecure setup. The file's own permission is dropped. */
function permission(
  { asked }: Kind,
  input: Record<string, unknown>,
  { "allow-insecure-setup": allowed = false }: TrustOptions,
): void {
  if (!asked.includes("allowInsecureSetup")) {
    if (allowed) throw noSuch("--allow-insecure-setup");
    return;
  }
  const { allowInsecureSetup: own } = input;
  if (own !== undefined && typeof own !== "boolean") {
    throw wrong("allowInsecureSetup, a boolean", own);
  }
  delete input["allowInsecureSetup"];
  if (allowed) input["allowInsecureSetup"] = true;
}

async function key(
  { asked, ownKey }: Kind,
  input: Record<string, unknown>,
  { "verifying-key": file }: TrustOptions,
  unpinned: Unpinned[],
): Promise<void> {
  if (file !== undefined && !asked.includes("verifyingKey")) throw noSuch("--verifying-key");
  const bytes = file === undefined ? undefined : await readBytes(file);
  if (ownKey === undefined) return;
  const own = input[ownKey];
  const brought = typeof own === "string" && own.startsWith("0x");
  if (bytes) {
    if (own !== undefined && !brought) throw noSuch("--verifying-key", "names its setup");
    input[ownKey] = toHex(bytes);
  } else if (brought) {
    const remedy = "pass one that you trust with --verifying-key FILE";
    unpinned.push({ member: ownKey, what: "the verifying key", remedy });
  }
}

async function checkpoint(
  { asked }: Kind,
  input: Record<string, unknown>,
  { checkpoint: file }: TrustOptions,
  unpinned: Unpinned[],
): Promise<void> {
  if (!asked.includes("checkpoint")) {
    if (file !== undefined) throw noSuch("--checkpoint");
    return;
  }
  const now = toQuantity(BigInt(Date.now()));
  const own = ["checkpoint", "now", "maxClockSkew", "maxHeadAge"].filter((name) => name in input);
  if (file !== undefined) {
    const [member] = own;
    if (member !== undefined) {
      const expected = `a statement without the member ${member} beside --checkpoint`;
      throw refuse("invalid_argument", expected, "one");
    }
    input["checkpoint"] = await readCheckpointFile(file);
    input["now"] = now;
    return;
  }
  if (input["checkpoint"] === undefined) {
    const expected = "--checkpoint FILE, from a source that you trust, for this statement";
    throw refuse("invalid_argument", expected, "nothing");
  }
  input["now"] ??= now;
  const remedy = `take ${own.join(" and ")} out of it, and pass a checkpoint that you trust with --checkpoint FILE`;
  unpinned.push({ member: "checkpoint", what: "the checkpoint", remedy });
}

const noSuch = (option: string, which = "takes none") =>
  refuse("invalid_argument", `no ${option} for a statement that ${which}`, "one");

const wrong = (expected: string, found: unknown) =>
  refuse("invalid_argument", `a statement with ${expected}`, describe(found));

/** The remark beside a verdict. */
export const insecureMark = (insecure: boolean): string | SafeText =>
  insecure ? yellow(" with an insecure setup allowed") : "";

/** Prints the warning below a verdict, or above several. */
export function printInsecureNote(insecure: boolean): void {
  if (!insecure) return;
  print();
  print("  An insecure setup is allowed: under one, anyone can forge proofs.");
}

/** Whether the options allow an insecure setup for a scheme. Only `lvmt` has a setup. */
export const allowsInsecure = (scheme: StateScheme, options: ChainOptions): boolean =>
  scheme === "lvmt" && options["allow-insecure-setup"] === true;
