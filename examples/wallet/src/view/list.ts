// The list of all accounts: a part of it at a time, whether it is complete, and on what that rests.

import { type AmbEntry, REASONS, toHex } from "prooflight";

import { keyOf, nameOf, showAmount } from "../account.js";
import { type AccountList, type Cost, PAGE, type Part, sumOf, type Walk } from "../list.js";
import { OF_LISTS, OF_THE_PAST } from "../scheme.js";
import type { Status, Wallet } from "../wallet.js";
import { amountText } from "./accounts.js";
import { button, element, fill, find, number, plural, sentence, time } from "./dom.js";
import { rootHex } from "./schemes.js";

/** Callbacks of the list's controls. */
export interface Actions {
  /** Chooses an account of the list. */
  choose: (name: string) => void;
  turn: (to: "next" | "previous") => void;
  /** Starts a walk through the whole list, or stops it. */
  walk: () => void;
}

interface Row {
  item: HTMLLIElement;
  button: HTMLButtonElement;
}

/** The rows that are shown, by key. */
const shown = new Map<string, Row>();

/** Sets up the controls, or explains why there is no list. */
export function offerList({ list, schemes }: Wallet, { turn, walk }: Actions): void {
  find("list-parts").hidden = !list;
  find("leave-out-part").hidden = !list;
  find("no-list").hidden = list !== undefined;
  if (!list) {
    const paragraphs = [...NO_LIST, ...(schemes.includes(OF_THE_PAST) ? [ONLY_WHOLE] : [])];
    fill(
      find("no-list"),
      paragraphs.map((text) => element("p", text)),
    );
    return;
  }
  find("list-next").addEventListener("click", () => {
    find("list").scrollTop = 0;
    turn("next");
  });
  find("list-previous").addEventListener("click", () => {
    find("list").scrollTop = 0;
    turn("previous");
  });
  find("list-walk").addEventListener("click", walk);
  find("list").addEventListener("keydown", (event) => {
    const buttons = stops();
    const at = buttons.findIndex((button) => button === event.target);
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: buttons.length - 1 }[event.key];
    const next = to === undefined || at < 0 ? undefined : buttons[to];
    if (!next) return;
    event.preventDefault(); // or the box would scroll, too
    keepOneStop(next);
    next.focus();
  });
}

const NO_LIST = [
  "No complete list can be shown: this chain does not keep the ordered tree, amb.",
  "The proofs of its other schemes are about accounts that somebody asks for: what one has, or that it does not exist. From a list, a server could " +
    "leave out any account that nobody asks for. So this page shows only the accounts that came with it and those that you look up.",
];
const ONLY_WHOLE =
  "The historical tree could list the accounts only as everything that changed since the first block, in one answer. That is too much for a page.";

/** Shows the last verified part of the list. */
export function showList({ list, status, chosen }: Wallet, actions: Actions): void {
  if (!list) return;
  const { part, walk } = list;
  showOutcome(status, part);
  showWalk(list, walk);
  find("list-pager").hidden = !isLong(list);
  if (!part) return;
  const { entries, before, count, next } = part;
  (find("list") as HTMLOListElement).start = Number(before) + 1;
  showRows(entries, chosen?.name, actions);
  fill(find("list-place"), `${placeOf(part)} of ${number(count)}`);
  button("list-previous").disabled = list.isFirst;
  button("list-next").disabled = next === null;
  fill(find("list-rests"), restsOn(part));
}

/** Whether the list has more than what is shown. */
const isLong = ({ part, isFirst }: AccountList) =>
  part !== undefined && !(isFirst && part.next === null);

/** The numbers of the first and the last account shown. */
const placeOf = ({ entries, before }: Part) =>
  entries.length === 0
    ? "none"
    : `${number(before + 1n)} to ${number(before + BigInt(entries.length))}`;

function showOutcome(status: Status, part: Part | undefined): void {
  const outcome = find("list-outcome");
  if (status.kind === "refused") {
    const { code, reason } = status.error;
    const kept = part ? ` The list is the one verified at block ${number(part.block.height)}.` : "";
    const what = code === "unavailable" ? "No answer" : "Refused";
    outcome.dataset.state = code === "unavailable" ? "problem" : "refused";
    fill(outcome, [
      element("b", `${what}: `),
      `${code}, ${reason}. ${sentence(REASONS[reason].meaning)}${kept}`,
    ]);
    return;
  }
  outcome.dataset.state = part ? "verified" : "";
  fill(outcome, part ? partText(part) : "Being verified …");
}

function partText(part: Part): (string | Node)[] {
  const { entries, before, count, next, block, cost } = part;
  const at = `at block ${number(block.height)}`;
  if (before === 0n && next === null) {
    return [
      element("b", "Verified: "),
      `${count === 1n ? "this is" : "these are"} all ${plural(count, "account")} ${at}, and there is no other. `,
      `${sumText(sumOf(entries))} ${costText(cost)}`,
    ];
  }
  return [
    element("b", "Verified: "),
    `there are ${plural(count, "account")} ${at}. These are ${placeOf(part)}; none between them is left out. `,
    costText(cost),
  ];
}

