// Asks several Ethereum RPC endpoints, or files with recorded answers, about accounts and storage
// slots, verifies every answer against a block that you trust, and says which of them told the truth.
//
//   node src/main.mjs --trust FILE SOURCE…
//   node src/main.mjs --checkpoint ROOT --beacon URL ENDPOINT…

import { parseArgs } from "node:util";

import { VerifyError } from "prooflight";
import { init } from "prooflight/mpt";

import { ask } from "./ask.mjs";
import { examine, newestHead } from "./follow.mjs";
import { Misuse } from "./misuse.mjs";
import { report } from "./report.mjs";
import { sourceOf } from "./source.mjs";
import { readTrust } from "./trust.mjs";
import { namesOf } from "./names.mjs";
import { visible } from "./visible.mjs";

const USAGE = `Usage: node src/main.mjs --trust FILE SOURCE…
       node src/main.mjs --checkpoint ROOT --beacon URL ENDPOINT…

  --trust FILE   the block that you trust, and what to ask about it, as JSON:
                 { "number", "hash", "headerRlp" or "stateRoot", "questions": [{ "address", "slots" }] },
                 with at least one question
  --checkpoint ROOT  the root of a finalized beacon block that you trust; the endpoints are asked about
                 the newest block that the sync committee signed
  --beacon URL   a beacon node, which need not be trusted; repeat it for more
  --account ADDRESS  an account to ask about; repeat it for more (default: the deposit contract)
  --network NAME mainnet, sepolia or hoodi (default: mainnet)
  --max-checkpoint-age DAYS  accept an older checkpoint (default: 14)
  --timeout MS   how long an endpoint may take for an answer (default: 10000)
  --json         print the outcome as JSON
  SOURCE         the URL of an endpoint, or a file with its recorded answers to eth_getProof

Exit codes: 0 everyone told the truth, 1 an answer does not verify (or the header is not that of the
hash, or no beacon node proves a head), 2 wrong usage, or a file without what it needs, 3 someone
gave no answer.`;

/** The contract to which validators pay their stake: every network has it, and it never is empty. */
const DEPOSIT_CONTRACT = "0x00000000219ab540356cbb839cbe05303d7705fa";

let options, sources;
try {
  ({ values: options, positionals: sources } = parseArgs({
    allowPositionals: true,
    options: {
      trust: { type: "string" },
      checkpoint: { type: "string" },
      beacon: { type: "string", multiple: true, default: [] },
      account: { type: "string", multiple: true, default: [DEPOSIT_CONTRACT] },
      network: { type: "string", default: "mainnet" },
      "max-checkpoint-age": { type: "string", default: "14" },
      timeout: { type: "string", default: "10000" },
      json: { type: "boolean", default: false },
    },
  }));
} catch (error) {
  usage(error.message);
}
if (!options.trust === !options.checkpoint || sources.length === 0) {
  usage("either --trust FILE or --checkpoint ROOT is required, and at least one SOURCE");
}

const timeout = Number(options.timeout);
if (!Number.isInteger(timeout) || timeout < 1 || timeout >= 2 ** 31) {
  usage("--timeout must be a number of milliseconds, at least 1");
}

process.exitCode = options.trust ? await withTrust() : await withCheckpoint();

/** Asks about the block of a file. */
async function withTrust() {
  await init();
  const { trusted, questions } = reading(options.trust, () => readTrust(options.trust));
  const named = namesOf(sources).map((name, index) => ({
    name,
    source: reading(name, () => sourceOf(sources[index], timeout)),
  }));
  const outcomes = await Promise.all(
    named.map(async ({ name, source }) => ({
      name,
      answers: await ask(source, trusted, questions),
    })),
  );
  return report(trusted, outcomes, options.json);
}

/** Asks about the newest block that the sync committee signed. */
async function withCheckpoint() {
  const { network, checkpoint, beacon, account: accounts } = options;
  const days = Number(options["max-checkpoint-age"]);
  if (beacon.length === 0) usage("--beacon URL is required with --checkpoint");
  if (!Number.isInteger(days) || days < 1) usage("--max-checkpoint-age must be a number of days");
  const about = { network, beacon, timeout, maxCheckpointAge: days * 24 * 3600 * 1000 };
  try {
    const head = await newestHead({ ...about, checkpoint, execution: sources });
    const names = namesOf(sources);
    const outcomes = await Promise.all(
      sources.map(async (url, index) => ({
        name: names[index],
        answers: await examine(url, head, about, accounts),
      })),
    );
    const seen = outcomes.flatMap(({ answers }) => answers).find(({ number }) => number);
    return report(
      { ...head, number: seen?.number, timestamp: seen?.timestamp },
      outcomes,
      options.json,
    );
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error;
    if (error.code === "invalid_input") usage(error.message);
    console.error(
      visible(`rpc-check: no verified head: ${error.code} / ${error.reason}: ${error.message}`),
    );
    return error.code === "unavailable" ? 3 : 1;
  }
}

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
