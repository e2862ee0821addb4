// Lies that servers could tell: recorded answers with one small change.

import type { Hex } from "prooflight/ethereum";

import type { Answers, Receipt } from "./recorded.js";

/** A lie, and what it changes. */
export interface Lie {
  name: string;
  change: string;
  answers: Answers;
}

/** The lies about a transaction's receipt, and about what it rests on. */
export function liesAbout(answers: Answers, hash: Hex): Lie[] {
  const { block, receipts, optimistic, updates } = answers;
  const at = receipts.findIndex(({ transactionHash }) => transactionHash === hash);
  const receipt = receipts[at];
  if (!receipt) throw new Error(`no receipt of ${hash} was recorded`);
  const withReceipt = (changed: Partial<Receipt>): Answers => ({
    ...answers,
    receipts: receipts.map((other, index) => (index === at ? { ...receipt, ...changed } : other)),
  });
  const [log, ...others] = receipt.logs;
  const transactions = block.transactions.map((one, index) =>
    index === at ? { ...one, to: OTHER_ADDRESS } : one,
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
    {
      name: "Invent a state",
      change: "The execution node sends the header with another state root.",
      answers: { ...answers, block: { ...block, stateRoot: OTHER_ROOT } },
    },
    {
      name: "Invent a signer",
      change: "The beacon node counts one more member of the committee among the signers.",
      answers: { ...answers, optimistic: oneMoreSigner(optimistic) },
    },
    {
      name: "Replace a key",
      change: "The beacon node changes one bit of a key of the next committee.",
      answers: { ...answers, updates: flipped(updates, KEY) },
    },
  ];
}

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
