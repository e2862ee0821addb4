/** `MptProof`, `EthGetProof`, `EthAnswer` and `EthHeader` of `test-vectors/spec/vectors.md`. */

import { invalid } from "../arguments.js";
import { type Hex, toHex, toQuantity } from "../bytes.js";
import { describe } from "../error.js";
import type { Limits } from "../limits.js";
import {
  type AbsentAccount,
  type PresentAccount,
  showAccount,
  toAccount,
  verifyCanonicalAnswer,
} from "../mpt/account.js";
import { wordOf } from "../mpt/bytes.js";
import { canonicalAnswer } from "../mpt/canonical.js";
import { verifyEthHeader, verifyMptProof } from "../mpt/proof.js";
import { type Json, type JsonMembers, kind } from "./json.js";

/** The value of a key in one trie. */
export const MptProof = kind({
  scheme: "mpt",
  trusted: ["root", "limits"],
  question: ["key"],
  evidence: ["proof"],
  verify(given) {
    const result = verifyMptProof({
      root: given.hex("root"),
      key: given.hex("key"),
      proof: given.hexList("proof"),
      limits: limits(given),
    });
    return { value: result.kind === "present" ? toHex(result.value) : null };
  },
});

/** What the statements about an account and its storage share. */
const ANSWER = {
  scheme: "mpt",
  // The proof is about the requested account and slots, but does not itself contain them.
  trusted: ["stateRoot", "address", "slots", "limits"],
  question: [],
  evidence: ["response"],
  subjects: (input: unknown) => (input as { slots: string[] }).slots,
} as const;

/** A server's canonical answer about an account and its storage. */
export const EthGetProof = kind({
  ...ANSWER,
  verify: (given) => accountJson(verifyCanonicalAnswer(answerInput(given))),
});

/** A server's answer about an account and its storage, as it was sent. */
export const EthAnswer = kind({
  ...ANSWER,
  verify(given) {
    const question = answerInput(given);
    const proven = showAccount(question, "read");
    const [address, ...keys] = [question.address, ...question.slots.map(toQuantity)];
    const canonical = canonicalAnswer(toHex(address) as Hex, keys, proven);
    return { ...accountJson(toAccount(proven.shown)), canonical: canonical as unknown as Json };
  },
});

/** The header of a block. */
export const EthHeader = kind({
  scheme: "mpt",
  trusted: ["hash"],
  question: ["headerRlp"],
  evidence: [],
  verify(given) {
    const [hash, headerRlp] = [given.hex("hash"), given.hex("headerRlp")];
    const { number, stateRoot } = verifyEthHeader({ hash, headerRlp });
    return { number: toQuantity(number), stateRoot: toHex(stateRoot) };
  },
});

/** As `EthGetProof`, of an answer as it was sent. */
export const { verify: verifySentAnswer } = kind({
  ...ANSWER,
  verify: (given) => accountJson(toAccount(showAccount(answerInput(given), "read").shown)),
});

/** The question and the answer of both kinds. */
function answerInput(given: JsonMembers<(typeof ANSWER)["trusted" | "evidence"][number]>) {
  const response = given.unchecked("response");
  if (response === undefined) throw invalid("mpt", "response", "there", "nothing");
  return {
    stateRoot: given.hex("stateRoot"),
    address: given.hex("address"),
    slots: given.list("slots").map(word),
    response,
    limits: limits(given),
  };
}

function accountJson(account: PresentAccount | AbsentAccount): Record<string, Json> {
  return {
    account: account.kind === "present" ? fieldsJson(account) : null,
    storage: account.storage.map(toQuantity),
  };
}

function fieldsJson({ nonce, balance, storageHash, codeHash }: PresentAccount): Json {
  return {
    nonce: toQuantity(nonce),
    balance: toQuantity(balance),
    storageHash: toHex(storageHash),
    codeHash: toHex(codeHash),
  };
}

/** The limits, which the verifier checks. */
function limits(given: JsonMembers<"limits">): Limits | undefined {
  return given.unchecked("limits") as Limits | undefined;
}

function word(slot: unknown, index: number): bigint {
  const digits = wordOf(slot);
  if (digits) return BigInt(digits);
  throw invalid("mpt", `slots[${index}]`, "an integer of 256 bits in 0x-hex", describe(slot));
}
