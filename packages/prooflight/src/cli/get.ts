import { writeFile } from "node:fs/promises";

import { readScheme } from "../chain/schemes.js";
import { refuse } from "../error.js";
import {
  answerJson,
  atOf,
  blockText,
  bytesText,
  type ChainOptions,
  connect,
  headerJson,
  keyOf,
  valueText,
} from "./chain.js";
import { EXIT } from "./exit.js";
import { print, printJson, printRows } from "./output.js";
import { bold, dim, green, text } from "./text.js";

/** `prooflight get KEY…`: asks the servers, prints what is verified, gives the exit code. */
export async function get(
  keys: readonly string[],
  options: ChainOptions & { bundle?: string | undefined; scheme?: string | undefined },
  json: boolean,
): Promise<number> {
  const raw = keys.map(keyOf);
  const at = atOf(options.at);
  const scheme = readScheme(options.scheme ?? "avl");
  const client = await connect(options);
  const answers = await client.getMany(raw, { scheme, at });
  const [first] = answers;
  if (!first) throw refuse("bug", "an answer", "none");
  if (options.bundle !== undefined) await write(options.bundle, first.toBundle());
  const { block, evidence } = first;
  if (json) {
    printJson({
      verified: true,
      block: headerJson(block),
      head: headerJson(evidence.head),
      proofBytes: evidence.proofBytes,
      server: evidence.server,
      answers: answers.map(answerJson),
    });
    return EXIT.ok;
  }
  print(text`${green("✔")} ${bold("verified")}  ${blockText(block)}`);
  print();
  for (const answer of answers) {
    print(text`  ${bytesText(answer.key)}`);
    print(text`    ${valueText(answer)}`);
  }
  print();
  printRows([
    ["head", blockText(evidence.head)],
    ["proof", `${evidence.proofBytes} bytes, verified in ${evidence.milliseconds.toFixed(1)} ms`],
    ["server", new URL(evidence.server).host],
  ]);
  if (options.bundle !== undefined) {
    print();
    print(dim(`Saved; check it again with: prooflight verify ${options.bundle} --checkpoint FILE`));
  }
  return EXIT.ok;
}

async function write(file: string, content: unknown): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
  } catch (cause) {
    throw refuse("invalid_argument", "a file that can be written", String(cause), { cause });
  }
}
