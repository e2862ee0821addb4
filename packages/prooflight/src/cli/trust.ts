/**
 * What a statement may not decide about itself: only options and the clock say what whoever verifies it
 * trusts.
 *
 * Runs of test vectors take files as they stand instead; see `vectors.ts`.
 */

import { toHex } from "../bytes.js";
import { toQuantity } from "../chain/quantity.js";
import { describe, refuse } from "../error.js";
import type { Kind } from "../vectors/kinds.js";
import { readCheckpointFile } from "./chain.js";
import { readBytes } from "./files.js";

/** The options that say what is trusted. */
export interface TrustOptions {
  checkpoint?: string | undefined;
  "allow-insecure-setup"?: boolean | undefined;
  "verifying-key"?: string | undefined;
}

/** What a statement is verified with. */
export interface Trusted {
  /** Its input, with what the options say. */
  input: Record<string, unknown>;
  /** The verifying key of the options, if the input has no place for it. */
  verifyingKey: Uint8Array | undefined;
  /** What it rests on that only its own file says. */
  unpinned: Unpinned[];
}

export interface Unpinned {
  member: string;
  /** What it is, and what to do to verify the statement from one's own. */
  what: string;
  remedy: string;
}

/** Puts what the options say into a statement's input. */
export async function withTrust(
  kind: Kind,
  stated: Readonly<Record<string, unknown>>,
  options: TrustOptions,
): Promise<Trusted> {
  const input = { ...stated };
  const unpinned: Unpinned[] = [];
  permission(kind, input, options);
  const verifyingKey = await key(kind, input, options, unpinned);
  await checkpoint(kind, input, options, unpinned);
  return { input, verifyingKey, unpinned };
}

/** An insecure setup is allowed by the option, whatever the file says. */
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
): Promise<Uint8Array | undefined> {
  if (file !== undefined && !asked.includes("verifyingKey")) throw noSuch("--verifying-key");
  const bytes = file === undefined ? undefined : await readBytes(file);
  if (ownKey === undefined) return bytes;
  const own = input[ownKey];
  const brought = typeof own === "string" && own.startsWith("0x");
  if (bytes) {
    if (own !== undefined && !brought) throw noSuch("--verifying-key", "names its setup");
    input[ownKey] = toHex(bytes);
  } else if (brought) {
    const remedy = "pass one that you trust with --verifying-key FILE";
    unpinned.push({ member: ownKey, what: "the verifying key", remedy });
  }
  return undefined;
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
