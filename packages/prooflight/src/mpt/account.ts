import { Arguments } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { refuse } from "../error.js";
import { hash } from "../wasm/hash.js";
import { Reader, Writer } from "../wire.js";
import { type BytesLike, bytesLike, type WordLike, wordLike } from "./bytes.js";
import { type Kept, type Limits, writeLimits } from "../limits.js";
import { writeResponse } from "./response.js";

/** One question to `eth_getProof` and a server's answer. */
export interface EthQuestion {
  /** The requested account, 20 bytes. */
  address: BytesLike;
  /** The requested storage slots. Default none. */
  slots?: readonly WordLike[] | undefined;
  /** The server's answer: the `result` of JSON-RPC. */
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

/** An account that is in the state, as proven. */
export interface PresentAccount {
  kind: "present";
  nonce: bigint;
  /** In wei. */
  balance: bigint;
  /** The hash of its code, 32 bytes. */
  codeHash: Bytes;
  /** The root of its storage, 32 bytes. */
  storageHash: Bytes;
  /** The value of each requested slot, in order; 0 if it is not set. */
  storage: bigint[];
}

/** An account that is not in the state; all its slots are 0. */
export interface AbsentAccount {
  kind: "absent";
  storage: bigint[];
}

/**
 * Verifies an answer of any Ethereum node to `eth_getProof`: the account, or its absence, and its
 * storage slots.
 *
 * Every field of the answer must agree with its proof; the result is taken from the proofs.
 * Throws a `VerifyError`: `malformed` if the answer does not have the form of EIP-1186, or has invalid
 * nodes; `mismatch` if it is not the answer to this question in this state; `invalid_input` for
 * wrong arguments.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/mpt.md#6-answers | The specification, mpt 6}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/check-an-ethereum-rpc.md | Check an Ethereum RPC endpoint}
 * @see {@link https://eips.ethereum.org/EIPS/eip-1186 | EIP-1186}
 */
export function verifyEthGetProof(input: EthGetProofInput): PresentAccount | AbsentAccount {
  return toAccount(showAccount(input));
}

/** An account as proven; an absent one has the fields of an empty account. */
export interface ShownAccount extends Omit<PresentAccount, "kind"> {
  kind: "present" | "absent";
  /** Whether its code hash differs from that of empty code. */
  hasCode: boolean;
}

/** Like {@link verifyEthGetProof}, with the fields of an absent account too. */
export function showAccount(input: EthGetProofInput): ShownAccount {
  const given = new Arguments("mpt", input, [
    "stateRoot",
    "address",
    "slots",
    "response",
    "limits",
  ]);
  const request = new Writer(8192);
  const limits = begin(request, given);
  request.u32(1);
  writeQuestion(request, given, "", limits);
  const [account] = finish(request);
  if (!account) throw refuse("bug", "an account", "none", { scheme: "mpt" });
  return account;
}

/**
 * Verifies many answers about one state at once.
 *
 * Returns a result for each question, in order; throws like {@link verifyEthGetProof} at the first answer
 * that does not verify.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/mpt.md#6-answers | The specification, mpt 6}
 */
export function verifyEthGetProofs(input: EthGetProofsInput): (PresentAccount | AbsentAccount)[] {
  const given = new Arguments("mpt", input, ["stateRoot", "questions", "limits"]);
  const request = new Writer(65_536);
  const limits = begin(request, given);
  const questions = given.list("questions");
  request.u32(questions.length);
  questions.forEach((question, index) => {
    const path = `questions[${index}]`;
    const members = new Arguments("mpt", question, ["address", "slots", "response"], path);
    writeQuestion(request, members, `${path}.`, limits);
  });
  return finish(request).map(toAccount);
}

function toAccount(shown: ShownAccount): PresentAccount | AbsentAccount {
  const { kind, nonce, balance, codeHash, storageHash, storage } = shown;
  if (kind === "absent") return { kind, storage };
  return { kind, nonce, balance, codeHash, storageHash, storage };
}

function begin<Name extends string>(
  request: Writer,
  given: Arguments<Name | "stateRoot" | "limits">,
) {
  request.array(bytesLike(given.unchecked("stateRoot"), "stateRoot", 32));
  return writeLimits(request, given);
}

function writeQuestion<Name extends string>(
  request: Writer,
  given: Arguments<Name | "address" | "slots" | "response">,
  path: string,
  limits: Kept,
): void {
  request.array(bytesLike(given.unchecked("address"), `${path}address`, 20));
  const slots = given.unchecked("slots") === undefined ? [] : given.list("slots");
  request.u32(slots.length);
  slots.forEach((slot, index) => {
    request.array(wordLike(slot, `${path}slots[${index}]`));
  });
  const nodeBytes = writeResponse(request, given.unchecked("response"), slots.length);
  if (nodeBytes > limits.maxProofBytes && slots.length <= limits.maxKeys) {
    // The verifier checks this too, but wasm's memory never shrinks, so too many nodes are not even copied.
    const [expected, found] = [`at most ${limits.maxProofBytes} bytes`, `${nodeBytes} bytes`];
    throw refuse("proof_too_large", expected, found, { scheme: "mpt" });
  }
}

function finish(request: Writer): ShownAccount[] {
  const packed = request.finish();
  const reader = new Reader(hash.call("mpt", (wasm) => wasm.mptVerifyAnswers(packed)));
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
