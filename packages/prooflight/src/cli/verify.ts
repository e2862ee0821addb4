import { describe, refuse, VerifyError } from "../error.js";
import { toQuantity } from "../chain/quantity.js";
import { type Json, parseJson } from "../vectors/json.js";
import { type Kind, KINDS } from "../vectors/kinds.js";
import { readCheckpointFile } from "./chain.js";
import { type EthOptions, ethStatement } from "./eth.js";
import { EXIT, exitCodeOf } from "./exit.js";
import { readText } from "./files.js";
import { print, printJson, printRows } from "./output.js";
import { bold, dim, green, red, type SafeText, text, yellow } from "./text.js";

/** How many results people are shown, and how wide what they are about may be. */
const SHOWN = 8;
const SUBJECT_WIDTH = 36;

/**
 * `prooflight verify FILE`: prints the verdict on one statement, gives the exit code.
 *
 * An answer to `eth_getProof` is verified as it came, against the state root of the options. A
 * statement that leaves out what whoever verifies it must know gets the checkpoint in the file
 * `checkpoint`, and the time of the clock.
 */
export async function verify(
  file: string,
  options: EthOptions & VerifyOptions,
  json: boolean,
): Promise<number> {
  const statement = parseJson(await readText(file), "a statement");
  const ethAnswer = ethStatement(statement, options);
  const { name, kind, input } = parse(ethAnswer ?? statement);
  await complete(kind, input, options);
  await kind.init();
  try {
    const answer = kind.verify(input);
    const trusted = kind.trusted(input);
    if (json) printJson({ verified: true, scheme: kind.scheme, kind: name, trusted, answer });
    else printVerified(name, kind, input, trusted, answer);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    if (json) printJson({ verified: false, scheme: kind.scheme, kind: name, error });
    else printRefused(name, error);
    return exitCodeOf(error);
  }
}

interface VerifyOptions {
  checkpoint?: string | undefined;
  "allow-insecure-setup"?: boolean | undefined;
}

/** The statement in a file: what kind it is, and its input. */
function parse(statement: unknown): { name: string; kind: Kind; input: Record<string, unknown> } {
  if (typeof statement !== "object" || statement === null) throw wrong("an object", statement);
  const { scheme, kind, type, ...input } = statement as Record<string, unknown>;
  if (kind !== undefined && type !== undefined) throw wrong("a kind or a type, not both", type);
  const name = kind ?? type;
  if (typeof name !== "string") throw wrong("a kind, a string", name);
  const known = KINDS.get(name);
  if (known?.saysScheme) return { name, kind: known, input: { ...input, scheme } };
  if (!known || (scheme !== undefined && scheme !== known.scheme)) {
    const kinds = [...KINDS].map(([name, { scheme }]) => `${scheme} ${name}`);
    const found = typeof scheme === "string" ? `${scheme} ${name}` : name;
    throw refuse("unknown_statement", `one of ${kinds.join(", ")}`, found);
  }
  return { name, kind: known, input };
}

async function complete(
  { asked }: Kind,
  input: Record<string, unknown>,
  { checkpoint, "allow-insecure-setup": allowInsecureSetup }: VerifyOptions,
): Promise<void> {
  if (allowInsecureSetup) {
    if (!asked.includes("allowInsecureSetup")) {
      throw refuse("invalid_argument", "no --allow-insecure-setup for this statement", "one");
    }
    input["allowInsecureSetup"] = true;
  }
  const needed = asked.includes("checkpoint") && input["checkpoint"] === undefined;
  if (needed && checkpoint === undefined) {
    throw wrong("--checkpoint FILE, from a source that you trust", undefined);
  }
  if (!needed && checkpoint !== undefined) {
    throw refuse("invalid_argument", "no --checkpoint for this statement", "one");
  }
  const now = toQuantity(BigInt(Date.now()));
  if (checkpoint === undefined) {
    if (asked.includes("now")) input["now"] ??= now;
    return;
  }
  // Whoever made the file must not say what time it is for whoever verifies it, nor what to allow.
  const members = ["now", "maxClockSkew", "maxHeadAge"];
  if (!allowInsecureSetup) members.push("allowInsecureSetup");
  const own = members.find((member) => member in input);
  if (own !== undefined) throw wrong(`no ${own} beside --checkpoint`, input[own]);
  input["checkpoint"] = await readCheckpointFile(checkpoint);
  input["now"] = now;
}

