import { toHex } from "../bytes.js";
import { readScheme } from "../chain/schemes.js";
import { toBundle } from "../client/saved.js";
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
  serverText,
} from "./chain.js";
import { writeJson } from "./files.js";
import { EXIT, print, printJson, printRows, printSaved } from "./output.js";
import { bold, CHECK_MARK, dim, text } from "./text.js";
import { allowsInsecure, insecureMark, printInsecureNote } from "./trust.js";

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
  if (options.bundle !== undefined) await writeJson(options.bundle, toBundle(first));
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
  print(text`${CHECK_MARK} ${bold("verified")}${insecureMark(insecure)}  ${blockName(block)}`);
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
    ["server", serverText(evidence.server)],
  ]);
  if (options.bundle !== undefined) {
    printSaved(options.bundle, [
      ...(insecure ? ["--allow-insecure-setup"] : []),
      ...(scheme === "lvmt" && options["verifying-key"] !== undefined
        ? ["--verifying-key FILE"]
        : []),
    ]);
  }
  return EXIT.ok;
}
