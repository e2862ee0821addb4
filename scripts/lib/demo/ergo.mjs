// What `npm start` shows: real blocks verified, forged ones refused, through the npm package as a
// user would call it.

import { readFileSync } from "node:fs";

import { forgeries } from "./forgeries.mjs";
import { inside } from "./paths.mjs";
import { bold, dim, green, red, say, table } from "./terminal.mjs";

const BLOCKS = "test-vectors/avl/ergo_mainnet.json";
const RUNS = 5;

/** Prints the demo; true if everything true was verified and everything forged refused. */
export async function demo() {
  // Imported late: the package is there only once it is built.
  const { VerifyError, fromHex, toHex } = await import("prooflight");
  const avl = await import("prooflight/avl");
  await avl.init();
  const blocks = readBlocks(fromHex);
  const check = (block) => attempt(() => avl.verifyErgoAdProofs(block), VerifyError);

  say(`\n${bold(`${blocks.length} blocks of Ergo's mainnet, verified in WebAssembly`)}\n`);
  say(
    "An Ergo block's header commits to the chain's whole state in 33 bytes, its digest. All that the\n" +
      "verifier trusts is two headers. An untrusted server sends the block's changes and a proof, and\n" +
      "the proof must lead from the old digest, through every change, to exactly the new one.\n",
  );
  blocks.forEach(({ block }) => check(block)); // compiles the hot paths before they are timed
  const verified = blocks.map(({ name, block }) => ({ name, block, ...timed(() => check(block)) }));
  table([blockHead(), ...verified.map((row) => blockRow(row, toHex))], "lrrllrl").forEach((line) =>
    say(line),
  );
  say(`\n${conclusion(verified)}`);

  say(`\n${bold("The same, from a server that lies")}\n`);
  const lies = forgeries(blocks, avl).map(({ run, ...lie }) => ({
    ...lie,
    ...attempt(run, VerifyError),
  }));
  lies.forEach(sayLie);

  return verified.every(({ answer }) => answer) && lies.every(({ refusal }) => refusal);
}

function readBlocks(fromHex) {
  const { testGroups } = JSON.parse(readFileSync(inside(BLOCKS), "utf8"));
  const bytes = ({ op, ...members }) => ({ op, ...mapValues(members, fromHex) });
  return testGroups[0].tests.map(({ comment, input: { ops, ...roots } }) => ({
    name: comment.replace(/^Ergo mainnet block /, ""),
    block: { ...mapValues(roots, fromHex), operations: ops.map(bytes) },
  }));
}

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

/** What a verifier says: `{ answer }` or `{ refusal }`. Any other error is a bug and is thrown. */
function attempt(verify, VerifyError) {
  try {
    return { answer: verify() };
  } catch (error) {
    if (error instanceof VerifyError) return { refusal: error };
    throw error;
  }
}

/** The outcome, and the median of a few runs in microseconds. */
function timed(work) {
  const runs = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    const outcome = work();
    return { outcome, microseconds: (performance.now() - start) * 1000 };
  });
  runs.sort((a, b) => a.microseconds - b.microseconds);
  return { ...runs[0].outcome, microseconds: runs[RUNS >> 1].microseconds };
}

const blockHead = () =>
  ["block", "operations", "proof", "old digest", "new digest", "time", ""].map((title) =>
    dim(title),
  );

function blockRow({ name, block, answer, refusal, microseconds }, toHex) {
  return [
    name,
    number(block.operations.length),
    `${number(block.proof.length)} B`,
    short(toHex(block.parentStateRoot)),
    short(toHex(block.stateRoot)),
    `${number(microseconds)} µs`,
    answer ? green("✓ verified") : red(`✗ ${refusal.code}: ${refusal.reason}`),
  ];
}

function conclusion(verified) {
  const refused = verified.filter(({ refusal }) => refusal).length;
  if (refused > 0) return red(`${refused} real blocks were refused; that is a bug.`);
  const total = (of) => number(verified.reduce((sum, row) => sum + of(row), 0));
  return (
    `${green("✓")} ${total(({ block }) => block.operations.length)} operations on ` +
    `${total(({ block }) => block.proof.length)} bytes of proof in ${total((row) => row.microseconds / 1000)} ms; ` +
    "every new digest is the one in the block's header."
  );
}

function sayLie({ title, lie, checked, refusal }) {
  if (!refusal) return say(`${red(`✗ ${title}: VERIFIED, which must never happen`)}\n`);
  say(`${green("✓")} ${bold(title)}  refused: ${red(refusal.code)}, ${red(refusal.reason)}`);
  say(`  ${lie}`);
  say(`  ${checked}`);
  const { expected, found } = refusal.details;
  say(dim(`  expected ${short(expected)}, found ${short(found)}\n`));
}

/** A text whose long hex strings show only how they start and end. */
const short = (text) => text.replace(/(0x[0-9a-f]{8})[0-9a-f]{8,}([0-9a-f]{4})/g, "$1…$2");

const number = (value) => Math.round(value).toLocaleString("en");
