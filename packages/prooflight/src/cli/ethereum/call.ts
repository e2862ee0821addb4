import { type Hex, toHex } from "../../bytes.js";
import { describe, refuse } from "../../error.js";
import {
  type BlockHeader,
  type BlockName,
  CallFailure,
  type EthereumClient,
  init,
} from "../../ethereum.js";
import type { CallBasis } from "../../ethereum/execution/calls.js";
import { bytesLike } from "../../mpt/bytes.js";
import { Utf8Encoder } from "../../platform.js";
import { ethereum } from "../../wasm/ethereum.js";
import { printVerdict } from "../chain.js";
import { EXIT, print, printRows, type Row } from "../output.js";
import { dim, red, type SafeText, text } from "../text.js";
import { type AbiParameter, decode, encode, typeName } from "./abi.js";
import { blockOf, follow, type Following, type FollowOptions } from "./follow.js";
import { blockName, bytesText, ether, printAnswer, printBasis } from "./show.js";
import { readSignature, type Signature } from "./signature.js";
import { readInteger, readValue, valueText } from "./values.js";

/** The options of commands that execute, as they were given. */
export interface CallOptions extends FollowOptions {
  at?: string | undefined;
  data?: string | undefined;
  from?: string | undefined;
  value?: string | undefined;
  gas?: string | undefined;
}

/** The members of a call that the options set. */
interface PlainCall {
  to: Hex;
  data: Hex;
  from: Hex | undefined;
  value: bigint | undefined;
  gas: bigint | undefined;
}

/** A call, and the function that it is of; undefined if the data were given. */
export interface CallQuestion {
  call: PlainCall;
  at: BlockName;
  signature: Signature | undefined;
}

/** An answer, or the failure of the call, which is verified as well. */
export interface Verified<T extends CallBasis> {
  following: Following;
  block: BlockHeader;
  outcome: T | CallFailure;
}

/**
 * `prooflight eth call TO [SIGNATURE [ARGUMENT…]]`: executes a call over proven state, and prints what it returns.
 * Returns the exit code.
 */
export async function call(
  given: readonly string[],
  options: CallOptions,
  json: boolean,
): Promise<number> {
  const question = await readQuestion(given, options);
  const verified = await ask(question, options, (client, at) =>
    orFailure(client.call(question.call, { at })),
  );
  const { following, block, outcome } = verified;
  if (outcome instanceof CallFailure) return printFailure(question, verified, outcome, json);
  const { data, gasUsed, rounds, bytes } = outcome;
  const outputs = question.signature?.outputs;
  const values = outputs && decode(outputs, data);
  if (json) {
    const found = { data, values, gasUsed, rounds, bytes, failure: null };
    printAnswer(following, { ...asked(question, block), ...found });
    return EXIT.ok;
  }
  printVerdict(text`what the call returns after ${blockName(block)}`);
  print();
  const rows = outputs?.map((output, index): Row => {
    return [labelOf(output), valueText(output.type, values?.[index] ?? "")];
  });
  printRows(rows ?? [["data", data === "0x" ? dim("nothing") : bytesText(data)]]);
  if (rows?.length === 0) print(text`  ${dim("nothing, as the signature says")}`);
  print();
  printRows([...questionRows(question, block), ["gas used", String(gasUsed)]]);
  printBasis(following, executedHere(outcome));
  return EXIT.ok;
}

/**
 * `prooflight eth estimate TO [SIGNATURE [ARGUMENT…]]`: prints the gas that a call needs as a transaction. Returns the
 * exit code.
 */
export async function estimate(
  given: readonly string[],
  options: CallOptions,
  json: boolean,
): Promise<number> {
  const question = await readQuestion(given, options);
  const verified = await ask(question, options, (client, at) =>
    orFailure(client.estimateGas(question.call, { at })),
  );
  const { following, block, outcome } = verified;
  if (outcome instanceof CallFailure) return printFailure(question, verified, outcome, json);
  const { gas, rounds, bytes } = outcome;
  if (json) {
    printAnswer(following, { ...asked(question, block), gas, rounds, bytes, failure: null });
    return EXIT.ok;
  }
  printVerdict(text`the gas that the call needs after ${blockName(block)}`);
  print();
  printRows([["gas", String(gas)]]);
  print();
  printRows(questionRows(question, block));
  printBasis(following, executedHere(outcome));
  return EXIT.ok;
}

