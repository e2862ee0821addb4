// Lies that servers could tell: recorded answers with one small change.

import type { Hex } from "prooflight/ethereum";

import type { Answers, Proof, Receipt, State } from "./recorded.js";

/** A lie, and what it changes. */
export interface Lie {
  name: string;
  change: string;
  answers: Answers;
}

/** The lies about a transaction's receipt, and about what it rests on. */
export function liesAboutReceipt(answers: Answers, hash: Hex): Lie[] {
  const { block, receipts } = answers;
  const at = receipts.findIndex(({ transactionHash }) => transactionHash === hash);
  const receipt = receipts[at];
  if (!receipt) throw new Error(`no receipt of ${hash} was recorded`);
  const withReceipt = (changed: Partial<Receipt>): Answers => ({
    ...answers,
    receipts: receipts.map((other, index) => (index === at ? { ...receipt, ...changed } : other)),
  });
  const [log, ...others] = receipt.logs;
  const transactions = block.transactions.map((one, index) =>
    index === at && typeof one === "object" ? { ...one, to: OTHER_ADDRESS } : one,
  );
  return [
    ...(log
      ? [
          {
            name: "Forge a log",
            change: "The execution node sends another amount in the receipt’s first log.",
            answers: withReceipt({ logs: [{ ...log, data: more(log.data) }, ...others] }),
          },
          {
            name: "Hide a log",
            change: "The execution node leaves out the receipt’s first log.",
            answers: withReceipt({ logs: others }),
          },
        ]
      : []),
    {
      name: "Claim that it failed",
      change: "The execution node says that the transaction was reverted.",
      answers: withReceipt({ status: "0x0" }),
    },
    {
      name: "Change the recipient",
      change: "The execution node sends the transaction with another recipient.",
      answers: { ...answers, block: { ...block, transactions } },
    },
    ...liesAboutBlock(answers),
  ];
}

/** The lies about a call: at least one at each step. */
export function liesAboutCall(answers: Answers): Lie[] {
  const { state } = answers;
  if (!state?.call || !state.returned) throw new Error("no call was recorded");
  const { call, returned, proofs, codes } = state;
  const withState = (changed: Partial<State>): Answers => ({
    ...answers,
    state: { ...state, ...changed },
  });
  const contract = call.to.toLowerCase() as Hex;
  const replaced = (found: string, instead: string) =>
    withState({ proofs: proofs.map((proof) => withSlots(proof, found, instead)) });
  const amount = BigInt(returned).toString(16);
  const logic = proofs.find(({ address }) => address !== contract)?.address ?? contract;
  return [
    {
      name: "Claim another result",
      change: "The execution node says that the contract returns a thousand times the balance.",
      answers: withState({ returned: more(returned) }),
    },
    {
      name: "Raise the balance",
      change: "The execution node sends the slot of the balance with another amount.",
      answers: replaced(amount, amount.replace(/^./, "f")),
    },
    {
      name: "Redirect the proxy",
      change: "The execution node sends the slot of the contract’s logic with another address.",
      answers: replaced(logic.slice(2), OTHER_ADDRESS.slice(2)),
    },
    {
      name: "Change the code",
      change: "The execution node sends the contract’s code with one other byte.",
      answers: withState({ codes: { ...codes, [contract]: otherCode(codes[contract]) } }),
    },
    {
      name: "Change the account",
      change: "The execution node sends the contract’s account with another root of its storage.",
      answers: withState({
        proofs: proofs.map((proof) => (proof.address === contract ? otherAccount(proof) : proof)),
      }),
    },
    {
      name: "Mislead about reads",
      change:
        "The execution node lists none of what the call reads. Nobody believes such a list: it only costs round trips.",
      answers: withState({ hint: { accessList: [], gasUsed: "0x0" } }),
    },
    ...liesAboutBlock(answers),
  ];
}

/** The lies about the header and about the head. */
const liesAboutBlock = (answers: Answers): Lie[] => [
  {
    name: "Invent a state",
    change: "The execution node sends the header with another state root.",
    answers: { ...answers, block: { ...answers.block, stateRoot: OTHER_ROOT } },
  },
  {
    name: "Invent a signer",
    change: "The beacon node counts one more member of the committee among the signers.",
    answers: { ...answers, optimistic: oneMoreSigner(answers.optimistic) },
  },
  {
    name: "Replace a key",
    change: "The beacon node changes one bit of a key of the next committee.",
    answers: { ...answers, updates: flipped(answers.updates, KEY) },
  },
];

const OTHER_ADDRESS: Hex = `0x${"11".repeat(20)}`;
const OTHER_ROOT: Hex = `0x${"11".repeat(32)}`;

/** In SSZ, the bits of the 512 members are after the header's offset. */
const BITS = 4;
/** A byte of a key: after the length of the update, the fork's digest, the header's offset, and 100 keys. */
const KEY = 8 + 4 + 4 + 100 * 48;

/** A thousand times the amount, if the data are one word; otherwise other data. */
function more(data: Hex): Hex {
  if (data.length === 66) {
    const word = BigInt.asUintN(256, BigInt(data) * 1000n);
    return `0x${word.toString(16).padStart(64, "0")}`;
  }
  return data.length > 2 ? `0x${data.slice(2, -1)}${data.endsWith("1") ? "2" : "1"}` : "0x01";
}

function oneMoreSigner(update: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const changed = update.slice();
  const at = changed.findIndex((byte, index) => index >= BITS && byte !== 0xff);
  const byte = changed[at] ?? 0;
  changed[at] = byte | (byte + 1); // sets the lowest bit that is not set
  return changed;
}

function flipped(bytes: Uint8Array<ArrayBuffer>, at: number): Uint8Array<ArrayBuffer> {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
}

/** The proof with another value in its slots, also in the nodes that have it. */
const withSlots = (proof: Proof, found: string, instead: string): Proof => ({
  ...proof,
  storageProof: proof.storageProof.map(({ key, value, proof }) => ({
    key,
    value: value.replace(found, instead) as Hex,
    proof: proof.map((node) => node.replace(found, instead) as Hex),
  })),
});

/** The account's node ends with the root of its storage, between a marker and a marker with the hash of its code. */
function otherAccount(proof: Proof): Proof {
  const leaf = proof.accountProof.at(-1) ?? "0x";
  const at = leaf.length - 2 * (32 + 1 + 32);
  const changed: Hex = `0x${leaf.slice(2, at)}${OTHER_ROOT.slice(2)}${leaf.slice(at + 64)}`;
  return { ...proof, accountProof: [...proof.accountProof.slice(0, -1), changed] };
}

const otherCode = (code: Hex = "0x"): Hex =>
  `0x${code.slice(2, -1)}${code.endsWith("1") ? "2" : "1"}`;