const sumText = ({ total, others }: { total: bigint; others: bigint }) =>
  `Together they have ${showAmount(total)}${others === 0n ? "" : `, without ${plural(others, "value")} that ${others === 1n ? "is no amount" : "are no amounts"}`}.`;

const costText = ({ pages, proofBytes, milliseconds }: Cost) =>
  `${plural(proofBytes, "byte")} of proofs in ${plural(pages, "page")}, checked in ${time(milliseconds)}.`;

function showWalk(list: AccountList, walk: Walk | undefined): void {
  find("list-whole").hidden = !isLong(list) && !walk;
  fill(find("list-walk"), walk?.state === "walking" ? "Stop" : "Verify the whole list");
  const bar = find("list-progress") as HTMLProgressElement;
  bar.hidden = walk?.state !== "walking";
  bar.max = Number(list.part?.count ?? 1n);
  bar.value = Number(walk?.accounts ?? 0n);
  find("list-walked").dataset.state = walk
    ? { walking: "", stopped: "", complete: "verified", refused: refusedAs(walk) }[walk.state]
    : "";
  fill(find("list-walked"), walk ? walkText(walk) : WHOLE);
}

const WHOLE =
  "All pages at one block, one after another. The amounts are added up, and only the sum is kept.";

const refusedAs = ({ error }: Walk) => (error?.code === "unavailable" ? "problem" : "refused");

function walkText(walk: Walk): (string | Node)[] {
  const { state, accounts, cost, block, error } = walk;
  const read = `${plural(accounts, "account")}${block ? ` of block ${number(block.height)}` : ""}`;
  switch (state) {
    case "walking":
      return [`${read} verified so far.`];
    case "stopped":
      return [`Stopped. The first ${read} were verified, with none left out.`];
    case "complete":
      return [
        element("b", "Complete: "),
        `all ${read}, and there is no other. ${sumText(walk)} ${costText(cost)}`,
      ];
    case "refused":
      return [
        element("b", error?.code === "unavailable" ? "No answer: " : "Refused: "),
        `${error?.code ?? ""}, ${error?.reason ?? ""}. The first ${read} are verified; what follows them is not known.`,
      ];
  }
}

/** Reuses the rows of keys that are still shown, so that the focus stays. */
function showRows(entries: readonly AmbEntry[], chosen: string | undefined, actions: Actions) {
  const rows = entries.map((entry) => {
    const key = toHex(entry.key);
    const row = shown.get(key) ?? add(entry, actions);
    showRow(row, entry, chosen);
    return [key, row] as const;
  });
  shown.clear();
  for (const [key, row] of rows) shown.set(key, row);
  const items = rows.map(([, { item }]) => item);
  const list = find("list");
  if (items.length !== list.children.length || items.some((item, i) => item !== list.children[i])) {
    list.replaceChildren(...items);
  }
  const buttons = stops();
  if (buttons.filter(({ tabIndex }) => tabIndex === 0).length !== 1) keepOneStop(buttons[0]);
}

function showRow({ button }: Row, { key, value, since }: AmbEntry, chosen: string | undefined) {
  const name = nameOf(key);
  button.ariaPressed = String(name === chosen);
  fill(button, [
    element("span", name || "(without a name)", "name"),
    element("small", `since block ${number(since)}`),
    element("b", amountText({ kind: "present", value })),
  ]);
}

function add({ key }: AmbEntry, { choose }: Actions): Row {
  const button = element("button");
  button.type = "button";
  button.tabIndex = -1;
  const name = nameOf(key);
  // Other bytes than UTF-8 cannot be looked up by a name.
  const named = name !== "" && toHex(keyOf(name)) === toHex(key);
  button.disabled = !named;
  button.addEventListener("click", () => {
    keepOneStop(button);
    choose(name);
  });
  return { item: element("li", [button]), button };
}

/** Makes one row the Tab stop of the list; the arrow keys move to the others. */
function keepOneStop(to: HTMLButtonElement | undefined): void {
  for (const button of stops()) button.tabIndex = -1;
  if (to) to.tabIndex = 0;
}

const stops = () => [...find("list").querySelectorAll<HTMLButtonElement>("button:enabled")];

function restsOn({ block, head, next }: Part): Node[] {
  const root = block.height === head.height ? "this block" : `block ${number(head.height)}`;
  return [
    element("li", [
      `The header of ${root}, which leads back to the checkpoint of this page, has one root for the tree of all accounts: `,
      element("code", rootHex(head, OF_LISTS)),
    ]),
    element(
      "li",
      "In this tree the accounts are in the order of their names. A proof opens every branch between its first and its last account: without one of them, it does not lead to the root.",
    ),
    element(
      "li",
      `Each page of at most ${number(PAGE)} accounts begins where the one before it ended${next === null ? ", and the last one reaches the end" : ""}.`,
    ),
    element(
      "li",
      "Each branch contains the number of accounts below it, so that their number has a short proof of its own.",
    ),
    element("li", "An account is a key that begins with account/. Other keys are not listed."),
  ];
}
