import type { Bytes } from "../bytes.js";
import { hash } from "../wasm/hash.js";
import { type ProvenAccount, readProofs } from "./canonical.js";
import {
  type EthGetProofInput,
  type EthGetProofsInput,
  packQuestion,
  packQuestions,
  readAccount,
  readAccounts,
  type ShownAccount,
} from "./packed.js";

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
 * What servers send besides the canonical answer is removed first, such as trie nodes that are embedded in their parent
 * and listed a second time. Then every field must agree with its proof, and the result is taken from the proofs. Throws
 * a `VerifyError`: `malformed` if the answer does not have the form of EIP-1186, or has invalid nodes; `mismatch` if it
 * is not the answer to this question in this state; `invalid_input` for wrong arguments.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/mpt.md#6-answers | The specification, mpt 6}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/mpt.md#10-reading-an-answer | The specification, mpt 10}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/check-an-ethereum-rpc.md | Check an Ethereum RPC endpoint}
 * @see {@link https://eips.ethereum.org/EIPS/eip-1186 | EIP-1186}
 *
 * @example
 * ```ts
 * import { init, verifyEthGetProof } from "prooflight/mpt";
 *
 * await init();
 * const params = [address, ["0x0"], "0x15ef3c0"]; // `stateRoot` is the one of this block
 * const response = await window.ethereum.request({ method: "eth_getProof", params });
 * const account = verifyEthGetProof({ stateRoot, address, slots: ["0x0"], response });
 * if (account.kind === "present") console.log(account.balance, account.storage[0]);
 * ```
 */
export function verifyEthGetProof(input: EthGetProofInput): PresentAccount | AbsentAccount {
  return toAccount(show(packQuestion(input, "returned", "read")));
}

/** Like {@link verifyEthGetProof}, for an answer in the canonical form. */
export function verifyCanonicalAnswer(input: EthGetProofInput): PresentAccount | AbsentAccount {
  return toAccount(show(packQuestion(input, "canonical", "read")));
}

/** Like {@link verifyEthGetProof}, with the fields of an absent account too, and the canonical proofs. */
export function showAccount(input: EthGetProofInput, rest: "read" | "unread"): ProvenAccount {
  const packed = packQuestion(input, "sent", rest);
  const shown = show(packed);
  const proofs = () => readProofs(hash.call("mpt", (wasm) => wasm.mptCanonicalProofs(packed)));
  return { shown, proofs };
}

function show(packed: Bytes): ShownAccount {
  return readAccount(hash.call("mpt", (wasm) => wasm.mptVerifyAnswers(packed)));
}

/**
 * Verifies many answers about one state at once.
 *
 * Returns a result for each question, in order; throws like {@link verifyEthGetProof} at the first answer
 * that does not verify.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/mpt.md#6-answers | The specification, mpt 6}
 *
 * @example
 * ```ts
 * import { init, verifyEthGetProofs } from "prooflight/mpt";
 *
 * await init();
 * // `getProof` asks any node; all answers must be about the block that has your `stateRoot`.
 * const questions = await Promise.all(
 *   addresses.map(async (address) => ({ address, response: await getProof(address) })),
 * );
 * console.log(verifyEthGetProofs({ stateRoot, questions }));
 * ```
 */
export function verifyEthGetProofs(input: EthGetProofsInput): (PresentAccount | AbsentAccount)[] {
  const packed = packQuestions(input);
  return readAccounts(hash.call("mpt", (wasm) => wasm.mptVerifyAnswers(packed))).map(toAccount);
}

/** The public form of an account. */
export function toAccount(shown: ShownAccount): PresentAccount | AbsentAccount {
  const { kind, nonce, balance, codeHash, storageHash, storage } = shown;
  if (kind === "absent") return { kind, storage };
  return { kind, nonce, balance, codeHash, storageHash, storage };
}
