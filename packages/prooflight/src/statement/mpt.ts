/** `MptProof`, `EthGetProof`, `EthAnswer` and `EthHeader` of `test-vectors/spec/vectors.md`. */

import { Arguments, invalid } from "../arguments.js";
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
import { init } from "../wasm/hash.js";
import { hexItems, hexMember, type Json, type Kind, there } from "./json.js";

/** The value of a key in one trie. */
export const MptProof: Kind = {
  scheme: "mpt",
  trusted: ({ root, limits }) => there({ root, limits }),
  question: ({ key }) => there({ key }),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments("mpt", input, ["root", "key", "proof", "limits"]);
    const result = verifyMptProof({
      root: hexMember("mpt", given, "root"),
      key: hexMember("mpt", given, "key"),
      proof: hexItems("mpt", given.list("proof"), "proof"),
      limits: limits(given),
    });
    return { value: result.kind === "present" ? toHex(result.value) : null };
  },
};

/** A server's canonical answer about an account and its storage. */
export const EthGetProof: Kind = {
  scheme: "mpt",
  // The proof is about the requested account and slots, but does not itself contain them.
  trusted: ({ stateRoot, address, slots, limits }) => there({ stateRoot, address, slots, limits }),
  question: () => ({}),
  asked: [],
  subjects: (input) => (input as { slots: string[] }).slots,
  init,
  verify: (input) => accountJson(verifyCanonicalAnswer(answerInput(input))),
};

/** A server's answer about an account and its storage, as it was sent. */
export const EthAnswer: Kind = {
  ...EthGetProof,
  verify(input) {
    const question = answerInput(input);
    const proven = showAccount(question, "read");
    const [address, ...keys] = [question.address, ...question.slots.map(toQuantity)];
    const canonical = canonicalAnswer(toHex(address) as Hex, keys, proven);
    return { ...accountJson(toAccount(proven.shown)), canonical: canonical as unknown as Json };
  },
};

/** The header of a block. */
export const EthHeader: Kind = {
  scheme: "mpt",
  trusted: ({ hash }) => there({ hash }),
  question: ({ headerRlp }) => there({ headerRlp }),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments("mpt", input, ["hash", "headerRlp"]);
    const { number, stateRoot } = verifyEthHeader({
      hash: hexMember("mpt", given, "hash"),
      headerRlp: hexMember("mpt", given, "headerRlp"),
    });
    return { number: toQuantity(number), stateRoot: toHex(stateRoot) };
  },
};

/** As `EthGetProof`, of an answer as it was sent. */
export const verifySentAnswer: Kind["verify"] = (input) =>
  accountJson(toAccount(showAccount(answerInput(input), "read").shown));

/** The question and the answer of both kinds. */
function answerInput(input: unknown) {
  const names = ["stateRoot", "address", "slots", "response", "limits"] as const;
  const given = new Arguments("mpt", input, names);
  const response = given.unchecked("response");
  if (response === undefined) throw invalid("mpt", "response", "there", "nothing");
  return {
    stateRoot: hexMember("mpt", given, "stateRoot"),
    address: hexMember("mpt", given, "address"),
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
function limits<Name extends string>(given: Arguments<Name | "limits">): Limits | undefined {
  return given.unchecked("limits") as Limits | undefined;
}

function word(slot: unknown, index: number): bigint {
  const digits = wordOf(slot);
  if (digits) return BigInt(digits);
  throw invalid("mpt", `slots[${index}]`, "an integer of 256 bits in 0x-hex", describe(slot));
}