function printVerified(
  name: string,
  kind: Kind,
  input: Record<string, unknown>,
  trusted: Record<string, Json>,
  answer: Record<string, Json>,
): void {
  const compat = trusted["mode"] === "compat" ? yellow(" in compat mode") : "";
  const insecure =
    trusted["allowInsecureSetup"] === true ? yellow(" with an insecure setup allowed") : "";
  print(text`${green("✔")} ${bold("verified")}${compat}${insecure}  ${kind.scheme} ${name}`);
  if (compat) {
    print();
    print(
      "  Compat mode accepts more than an honest prover writes; leave mode out unless you need it.",
    );
  }
  if (insecure) {
    print();
    print("  An insecure setup was allowed: under one, anyone can forge proofs.");
  }
  print();
  print("  It rests on this, which you must know from a source that you trust, not from the file:");
  printRows(Object.entries(trusted).map(([member, value]) => [member, plain(value)]));
  print();
  print("  The proof shows:");
  printRows(Object.entries(answer).flatMap(shownRows));
  const { results, values, storage } = answer;
  if (Array.isArray(results)) {
    const when = kind.scheme === "avl" ? "before its operation" : "in that state";
    printResults(`Each key ${when}:`, kind.subjects(input), results);
  }
  if (Array.isArray(values)) printResults("Each key in that state:", kind.subjects(input), values);
  if (Array.isArray(storage) && storage.length > 0) {
    printResults("Each slot:", kind.subjects(input), storage);
  }
}

/** The rows of one member of an answer; lists are printed on their own. */
function shownRows([name, value]: [string, Json]): [string, string | SafeText][] {
  if (value === null) return [[name, dim("absent")]];
  if (typeof value === "string") return [[name, value]];
  if (Array.isArray(value) || typeof value !== "object") return [];
  return Object.entries(value).map(([member, value]) => [member, plain(value)]);
}

function printResults(title: string, subjects: readonly string[], results: readonly Json[]): void {
  print();
  print(`  ${title}`);
  const shown = subjects.slice(0, SHOWN).map((subject) => shorten(subject, SUBJECT_WIDTH));
  printRows(shown.map((subject, i) => [subject, inWords(results[i])]));
  const hidden = results.length - shown.length;
  if (hidden > 0) print(text`  ${dim(`and ${hidden} more; --json prints all`)}`);
}

function printRefused(name: string, error: VerifyError): void {
  print(text`${red("✘")} ${bold("refused")}  ${error.scheme ?? ""} ${name}`);
  print();
  printRows([
    ["code", red(error.code)],
    ["reason", red(error.reason)],
    ["expected", error.details.expected],
    ["found", error.details.found],
  ]);
}

/** A value as it stands in the file; a string without quotes. */
const plain = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));

function inWords(result: Json | undefined): string | SafeText {
  if (typeof result === "object" && result !== null && "value" in result) {
    const { block } = result;
    const since = typeof block === "string" ? dim(`since block ${BigInt(block)}`) : "";
    return text`${inWords(result["value"])}  ${since}`;
  }
  if (typeof result !== "string") return dim("absent");
  const bytes = result.length / 2 - 1;
  return bytes <= 16 ? result : text`${shorten(result, 34)} ${dim(`${bytes} bytes`)}`;
}

const shorten = (text: string, width: number) =>
  text.length <= width ? text : `${text.slice(0, width - 9)}…${text.slice(-8)}`;

const wrong = (expected: string, found: unknown) =>
  refuse("invalid_argument", `a statement with ${expected}`, describe(found));
