// Shows step by step what was verified about the chosen account, and what was not.

import { type Answer, type Checkpoint, type Header, type StateScheme, toHex } from "prooflight";

import { textOf } from "../account.js";
import { bestAnswer, type Wallet } from "../wallet.js";
import { amountText } from "./accounts.js";
import { type Content, element, fill, find, number, place, plural, rows, time } from "./dom.js";
import { layerText, rootHex, rootOf, sinceText, wordsOf } from "./schemes.js";

type Facts = readonly (readonly [label: string, content: Content])[];

/** Shows the evidence for the chosen account's balance. */
export function showEvidence({ chosen, accounts, status }: Wallet, checkpoint: Checkpoint): void {
  if (!chosen) return;
  const { name, scheme } = chosen;
  const answer = bestAnswer(chosen);
  if (!answer) {
    fill(find("balance"), [element("span", name), element("b", "not verified yet")]);
    for (const step of find("steps").children) fill(step as HTMLElement, []);
    return;
  }
  const absent = answer.kind === "absent";
  const block = `block ${number(answer.block.height)}`;
  const now = status.kind === "verified";
  const when = element("small", now ? `at ${block}` : `as of ${block}; nothing newer is verified`);
  when.dataset.state = now ? "" : "kept";
  const value = absent ? "no such account" : amountText(answer);
  fill(find("balance"), [element("span", name), element("b", value), when]);
  showSteps([
    checkpointStep(checkpoint),
    headStep(answer.evidence.head, checkpoint),
    rootStep(answer, scheme),
    valueStep(name, answer, scheme, answer === chosen.answer ? accounts.length : 1),
  ]);
  fill(find("not"), notVerified(checkpoint));
}

interface Step {
  title: string;
  text: string;
  facts: Facts;
}

function checkpointStep({ config, height, headerHash }: Checkpoint): Step {
  const { authorities, quorum, chainId } = config;
  return {
    title: "A checkpoint that came with this page",
    text: "It names a block and who may sign the chain. It never comes from a server.",
    facts: [
      ["Chain", chainId],
      ["Block", [element("b", number(BigInt(height))), code(headerHash)]],
      [
        "Signers",
        [
          `${number(quorum)} of ${plural(authorities.length, "authority", "authorities")} must sign`,
          ...authorities.map((key) => element("code", key, "whole")),
        ],
      ],
    ],
  };
}

function headStep(head: Header, { config, height }: Checkpoint): Step {
  const signed = config.quorum === 1 ? "An authority" : `${number(config.quorum)} authorities`;
  return {
    title: "A head that extends it",
    text: `${signed} signed this header, and its history has the checkpoint at block ${number(BigInt(height))}.`,
    facts: [
      ["Block", [element("b", number(head.height)), code(toHex(head.hash))]],
      ["Made", new Date(Number(head.timestampMs)).toLocaleString("en-GB")],
    ],
  };
}

function rootStep({ block, evidence }: Answer, scheme: StateScheme): Step {
  const older =
    block.height === evidence.head.height
      ? "The header commits"
      : `The header of block ${number(block.height)}, which is in the head's history, commits`;
  return {
    title: "The state root in its header",
    text: `${older} to the whole state: ${wordsOf(scheme).root(rootOf(block, scheme))}.`,
    facts: [["State root", [code(rootHex(block, scheme))]]],
  };
}

function valueStep(name: string, answer: Answer, scheme: StateScheme, accounts: number): Step {
  const { evidence, key } = answer;
  const absent = answer.kind === "absent";
  const words = wordsOf(scheme);
  const since = sinceText(answer);
  const layer = layerText(answer);
  const shared = accounts > 1 ? `, shared by ${plural(accounts, "account")}` : "";
  return {
    title: absent ? "A proof that the key has no value" : "A proof of the value under the key",
    text: absent ? words.absent(name) : words.present,
    facts: [
      ["Key", [element("b", textOf(key) ?? ""), code(toHex(key))]],
      ...(absent
        ? []
        : [["Value", [element("b", amountText(answer)), code(toHex(answer.value))]] as const]),
      ...(since === undefined ? [] : [["Last change", since] as const]),
      ...(layer === undefined ? [] : [["Layer", layer] as const]),
      ["Proof", plural(evidence.proofBytes, "byte") + shared],
      ["Checked in", time(evidence.milliseconds)],
      ["Sent by", `${place(evidence.server)}, which need not be trusted`],
    ],
  };
}

function notVerified({ config }: Checkpoint): Node[] {
  const authority = config.quorum === 1 ? "the authority is" : "the authorities are";
  return [
    "That there is no newer block: servers can hold back blocks, so check the block’s age.",
    `That ${authority} honest: whoever signs decides what is in the state.`,
    "That somebody was allowed to change a balance: this development chain lets anybody.",
  ].map((text) => element("li", text));
}

/** Updates each step separately, so that a selection in an unchanged one is kept. */
function showSteps(steps: readonly Step[]): void {
  const list = find("steps");
  while (list.children.length < steps.length) list.append(element("li"));
  steps.forEach(({ title, text, facts }, index) => {
    const content = [element("h3", title), element("p", text), element("dl", rows(facts))];
    fill(list.children[index] as HTMLElement, content);
  });
}

const code = (hex: string) => element("code", hex);
