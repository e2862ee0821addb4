// Asks several Ethereum RPC endpoints, or files with recorded answers, about accounts and storage
// slots, verifies every answer against a block that you trust, and says which of them told the truth.
//
//   node src/main.mjs --trust FILE SOURCE…

import { parseArgs } from "node:util";

import { VerifyError } from "prooflight";
import { init } from "prooflight/mpt";

import { ask } from "./ask.mjs";
import { Misuse } from "./misuse.mjs";
import { report } from "./report.mjs";
import { sourceOf } from "./source.mjs";
import { readTrust } from "./trust.mjs";
import { visible } from "./visible.mjs";

const USAGE = `Usage: node src/main.mjs --trust FILE SOURCE…

  --trust FILE   the block that you trust, and what to ask about it, as JSON:
                 { "number", "hash", "headerRlp" or "stateRoot", "questions": [{ "address", "slots" }] },
                 with at least one question
  --timeout MS   how long an endpoint may take for an answer (default: 10000)
  --json         print the outcome as JSON
  SOURCE         the URL of an endpoint, or a file with its recorded answers to eth_getProof

Exit codes: 0 everyone told the truth, 1 an answer does not verify (or the header is not that of the
hash), 2 wrong usage, or a file without what it needs, 3 someone gave no answer.`;

let options, sources;
try {
  ({ values: options, positionals: sources } = parseArgs({
    allowPositionals: true,
    options: {
      trust: { type: "string" },
      timeout: { type: "string", default: "10000" },
      json: { type: "boolean", default: false },
    },
  }));
} catch (error) {
  usage(error.message);
}
if (!options.trust || sources.length === 0)
  usage("--trust FILE and at least one SOURCE are required");

const timeout = Number(options.timeout);
if (!Number.isInteger(timeout) || timeout < 1 || timeout >= 2 ** 31) {
  usage("--timeout must be a number of milliseconds, at least 1");
}

await init();
const { trusted, questions } = reading(options.trust, () => readTrust(options.trust));
const named = sources.map((name) => ({
  name,
  source: reading(name, () => sourceOf(name, timeout)),
}));
const outcomes = await Promise.all(
  named.map(async ({ name, source }) => ({ name, answers: await ask(source, trusted, questions) })),
);
process.exitCode = report(trusted, outcomes, options.json);

/** Reads the caller's file; a block without the trusted hash ends the program. */
function reading(file, read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Misuse) usage(`${file}: ${error.message}`);
    if (!(error instanceof VerifyError)) throw error;
    const { code, reason, message } = error;
    console.error(visible(`rpc-check: ${file}: ${code} / ${reason}: ${message}`));
    process.exit(1);
  }
}

function usage(problem) {
  console.error(`${visible(`rpc-check: ${problem}`)}\n\n${USAGE}`);
  process.exit(2);
}
