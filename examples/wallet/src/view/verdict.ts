// The wallet's status: the pill beside the title, and the verdict with its facts.

import { type Failure, REASONS, toHex, type VerifyError } from "prooflight";

import type { Wallet } from "../wallet.js";
import {
  ago,
  element,
  fill,
  find,
  markDifference,
  number,
  place,
  plural,
  rows,
  sentence,
  showState,
  time,
} from "./dom.js";
import { rootHex, wordsOf } from "./schemes.js";

/** Shows the wallet's status; `viaLiar` says whether a server is behind the liar. */
export function showVerdict(wallet: Wallet, viaLiar: (server: string) => boolean): void {
  const { status } = wallet;
  switch (status.kind) {
    case "connecting":
      return;
    case "verified":
      showVerified(wallet, status.caught, viaLiar);
      return;
    case "refused":
      showRefused(wallet, status.error);
  }
}

/** Shows the newest verified block and how long ago it was made. */
export function showPill(wallet: Wallet | undefined): void {
  if (!wallet) return;
  const { status, head } = wallet;
  const state = stateOf(wallet);
  const known = head
    ? `block ${number(head.height)}, ${ago(Date.now() - Number(head.timestampMs))}`
    : "";
  const text = {
    connecting: "Connecting",
    verified: `Verified ${known}`,
    refused: `Refused; verified until ${known}`,
    problem: `No answer; verified until ${known}`,
  }[state];
  find("pill").dataset.state = state;
  fill(find("pill-text"), status.kind === "refused" && !head ? "Nothing verified yet" : text);
}

type State = "connecting" | "verified" | "refused" | "problem";

function stateOf({ status }: Wallet): State {
  if (status.kind !== "refused") return status.kind;
  return status.error.code === "unavailable" ? "problem" : "refused";
}

function showVerified(
  wallet: Wallet,
  caught: readonly Failure[],
  viaLiar: (server: string) => boolean,
): void {
  const { answer, scheme } = wallet.accounts.find((account) => account.answer) ?? {};
  if (!answer || !scheme) return;
  const { block, evidence } = answer;
  const text = `${wallet.accounts.length === 1 ? "The balance" : `All ${wallet.accounts.length} balances`} of block ${number(block.height)}, verified from the checkpoint of this page.`;
  showState("verified", "Verified", text);
  announce(
    caught.length === 0 ? "All balances are verified." : "Verified, but one server was caught.",
  );
  const server = place(evidence.server) + (viaLiar(evidence.server) ? ", through the liar" : "");
  fill(
    find("facts"),
    rows([
      ["Block", [element("code", toHex(block.hash))]],
      ["State root", [element("code", rootHex(block, scheme))]],
      [
        "Proof",
        `${plural(evidence.proofBytes, "byte")} for ${plural(wallet.accounts.length, "account")} by ${wordsOf(scheme).name}, checked in ${time(evidence.milliseconds)}`,
      ],
      ["Answered by", server],
    ]),
  );
  showCaught(caught, server);
}

function showCaught(caught: readonly Failure[], server: string): void {
  const [failure] = caught;
  find("caught").hidden = !failure;
  if (!failure) return;
  const { code, reason } = failure.error;
  const what = code === "unavailable" ? "gave no usable answer" : "was caught lying";
  fill(find("caught"), [
    element("b", `${place(failure.url)} ${what}. `),
    `${sentence(REASONS[reason].meaning)} Code `,
    element("code", code),
    ", reason ",
    element("code", reason),
    `. ${server} answered instead.`,
  ]);
}

function showRefused(wallet: Wallet, error: VerifyError): void {
  const { code, reason, details } = error;
  const state = stateOf(wallet);
  const title = state === "refused" ? "Refused" : "No answer";
  const last = wallet.accounts.find((account) => account.answer)?.answer?.block.height;
  const kept =
    last === undefined
      ? ""
      : ` The balances shown are the last verified ones, of block ${number(last)}.`;
  showState(state, title, sentence(REASONS[reason].meaning) + kept);
  announce(`${title}. ${sentence(REASONS[reason].meaning)}`);
  fill(
    find("facts"),
    rows([
      ["Code", [element("code", code)]],
      ["Reason", [element("code", reason)]],
      ["Expected", markDifference(details.expected, details.found)],
      ["Found", markDifference(details.found, details.expected)],
    ]),
  );
  find("caught").hidden = true;
}

/** Announces a text to screen readers, once until it changes. */
function announce(text: string): void {
  fill(find("announcement"), text);
}
