// One point of the chart: its block, and the proof of the account's amount after it.

import { type Answer, REASONS, toHex, type VerifyError } from "prooflight";

import type { Step } from "../past.js";
import { OF_THE_PAST } from "../scheme.js";
import { amountText } from "./accounts.js";
import { element, fill, find, number, place, plural, rows, sentence, time } from "./dom.js";
import { rootHex, sinceText } from "./schemes.js";

/** Shows that the proof of a block is being requested. */
export function showAsking({ block }: Step): void {
  show("waiting", [
    element("h3", `Block ${number(block.height)}`),
    element("p", "Asking for its proof …"),
  ]);
}

/** Shows a verified answer about a block. */
export function showPoint(name: string, answer: Answer, save: () => void): void {
  const { block, evidence } = answer;
  const value = answer.kind === "absent" ? "no account" : amountText(answer);
  const button = element("button", "Save the proof");
  button.type = "button";
  button.addEventListener("click", save);
  show("verified", [
    element("h3", `Block ${number(block.height)}`),
    element("p", [`${name} `, element("b", value), `, ${sinceText(answer) ?? "never written"}`]),
    element(
      "dl",
      rows([
        ["Made", new Date(Number(block.timestampMs)).toLocaleString("en-GB")],
        ["Header", [element("code", toHex(block.hash))]],
        ["Its root", [element("code", rootHex(block, OF_THE_PAST))]],
        [
          "Proof",
          `${plural(evidence.proofBytes, "byte")}, checked in ${time(evidence.milliseconds)}`,
        ],
        ["Sent by", place(evidence.server)],
      ]),
    ),
    button,
  ]);
}

/** Shows why there is no answer about a block. */
export function showPointRefused({ block }: Step, { code, reason }: VerifyError): void {
  show(code === "unavailable" ? "problem" : "refused", [
    element("h3", `Block ${number(block.height)}`),
    element("p", `${sentence(REASONS[reason].meaning)} Code ${code}, reason ${reason}.`),
  ]);
}

/** Explains what will be shown here. */
export function showNoPoint(): void {
  show("", [
    element("h3", "One block"),
    element(
      "p",
      "Choose a point of the chart to see its block, and the proof of the balance at that block.",
    ),
  ]);
}

function show(state: string, content: Node[]): void {
  find("point").dataset.state = state;
  fill(find("point"), content);
}
