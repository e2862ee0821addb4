// Shows the results of main.ts on the page. The parts of the page are in index.html.

import { REASONS, toHex, VerifyError } from "prooflight";

import type { Claim, Statement } from "./claim.js";
import { details, type Row } from "./details.js";
import {
  type Content,
  element,
  find,
  input,
  markDifference,
  number,
  plural,
  rows,
  select,
  sentence,
  showState,
  time,
} from "./format.js";
import type { Lie } from "./lies.js";
import { NotAProof } from "./not-a-proof.js";
import { choice, press } from "./page.js";
import type { Block } from "./samples.js";
import type { Timed } from "./timing.js";

/** The verifier's verdict. */
export type Verdict = { digest: Uint8Array } | { refusal: VerifyError };

export const fileInput = input("file");

/** Offers blocks to pick. */
export function offerBlocks(blocks: readonly Block[], pick: (block: Block) => void): void {
  const buttons = blocks.map((block) => {
    const label = [element("b", number(block.height)), plural(block.operations, "operation")];
    return choice(label, block, pick);
  });
  find("blocks").replaceChildren(...buttons);
}

/** Clears the choice of a block. */
export function releaseBlocks(): void {
  press(find("blocks"), undefined);
}

/** Offers the statements of a file, if there are several. */
export function offerStatements(
  fileName: string,
  statements: readonly Statement[],
  pick: (statement: Statement) => void,
): void {
  const options = statements.map(({ title }, i) => element("option", `${i + 1}. ${title}`));
  const list = select("statement");
  list.replaceChildren(...options);
  list.onchange = () => {
    const statement = statements[list.selectedIndex];
    if (statement) pick(statement);
  };
  find("statements").hidden = statements.length < 2;
  find("statements-title").textContent = `${number(statements.length)} tests in ${fileName}`;
}

/** Offers lies as alternatives to the truth, which is chosen at first. */
export function offerLies(lies: readonly Lie[], tell: (lie: Lie | undefined) => void): void {
  const truth = choice(["Tell the truth"], undefined, tell);
  find("lie").replaceChildren(truth, ...lies.map((lie) => choice([lie.name], lie, tell)));
  press(find("lie"), truth);
  find("lies").hidden = lies.length === 0;
}

/** Shows the verdict on a claim, and the claim itself. */
export function showOutcome(claim: Claim, outcome: Timed<Verdict>, lie?: Lie): void {
  const { result: verdict, microseconds } = outcome;
  const timing = element("small", `in ${time(microseconds)}`);
  if ("digest" in verdict) {
    showVerdict("verified", ["Verified ", timing], meaning(claim));
    showFacts([["Leads to", [element("code", toHex(verdict.digest))]]]);
  } else {
    const { code, reason, details } = verdict.refusal;
    showVerdict("refused", ["Refused ", timing], sentence(REASONS[reason].meaning));
    showFacts([
      ["Code", [element("code", code)]],
      ["Reason", [element("code", reason)]],
      ["Expected", markDifference(details.expected, details.found)],
      ["Found", markDifference(details.found, details.expected)],
    ]);
  }
  find("change").textContent =
    lie?.change ?? "This is what an honest server sends. Choose a lie instead.";
  // A malformed claim cannot be shown either.
  const readable = "digest" in verdict || verdict.refusal.code !== "invalid_input";
  find("details").hidden = !readable;
  if (readable) showDetails(claim, lie);
}

/** Shows the reason why there is no verdict. */
export function showProblem(name: string, error: unknown): void {
  const expected = error instanceof NotAProof || error instanceof VerifyError;
  if (!expected) console.error(error);
  const why = expected ? error.message : `This page has a bug: ${String(error)}`;
  showVerdict("problem", ["Cannot be checked"], why);
  showFacts([["File", [name]]]);
  for (const id of ["lies", "details"]) find(id).hidden = true;
}

function showVerdict(state: string, title: Content, text: string): void {
  showState(state, title, text);
  find("announcement").scrollIntoView({ block: "nearest" });
  find("how").hidden = true;
}

function showFacts(facts: [label: string, content: Content][]): void {
  find("facts").replaceChildren(...rows(facts));
}

function showDetails(claim: Claim, lie: Lie | undefined): void {
  const { trusted, untrusted, note } = details(claim);
  const marked = (all: Row[]) =>
    all.flatMap(({ label, part, content }) => {
      const changed = lie !== undefined && lie.part === part;
      const badge = changed ? [element("span", "changed", "badge")] : [];
      return [element("dt", [label, ...badge]), element("dd", content)];
    });
  find("title").textContent = claim.title;
  find("trusted").replaceChildren(...marked(trusted));
  find("untrusted").replaceChildren(...marked(untrusted));
  find("note").textContent = note;
  find("origin").textContent = claim.origin ? `Data: ${claim.origin}` : "";
}

function meaning({ kind, input }: Claim): string {
  const operations = plural(input.operations.length, "operation");
  return kind === "ErgoAdProofs"
    ? `The proof leads from the parent’s state root, through ${operations}, to exactly the block’s state root.`
    : `The proof shows ${operations} on the state with this root, and the previous value of each key.`;
}
