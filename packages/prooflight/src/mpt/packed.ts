/** The requests about accounts, and the binaries' responses. */

import { Arguments } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { refuse } from "../error.js";
import { type CheckedLimits, type Limits, writeLimits } from "../limits.js";
import { Reader, Writer } from "../wire.js";
import { type BytesLike, bytesLike, type WordLike, wordLike } from "./bytes.js";
import { type AnswerForm, writeResponse } from "./response.js";

/** One question to `eth_getProof` and a server's answer. */
export interface EthQuestion {
  /** The requested account, 20 bytes. */
  address: BytesLike;
  /** The requested storage slots. Default none. */
  slots?: readonly WordLike[] | undefined;
  /** The server's answer: the `result` of JSON-RPC, or what viem's or web3.js's `getProof` returns. */
  response: unknown;
}

/** The input of {@link verifyEthGetProof}. */
export interface EthGetProofInput extends EthQuestion {
  /** The root of the state, 32 bytes: trusted by the caller, never taken from the server. */
  stateRoot: BytesLike;
  /** Limits that differ from the defaults. */
  limits?: Limits | undefined;
}

/** The input of {@link verifyEthGetProofs}. */
export interface EthGetProofsInput {
  /** The root of the state, 32 bytes: trusted by the caller, never taken from the server. */
  stateRoot: BytesLike;
  /** Questions about this state, with their answers. */
  questions: readonly EthQuestion[];
  /** Limits that differ from the defaults; they apply to each answer. */
  limits?: Limits | undefined;
}

/** An account as proven; an absent one has the fields of an empty account. */
export interface ShownAccount {
  kind: "present" | "absent";
  nonce: bigint;
  /** In wei. */
  balance: bigint;
  /** The hash of its code, 32 bytes. */
  codeHash: Bytes;
  /** The root of its storage, 32 bytes. */
  storageHash: Bytes;
  /** The value of each requested slot, in order; 0 if it is not set. */
  storage: bigint[];
  /** Whether its code hash differs from that of empty code. */
  hasCode: boolean;
}

/** Writes an `AnswersRequest` with one question, whose answer has this form; see {@link writeResponse} for `rest`. */
export function packQuestion(
  input: EthGetProofInput,
  form: AnswerForm,
  rest: "read" | "unread",
): Bytes {
  const given = new Arguments("mpt", input, [
    "stateRoot",
    "address",
    "slots",
    "response",
    "limits",
  ]);
  const request = new Writer(8192);
  const limits = begin(request, given, form);
  request.u32(1);
  writeQuestion(request, given, "", limits, form, rest);
  return request.finish();
}

/** Writes an `AnswersRequest` with answers as a library's `getProof` returns them. */
export function packQuestions(input: EthGetProofsInput): Bytes {
  const given = new Arguments("mpt", input, ["stateRoot", "questions", "limits"]);
  const request = new Writer(65_536);
  const limits = begin(request, given, "returned");
  const questions = given.list("questions");
  request.u32(questions.length);
  questions.forEach((question, index) => {
    const path = `questions[${index}]`;
    const members = new Arguments("mpt", question, ["address", "slots", "response"], path);
    writeQuestion(request, members, `${path}.`, limits, "returned", "read");
  });
  return request.finish();
}

/** Reads the response about several questions. */
export function readAccounts(response: Bytes): ShownAccount[] {
  const reader = new Reader(response);
  return reader.sequence(() => ({
    kind: reader.u8() === 0 ? "absent" : "present",
    hasCode: reader.u8() !== 0,
    nonce: reader.u64(),
    balance: reader.uint(32),
    storageHash: reader.array(32),
    codeHash: reader.array(32),
    storage: readWords(reader),
  }));
}

const readWords = (reader: Reader): bigint[] => reader.sequence(() => reader.uint(32));

/** Reads the response about one question. */
export function readAccount(response: Bytes): ShownAccount {
  const [account] = readAccounts(response);
  if (!account) throw refuse("bug", "an account", "none", { scheme: "mpt" });
  return account;
}

function begin<Name extends string>(
  request: Writer,
  given: Arguments<Name | "stateRoot" | "limits">,
  form: AnswerForm,
) {
  request.array(bytesLike(given.unchecked("stateRoot"), "stateRoot", 32));
  const limits = writeLimits(request, given);
  request.bool(form !== "canonical");
  return limits;
}

function writeQuestion<Name extends string>(
  request: Writer,
  given: Arguments<Name | "address" | "slots" | "response">,
  path: string,
  limits: CheckedLimits,
  form: AnswerForm,
  rest: "read" | "unread",
): void {
  request.array(bytesLike(given.unchecked("address"), `${path}address`, 20));
  const slots = given.unchecked("slots") === undefined ? [] : given.list("slots");
  request.u32(slots.length);
  slots.forEach((slot, index) => {
    request.array(wordLike(slot, `${path}slots[${index}]`));
  });
  const nodeBytes = writeResponse(request, given.unchecked("response"), slots.length, form, rest);
  if (nodeBytes > limits.maxProofBytes && slots.length <= limits.maxKeys) {
    // The verifier checks this too, but wasm's memory never shrinks, so too many nodes are not even copied.
    const [expected, found] = [`at most ${limits.maxProofBytes} bytes`, `${nodeBytes} bytes`];
    throw refuse("proof_too_large", expected, found, { scheme: "mpt" });
  }
}
