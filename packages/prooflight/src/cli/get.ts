import { toHex } from "../bytes.js";
import { toBundle } from "../client/saved.js";
import { refuse } from "../error.js";
import {
  answerJson,
  atOf,
  blockName,
  type ChainOptions,
  connect,
  evidenceRows,
  headerJson,
  keyOf,
  keyText,
  printVerdict,
  resultText,
  schemeOf,
} from "./chain.js";
import { writeJson } from "./files.js";
import { EXIT, print, printJson, printRows, printSaved } from "./output.js";
import { dim, text } from "./text.js";
import { allowsInsecure, insecureMark, printInsecureNote } from "./trust.js";

/** `prooflight get KEY…`: asks the servers and prints the verified values. Returns the exit code. */
export async function get(
  keys: readonly string[],
  options: ChainOptions & { bundle?: string | undefined; scheme?: string | undefined },
  json: boolean,
): Promise<number> {
  const raw = keys.map(keyOf);
  const at = atOf(options.at);
  const named = schemeOf(options.scheme);
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
  printVerdict(blockName(block), insecureMark(insecure));
  printInsecureNote(insecure);
  print();
  for (const answer of answers) {
    print(text`  ${keyText(answer.key)}`);
    print(text`    ${resultText(answer, scheme)}`);
  }
  print();
  printRows([["block", dim(toHex(block.hash))], ...evidenceRows(evidence)]);
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
