/** Shared by the commands that ask servers: their options, and the display of blocks and values. */

import { readHex } from "../arguments.js";
import { toHex } from "../bytes.js";
import { type Checkpoint, parseCheckpoint } from "../chain/checkpoint.js";
import type { Header } from "../chain/header.js";
import { readScheme, type StateScheme } from "../chain/schemes.js";
import type { Answer } from "../client/answers.js";
import { LightClient } from "../client/light-client.js";
import type { At } from "../client/questions.js";
import { describe, refuse } from "../error.js";
import type { Absent, Present } from "../state.js";
import { readBytes, readText } from "./files.js";
import { print, printFailure, type Row } from "./output.js";
import { bold, CHECK_MARK, dim, readable, type SafeText, text } from "./text.js";

/** The options of the commands that ask servers, as they were given. */
export interface ChainOptions {
  server?: string[] | undefined;
  checkpoint?: string | undefined;
  at?: string | undefined;
  timeout?: string | undefined;
  "max-head-age"?: string | undefined;
  "allow-insecure-setup"?: boolean | undefined;
  "verifying-key"?: string | undefined;
}

/** Connects to the servers. Prints each failure of a server. */
export async function connect(options: ChainOptions): Promise<LightClient> {
  const { server = [], checkpoint, "verifying-key": verifyingKey } = options;
  if (server.length === 0) throw needed("--server URL, once for each server");
  if (checkpoint === undefined) throw needed("--checkpoint FILE, from a source that you trust");
  return LightClient.connect({
    urls: server,
    checkpoint: await readCheckpointFile(checkpoint),
    timeout: milliseconds(options.timeout, "--timeout"),
    maxHeadAge: milliseconds(options["max-head-age"], "--max-head-age"),
    allowInsecureSetup: options["allow-insecure-setup"],
    verifyingKey: verifyingKey === undefined ? undefined : await readBytes(verifyingKey),
    onFailure({ url, error }) {
      printFailure(serverText(url), error);
    },
  });
}

/** The checkpoint in a file. */
export async function readCheckpointFile(file: string): Promise<Checkpoint> {
  return parseCheckpoint(await readText(file));
}

/** The bytes of a key: 0x-hex, or text. */
export function keyOf(argument: string): Uint8Array {
  return argument.startsWith("0x")
    ? readHex(undefined, argument, "KEY")
    : new TextEncoder().encode(argument);
}

/** The scheme that `--scheme` names. */
export const schemeOf = (argument: string | undefined): StateScheme | undefined =>
  argument === undefined ? undefined : readScheme(argument);

/** The block that `--at` names. */
export function atOf(argument: string | undefined): At {
  if (argument === undefined || argument === "latest") return "latest";
  if (/^0x[0-9a-f]{64}$/i.test(argument)) return argument as `0x${string}`;
  if (HEIGHT.test(argument)) return BigInt(argument);
  throw refuse("invalid_argument", "--at latest, a height or a header hash", describe(argument));
}

const HEIGHT = /^(0|[1-9][0-9]{0,19}|0x[0-9a-f]{1,16})$/i;

/** The height in the option `name`. */
export function heightOf(argument: string, name: string): bigint {
  if (HEIGHT.test(argument)) return BigInt(argument);
  throw refuse("invalid_argument", `${name} HEIGHT`, describe(argument));
}

/** The last block of a range, which `--to` names. */
export function rangeEndOf(argument: string | undefined): "latest" | bigint {
  return argument === undefined || argument === "latest" ? "latest" : heightOf(argument, "--to");
}

/** A block's height and time, without its hash, which fills a line. */
export function blockName({ height, timestampMs }: Header): SafeText {
  return text`block ${String(height)}  ${dim(timeOf(timestampMs))}`;
}

/** A block in one line. */
export function blockText(header: Header): SafeText {
  return text`${blockName(header)}  ${dim(toHex(header.hash))}`;
}

/** The rows of the head that an answer was verified against. */
function headRows(head: Header): Row[] {
  return [
    ["head", blockName(head)],
    ["", dim(toHex(head.hash))],
  ];
}

/** The rows of what an answer rests on. `more` is what comes with the proof's bytes. */
export function evidenceRows({ head, ...proof }: ProofEvidence, more = ""): Row[] {
  const { scheme, proofBytes, milliseconds, server } = proof;
  const verified = `verified in ${milliseconds.toFixed(1)} ms`;
  return [
    ...headRows(head),
    ["proof", `${scheme}, ${proofBytes} bytes${more}, ${verified}`],
    ["server", serverText(server)],
  ];
}

/** The evidence of every answer. */
type ProofEvidence = Pick<
  Answer["evidence"],
  "head" | "scheme" | "proofBytes" | "milliseconds" | "server"
