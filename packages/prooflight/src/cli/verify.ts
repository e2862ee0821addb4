import { describe, refuse, VerifyError } from "../error.js";
import { type Json, type Kind, parseJson } from "../statement/json.js";
import { KINDS } from "../statement/kinds.js";
import { verifySentAnswer } from "../statement/mpt.js";
import { type EthOptions, ethStatement, refuseEthOptions } from "./eth-proof.js";
import { readText } from "./files.js";
import { EXIT, exitCodeOf, printJson } from "./output.js";
import { type TrustOptions, withTrust } from "./trust.js";
import { printProven, printRefused } from "./verdict.js";

/**
 * `prooflight verify FILE`: prints the verdict on one statement. Returns the exit code.
 *
 * An answer to `eth_getProof` is verified as a node sent it, against the state root of the options. Inputs that a
 * statement must not choose itself come from the options, see `trust.ts`.
 */
export async function verify(
  file: string,
  options: EthOptions & TrustOptions,
  json: boolean,
): Promise<number> {
  const content = parseJson(await readText(file), "a statement");
  const eth = ethStatement(content, options);
  if (!eth) refuseEthOptions(options);
  const { name, kind, scheme, stated } = parse(eth?.statement ?? content);
  const { input, unpinned } = await withTrust(kind, stated, options);
  await kind.init();
  const about = { scheme, kind: name };
  try {
    const answer = eth ? verifySentAnswer(input) : kind.verify(input);
    const trusted: Record<string, Json> = kind.trusted(input);
    const question = kind.question(input);
    if (json) {
      const verdict =
        unpinned.length === 0
          ? { verified: true }
          : { verified: false, unpinned: unpinned.map(({ member }) => member) };
      printJson({ ...verdict, ...about, trusted, question, answer });
    } else {
      const taken = eth?.taken ?? [];
      printProven(
        { name, scheme, unpinned, trusted, question, answer, taken },
        kind.subjects(input),
      );
    }
    return unpinned.length === 0 ? EXIT.ok : EXIT.unpinned;
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    if (json) printJson({ verified: false, ...about, error });
    else printRefused(name, scheme, error, stated["allowInsecureSetup"] === true);
    return exitCodeOf(error);
  }
}

interface Statement {
  name: string;
  kind: Kind;
  scheme: string;
  /** Its input as it is in the file. */
  stated: Record<string, unknown>;
}

/** The statement in a file. */
function parse(statement: unknown): Statement {
  if (typeof statement !== "object" || statement === null) throw wrong("an object", statement);
  const { scheme, kind, type, ...stated } = statement as Record<string, unknown>;
  if (kind !== undefined && type !== undefined) throw wrong("a kind or a type, not both", type);
  const name = kind ?? type;
  if (typeof name !== "string") throw wrong("a kind, a string", name);
  const known = KINDS.get(name);
  if (known?.saysScheme) {
    if (typeof scheme !== "string") throw wrong("a scheme, a string", scheme);
    return { name, kind: known, scheme, stated: { ...stated, scheme } };
  }
  if (!known || (scheme !== undefined && scheme !== known.scheme)) {
    const kinds = [...KINDS].map(([name, { scheme }]) => `${scheme} ${name}`);
    const found = typeof scheme === "string" ? `${scheme} ${name}` : name;
    throw refuse("unknown_statement", `one of ${kinds.join(", ")}`, found);
  }
  return { name, kind: known, scheme: known.scheme, stated };
}

const wrong = (expected: string, found: unknown) =>
  refuse("invalid_argument", `a statement with ${expected}`, describe(found));
