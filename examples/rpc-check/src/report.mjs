// Prints which sources told the truth.

import { styleText } from "node:util";

import { toHex } from "prooflight";

import { visible, visibleJson } from "./visible.mjs";

const MARKS = { verified: ["green", "✔"], refused: ["red", "✘"], unavailable: ["yellow", "?"] };

/** Prints the outcome; returns the exit code. */
export function report(trusted, outcomes, json) {
  if (json) console.log(visibleJson(asJson(trusted, outcomes)));
  else print(trusted, outcomes);
  const verdicts = outcomes.flatMap(({ answers }) => answers.map(({ verdict }) => verdict));
  if (verdicts.includes("refused")) return 1;
  return verdicts.includes("unavailable") ? 3 : 0;
}

function print(trusted, outcomes) {
  printBlock(trusted);
  for (const { name, answers } of outcomes) {
    const truth = answers.filter(({ verdict }) => verdict === "verified").length;
    const lies = answers.filter(({ verdict }) => verdict === "refused").length;
    const mark = lies > 0 ? "refused" : truth === answers.length ? "verified" : "unavailable";
    const summary =
      lies > 0 ? "an answer does not verify" : `${truth} of ${answers.length} verified`;
    console.log(`\n${paint(mark)} ${style("bold", visible(name))}  ${summary}`);
    for (const answer of answers) printAnswer(answer);
  }
}

function printBlock({ number, hash, timestamp, slot, participation, failures = [] }) {
  console.log(`Block ${number ?? "?"}  ${dim(hash ?? "by its state root")}`);
  if (slot === undefined) return;
  const { signed, of } = participation;
  const time =
    timestamp === undefined ? "" : `, ${new Date(Number(timestamp) * 1000).toISOString()}`;
  console.log(
    `The newest head: slot ${slot}${time}, signed by ${signed} of ${of} of the sync committee`,
  );
  for (const { url, error } of failures) {
    console.log(`${paint("refused")} beacon node ${visible(url)}  ${why(error)}`);
  }
}

function printAnswer({ address, what = address, slots = [], verdict, account, said, error }) {
  const words = verdict === "verified" ? (said ?? inWords(account)) : why(error);
  console.log(`  ${paint(verdict)} ${what.padEnd(8)}  ${words}`);
  if (verdict !== "verified") return;
  slots.forEach((slot, index) => {
    console.log(`      slot ${slot}  ${dim(`0x${account.storage[index].toString(16)}`)}`);
  });
}

function inWords(account) {
  if (account.kind === "absent") return "no such account";
  return `${ether(account.balance)} ETH, nonce ${account.nonce}`;
}

function why(error) {
  const first = visible(String(error.message).split("\n")[0]);
  return error.reason ? `${error.code} / ${error.reason}: ${first}` : first;
}

/** Wei as a decimal number of ether. */
function ether(wei) {
  const digits = String(wei).padStart(19, "0");
  return `${digits.slice(0, -18)}.${digits.slice(-18).replace(/0+$/, "") || "0"}`;
}

function asJson({ number, hash, slot, participation, failures }, outcomes) {
  const answerJson = ({ address, what, verdict, said, account, error }) => ({
    ...(address === undefined ? { what } : { address }),
    verdict,
    ...(said && { said }),
    ...(account && { account: accountJson(account) }),
    ...(error && { error: error.toJSON?.() ?? { message: error.message } }),
  });
  const sources = outcomes.map(({ name, answers }) => ({ name, answers: answers.map(answerJson) }));
  if (slot === undefined) return { block: { number: String(number), hash }, sources };
  const block = { number: number === undefined ? null : String(number), hash };
  const beacon = failures.map(({ url, error }) => ({ url, error: error.toJSON() }));
  return { block, head: { slot: String(slot), participation }, beaconFailures: beacon, sources };
}

function accountJson({ kind, balance, nonce, codeHash, storage }) {
  const values = storage.map((value) => `0x${value.toString(16)}`);
  if (kind === "absent") return { kind, storage: values };
  const [wei, count] = [balance, nonce].map(String);
  return { kind, balance: wei, nonce: count, codeHash: toHex(codeHash), storage: values };
}

const coloured = process.stdout.isTTY && !process.env.NO_COLOR;
const style = (format, text) => (coloured ? styleText(format, text) : text);
const dim = (text) => style("dim", text);
const paint = (verdict) => style(...MARKS[verdict]);