/** Reads what is asked, before any server is. */
export async function readQuestion(
  [to = "", written, ...words]: readonly string[],
  options: CallOptions,
): Promise<CallQuestion> {
  const { from, value, gas } = options;
  const signature = written === undefined ? undefined : readSignature(written);
  if (signature && options.data !== undefined) {
    throw refuse("invalid_argument", "one of SIGNATURE and --data", "both");
  }
  const given = toHex(bytesLike(options.data ?? "0x", "--data")) as Hex;
  return {
    call: {
      to: toHex(bytesLike(to, "TO", 20)) as Hex,
      data: signature ? await dataOf(signature, words) : given,
      from: from === undefined ? undefined : (toHex(bytesLike(from, "--from", 20)) as Hex),
      value: amountOf(value, "--value", 256),
      gas: amountOf(gas, "--gas", 64),
    },
    at: blockOf(options.at, "--at"),
    signature,
  };
}

/** The data of a call: the selector of the function, and its arguments. */
async function dataOf({ canonical, inputs }: Signature, words: readonly string[]): Promise<Hex> {
  if (words.length !== inputs.length) {
    const expected = `${inputs.length} argument${inputs.length === 1 ? "" : "s"} for ${canonical}`;
    throw refuse("invalid_argument", expected, `${words.length}`);
  }
  const values = inputs.map(({ type }, index) =>
    readValue(type, words[index] ?? "", `argument ${index + 1}`),
  );
  const encoded = encode(inputs, values);
  await init();
  const name = new Utf8Encoder().encode(canonical);
  const selector = ethereum.call(undefined, (wasm) => wasm.ethSelector(name));
  return `${toHex(selector) as Hex}${encoded.slice(2)}`;
}

function amountOf(given: string | undefined, name: string, bits: number): bigint | undefined {
  if (given === undefined) return undefined;
  const amount = readInteger(given);
  if (amount !== undefined && amount >= 0n && amount < 1n << BigInt(bits)) return amount;
  const expected = `${name}, an integer of 0 to 2^${bits} - 1 in decimal or 0x-hex`;
  throw refuse("invalid_argument", expected, describe(given));
}

/** Asks a question about the block that it names. */
export async function ask<T>(
  { at }: CallQuestion,
  options: CallOptions,
  run: (client: EthereumClient, at: Hex) => Promise<T>,
): Promise<{ following: Following; block: BlockHeader; outcome: T }> {
  const following = await follow(options);
  const { client } = following;
  const block = await client.block(at);
  return { following, block, outcome: await run(client, block.hash) };
}

/** A failure of the call is an outcome. */
async function orFailure<T>(answer: Promise<T>): Promise<T | CallFailure> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CallFailure) return error;
    throw error;
  }
}

/** Prints that a call fails, which is verified. Returns the exit code. */
function printFailure(
  question: CallQuestion,
  { following, block }: Verified<CallBasis>,
  { code, message, data, gasUsed }: CallFailure,
  json: boolean,
): number {
  if (json) {
    const failure = { code, message, data, gasUsed };
    printAnswer(following, { ...asked(question, block), failure });
    return EXIT.failedCall;
  }
  printVerdict(text`${red("the call fails")} after ${blockName(block)}`);
  print();
  printRows([
    ["message", message],
    ...(data === undefined ? [] : [["data", bytesText(data)] satisfies Row]),
  ]);
  print();
  printRows([...questionRows(question, block), ["gas used", String(gasUsed)]]);
  printBasis(following, EXECUTED_HERE);
  return EXIT.failedCall;
}

/** The question, and the block that the answer is about, as `--json` prints them. */
export const asked = (
  { call, signature }: CallQuestion,
  { number, hash, timestamp }: BlockHeader,
) => ({
  call: { ...call, function: signature?.canonical },
  block: { number, hash, timestamp },
});

/** The rows that show a question. */
export function questionRows({ call, signature }: CallQuestion, { hash }: BlockHeader): Row[] {
  const { to, data, from, value, gas } = call;
  const rows: Row[] = [["to", to]];
  if (signature) rows.push(["function", signature.canonical]);
  if (data !== "0x") rows.push(["call data", bytesText(data)]);
  if (from !== undefined) rows.push(["from", from]);
  if (value !== undefined) rows.push(["value", text`${ether(value)}  ${dim(`${value} wei`)}`]);
  if (gas !== undefined) rows.push(["most gas", String(gas)]);
  return [...rows, ["block", dim(hash)]];
}

/** The most characters of a type beside its value. */
const MAX_LABEL = 24;

function labelOf({ type, name }: AbiParameter): string {
  const label = name === "" ? typeName(type) : name;
  return label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label;
}

const EXECUTED_HERE = "the call, executed here over proven state";

/** What an answer rests on, and what it took. */
export function executedHere({ rounds, bytes }: CallBasis): SafeText {
  const count = rounds === 1 ? "1 round" : `${rounds} rounds`;
  return text`${EXECUTED_HERE}: ${count} of requests, ${bytes} bytes`;
}
