// Asks several Ethereum RPC endpoints, or files with recorded answers, about accounts and storage
// slots, verifies every answer against a block that you trust, and says who told the truth.
//
//   node src/main.mjs --trust FILE SOURCE…

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { VerifyError } from "prooflight";
import { init, verifyEthHeader } from "prooflight/mpt";

import { ask } from "./ask.mjs";
import { report } from "./report.mjs";
import { sourceOf } from "./source.mjs";

const USAGE = `Usage: node src/main.mjs --trust FILE SOURCE…

  --trust FILE   the block that you trust, and what to ask about it, as JSON:
                 { "number", "hash", "headerRlp" or "stateRoot", "questions": [{ "address", "slots" }] }
  --timeout MS   how long an endpoint may take for an answer (default: 10000)
  --json         print the outcome as JSON
  SOURCE         the URL of an endpoint, or a file with its recorded answers to eth_getProof

Exit codes: 0 everyone told the truth, 1 an answer does not verify, 2 wrong usage, 3 someone gave
no answer.`;

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
if (!options.trust || sources.length === 0) usage("a block to trust and a source are needed");

await init();
const { trusted, questions } = trust(options.trust);
const outcomes = await Promise.all(
  sources.map(async (name) => {
    const source = sourceOf(name, Number(options.timeout));
    return { name, answers: await ask(source, trusted, questions) };
  }),
);
process.exitCode = report(trusted, outcomes, options.json);

/** What is trusted and asked; a block that is not the one with the trusted hash ends the program. */
function trust(file) {
  try {
    return readTrust(file);
  } catch (error) {
    if (!(error instanceof VerifyError)) usage(`${file}: ${error.message}`);
    console.error(`rpc-check: ${file}: ${error.code} / ${error.reason}: ${error.message}`);
    process.exit(1);
  }
}

/** The block that is trusted. Its hash is enough: the header is checked against it. */
function readTrust(file) {
  const { number, hash, headerRlp, stateRoot, questions } = JSON.parse(readFileSync(file, "utf8"));
  if (headerRlp === undefined)
    return { trusted: { number: BigInt(number), hash, stateRoot }, questions };
  const header = verifyEthHeader({ hash, headerRlp });
  if (header.number !== BigInt(number))
    usage(`${file}: the block with that hash is ${header.number}`);
  return { trusted: { hash, ...header }, questions };
}

function usage(problem) {
  console.error(`rpc-check: ${problem}\n\n${USAGE}`);
  process.exit(2);
}
