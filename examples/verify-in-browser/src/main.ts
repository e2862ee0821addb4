// Verifies proofs in the page. Only `verify` is needed for that; the rest is user interface.

import { VerifyError } from "prooflight";
import { init, verifyBatch, verifyErgoAdProofs } from "prooflight/avl";

import { onFile } from "../../page/files.js";
import { type Claim, decode, readStatements, type Statement } from "./claim.js";
import { readFile } from "./files.js";
import { liesAbout } from "./lies.js";
import { BLOCKS, loadBlock } from "./samples.js";
import { timed } from "./timing.js";
import * as view from "./view.js";

/** Verifies a claim: returns the digest that its operations lead to, or why it is refused. */
function verify({ kind, input }: Claim): view.Verdict {
  try {
    const { digest } = kind === "ErgoAdProofs" ? verifyErgoAdProofs(input) : verifyBatch(input);
    return { digest };
  } catch (error) {
    if (error instanceof VerifyError) return { refusal: error };
    throw error;
  }
}

/** Loads a file of statements and shows the first. */
async function open(fileName: string, load: () => Promise<string>): Promise<void> {
  const opening = ++openings;
  try {
    const [text] = await Promise.all([load(), init()]); // init loads the WebAssembly, once
    if (opening !== openings) return; // another file has been chosen in the meantime
    const statements = readStatements(text, fileName);
    view.offerStatements(fileName, statements, show);
    show(statements[0]);
  } catch (error) {
    if (opening !== openings) return;
    view.offerStatements(fileName, [], show);
    view.showProblem(fileName, error);
  }
}

let openings = 0;

/** Shows the verifier's verdict on a statement, and on lies in its place. */
function show(statement: Statement): void {
  try {
    const truth = decode(statement);
    const outcome = timed(() => verify(truth));
    view.showOutcome(truth, outcome);
    const lies = "digest" in outcome.result ? liesAbout(truth) : [];
    view.offerLies(lies, (lie) => {
      const claim = lie?.claim ?? truth;
      const outcome = timed(() => verify(claim));
      view.showOutcome(claim, outcome, lie);
    });
  } catch (error) {
    view.showProblem(statement.title, error);
  }
}

view.offerBlocks(BLOCKS, ({ height }) => void open(`${height}.json`, () => loadBlock(height)));
onFile(view.fileInput, (file) => {
  view.releaseBlocks();
  void open(file.name, () => readFile(file));
});