>;

/** Prints what was verified. */
export function printVerdict(what: string | SafeText, mark: string | SafeText = ""): void {
  print(text`${CHECK_MARK} ${bold("verified")}${mark}  ${what}`);
}

/** The most bytes of a value that are shown. `--json` prints all. */
const SHOWN_BYTES = 64;

/** A key: all its bytes in hexadecimal, so that no other key looks the same, and as text if it is readable. */
export function keyText(key: Uint8Array): SafeText {
  return bytesText(key, toHex(key));
}

/** A value: in hexadecimal, shortened if it is long, and as text if it is readable. */
export function valueText(value: Uint8Array): SafeText {
  const cut = value.length > SHOWN_BYTES;
  return bytesText(value, cut ? `${toHex(value.subarray(0, SHOWN_BYTES))}…` : toHex(value));
}

/** The value of a change. */
export const valueOf = (value: Uint8Array | null): SafeText =>
  value === null ? dim("deleted") : valueText(value);

function bytesText(bytes: Uint8Array, hex: string): SafeText {
  const words = readable(bytes);
  const size = dim(bytes.length === 1 ? "1 byte" : `${bytes.length} bytes`);
  return words === undefined ? text`${hex}  ${size}` : text`${words}  ${dim(hex)}  ${size}`;
}

/** Whether a scheme proves the block of a key's last change, and distinguishes deleted keys from unwritten ones. */
const provesBlocks = (scheme: StateScheme) =>
  scheme === "amb" || scheme === "lvmt" || scheme === "smt";

/** The verified result for a key, with the details that `scheme` proves. */
export function resultText(result: Present | Absent, scheme: StateScheme): SafeText {
  const { layer } = result;
  if (result.kind === "present") {
    const { value, since } = result;
    if (layer !== undefined) return text`${valueText(value)}  ${layerText(layer)}`;
    return since === undefined
      ? valueText(value)
      : text`${valueText(value)}  ${dim(`since block ${since}`)}`;
  }
  if (layer !== undefined) return absenceText(layer);
  if (!provesBlocks(scheme)) return dim("absent");
  const { deletedAt } = result;
  return dim(
    deletedAt === undefined ? "absent: never written" : `absent: deleted in block ${deletedAt}`,
  );
}

/** The layer that has a value. */
export const layerText = (layer: string): SafeText => dim(`in layer ${layer}`);

/** An absence, by the layer that settled it. */
export const absenceText = (layer: string): SafeText =>
  dim(layer === "snapshot" ? "absent: in no layer" : `absent: deleted in layer ${layer}`);

/** A header as `--json` prints it. */
export function headerJson({ height, hash, timestampMs, roots }: Header) {
  const named = Object.entries(roots).map(([scheme, root]) => [scheme, toHex(root)]);
  return {
    height: String(height),
    hash: toHex(hash),
    timestampMs: String(timestampMs),
    roots: Object.fromEntries(named) as Record<string, string>,
  };
}

/** An answer as `--json` prints it. */
export function answerJson(answer: Answer, scheme: StateScheme) {
  return { key: toHex(answer.key), ...resultJson(answer, scheme) };
}

/**
 * The verified result for a key, as `--json` prints it.
 *
 * Schemes that prove it add `since`, or `deletedAt` for an absent key: null if it was never written. A scheme with
 * layers adds `layer`.
 */
export function resultJson(result: Present | Absent, scheme: StateScheme) {
  const height = (block: bigint | undefined) => (block === undefined ? null : String(block));
  const proves = provesBlocks(scheme);
  const layer = result.layer && { layer: result.layer };
  if (result.kind === "present") {
    const { kind, value, since } = result;
    return { kind, value: toHex(value), ...(proves && { since: height(since) }), ...layer };
  }
  const { kind, deletedAt } = result;
  return { kind, value: null, ...(proves && { deletedAt: height(deletedAt) }), ...layer };
}

/** A server by its name: its host, and its number in the list if several have that origin. */
export const serverText = (name: string): string => name.replace(/^[a-z]+:\/\/([^/]*)\//, "$1");

/** A time in ISO 8601. */
export function timeOf(timestampMs: bigint): string {
  const time = new Date(Number(timestampMs));
  return Number.isNaN(time.getTime()) ? `${timestampMs} ms` : time.toISOString();
}

/** A number of milliseconds in the option `name`. */
export function milliseconds(argument: string | undefined, name: string): number | undefined {
  if (argument === undefined) return undefined;
  if (/^[0-9]{1,15}$/.test(argument)) return Number(argument);
  throw refuse("invalid_argument", `${name} in milliseconds`, describe(argument));
}

/** The refusal of a missing option. */
export const needed = (what: string) => refuse("invalid_argument", what, "nothing");
