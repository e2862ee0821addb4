import { writeFile } from "node:fs/promises";

import { toHex } from "../bytes.js";
import { readScheme } from "../chain/schemes.js";
import { toBundle } from "../client/answers.js";
import { refuse } from "../error.js";
import {
  answerJson,
  atOf,
  blockName,
  type ChainOptions,
  connect,
  headerJson,
  headRows,
  keyOf,
  keyText,
  resultText,
} from "./chain.js";
import { EXIT } from "./exit.js";
import { allowsInsecure, insecureMark, printInsecureNote } from "./insecure.js";
import { print, printJson, printRows } from "./output.js";
import { bold, dim, green, text } from "./text.js";

/** `prooflight get KEY…`: asks the servers and prints the verified values. Returns the exit code. */
export async function get(
  keys: readonly string[],
  options: ChainOptions & { bundle?: string | undefined; scheme?: string | undefined },
  json: boolean,
): Promise<number> {
  const raw = keys.map(keyOf);
  const at = atOf(options.at);
  const named = options.scheme === undefined ? undefined : readScheme(options.scheme);
  const client = await connect(options);
  const answers = await client.getMany(raw, { scheme: named, at });
  const [first] = answers;
  if (!first) throw refuse("bug", "an answer", "none");
  if (options.bundle !== undefined) await write(options.bundle, toBundle(first));
  const { block, evidence } = first;
  const { scheme } = evidence;
  const insecure = allowsInsecure(scheme, options);
  if (json) {
    printJson({
      verified: true,
      scheme,
      ...(insecure && { allowInsecureSetup: true }),
      block: headerJson(block),
      head: headerJson(evidence.head),
      proofBytes: evidence.proofBytes,
      server: evidence.server,
      answers: answers.map((answer) => answerJson(answer, scheme)),
    });
    return EXIT.ok;
  }
  print(text`${green("✔")} ${bold("verified")}${insecureMark(insecure)}  ${blockName(block)}`);
  printInsecureNote(insecure);
  print();
  for (const answer of answers) {
    print(text`  ${keyText(answer.key)}`);
    print(text`    ${resultText(answer, scheme)}`);
  }
  print();
  printRows([
    ["block", dim(toHex(block.hash))],
    ...headRows(evidence.head),
    [
      "proof",
      `${scheme}, ${evidence.proofBytes} bytes, verified in ${evidence.milliseconds.toFixed(1)} ms`,
    ],
    ["server", new URL(evidence.server).host],
  ]);
  if (options.bundle !== undefined) {
    print();
    const flags = [
      ...["--checkpoint FILE"],
      ...(insecure ? ["--allow-insecure-setup"] : []),
      ...(scheme === "lvmt" && options["verifying-key"] !== undefined
        ? ["--verifying-key FILE"]
        : []),
    ];
    print(
      dim(`Saved; check it again with: prooflight verify ${options.bundle} ${flags.join(" ")}`),
    );
  }
  return EXIT.ok;
}

async function write(file: string, content: unknown): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause);
    throw refuse("invalid_argument", "a file that can be written", found, { cause });
  }
}
