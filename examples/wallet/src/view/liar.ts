// The switch that activates the liar, the choice of lies, and the outcome of each.

import type { Lie } from "../liar.js";
import type { Status } from "../wallet.js";
import { button, element, fill, find, input, number } from "./dom.js";

/** Callbacks of the liar's controls. */
export interface Actions {
  /**
   * Puts the liar in front of every server or of one, with a lie, or removes it. Resolves when the
   * outcome is known.
   */
  tell: (lie: Lie | undefined, everywhere: boolean) => Promise<Status>;
}

interface Choice {
  lie: Lie;
  label: HTMLLabelElement;
  radio: HTMLInputElement;
  mark: HTMLElement;
}

type Outcome = "off" | "waiting" | "refused" | "caught" | "harmless";

/** Lies are grouped by their subject, according to the code of their refusal. */
const GROUPS: readonly (readonly [code: string, title: string])[] = [
  ["mismatch", "False values and proofs"],
  ["untrusted", "False heads and blocks"],
  ["malformed", "Bytes that are not a proof"],
  ["unavailable", "No answer at all"],
];

/** The lies of the switches beside the chart and the list of all accounts. */
const SHORTCUTS = { hide: "hidden-newest-change", "leave-out": "amb-left-out" };

/** How long a lie may stay unnoticed while every lie is told, in milliseconds. */
const LIE_TIMEOUT_MS = 10_000;

let choices: Choice[] = [];
let chosen: Choice | undefined;
let on = false;

/** Offers lies to tell. */
export function offerLies(lies: readonly Lie[], actions: Actions): void {
  choices = lies.map(makeChoice);
  const known = GROUPS.map(([code]) => code);
  const groups = [
    ...GROUPS.map(([code, title]) => ({ title, of: (lie: Lie) => lie.code === code })),
    { title: "Others", of: (lie: Lie) => !known.includes(lie.code) },
  ];
  for (const { title, of } of groups) {
    const labels = choices.filter(({ lie }) => of(lie)).map(({ label }) => label);
    if (labels.length === 0) continue;
    find("lies").append(
      element("fieldset", [element("legend", `${title} (${number(labels.length)})`), ...labels]),
    );
  }
  // In the order in which they are shown.
  choices.sort((a, b) => (follows(a.label, b.label) ? -1 : 1));

  for (const choice of choices) {
    choice.radio.addEventListener("change", () => {
      choose(choice);
      if (on) void tell(actions);
    });
  }
  find("switch").addEventListener("click", () => {
    turn(!on);
    void tell(actions);
  });
  for (const [id, name] of Object.entries(SHORTCUTS)) {
    find(id).addEventListener("click", () => {
      const choice = choices.find(({ lie }) => lie.name === name);
      if (!choice) return;
      const telling = isTelling(name);
      choose(choice);
      find("lies").scrollTop = choice.label.offsetTop - find("lies").offsetTop;
      turn(!telling);
      void tell(actions);
    });
  }
  for (const id of ["everywhere", "one"]) {
    find(id).addEventListener("change", () => void tell(actions));
  }
  find("try-all").addEventListener("click", () => void tellAll(actions));
  offerSearch();
  if (choices[0]) choose(choices[0]);
}

/** Shows that there is no liar. */
export function showNoLiar(): void {
  fill(find("lie-title"), "The liar is not there");
  fill(
    find("lie-text"),
    "Its proxy does not answer. `npm start` starts it together with the node.",
  );
  for (const id of ["switch", "try-all", ...Object.keys(SHORTCUTS)]) button(id).disabled = true;
}

/** Shows the outcome of the current lie, as far as it is known. */
export function showOutcome(status: Status): void {
  if (!on || !chosen || find("lie-outcome").dataset.state === "waiting") return;
  const { outcome, mark, text } = judge(status);
  show(outcome, text);
  if (mark) note(chosen, outcome, mark);
}

/** Tells the chosen lie if the liar is on, and shows the outcome. */
async function tell(actions: Actions): Promise<void> {
  const choice = on ? chosen : undefined;
  if (choice) show("waiting", "Asking again, through the liar …");
  else show("off", "");
  const status = await actions.tell(choice?.lie, input("everywhere").checked);
  if (choice !== (on ? chosen : undefined)) return; // something else was chosen meanwhile
  find("lie-outcome").dataset.state = "off";
  showOutcome(status);
}

/** Tells one lie after another; ends when the user makes another choice. */
async function tellAll(actions: Actions): Promise<void> {
  if (find("try-all").ariaPressed === "true") {
    find("try-all").ariaPressed = "false";
    return;
  }
  find("try-all").ariaPressed = "true";
  fill(find("try-all"), "Stop");
  turn(true);
  for (const choice of choices) {
    if (!on || find("try-all").ariaPressed !== "true") break;
    choice.radio.checked = true;
    choose(choice);
    choice.label.scrollIntoView({ block: "nearest" });
    await tell(actions);
    await refusalOf(choice);
    showTally();
  }
  find("try-all").ariaPressed = "false";
  fill(find("try-all"), "Tell every lie once");
  turn(false);
  await tell(actions);
}

/** Resolves once a lie is refused, or after a time: some lies can only be told about a new block. */
async function refusalOf({ mark }: Choice): Promise<void> {
  for (
    let waited = 0;
    waited < LIE_TIMEOUT_MS && mark.dataset.outcome === "harmless" && on;
    waited += 50
  ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function showTally(): void {
  const told = choices.filter(({ mark }) => mark.dataset.outcome);
  const refused = told.filter(({ mark }) => mark.dataset.outcome !== "harmless").length;
  const all = choices.length;
  const text =
    refused === all
      ? `All ${number(all)} lies were refused.`
      : `${number(refused)} of ${number(told.length)} told were refused, ${number(all - told.length)} to go.`;
  fill(find("tally"), text);
}

interface Judgement {
  outcome: Outcome;
  mark?: string;
  text: string;
}

function judge(status: Status): Judgement {
  switch (status.kind) {
    case "connecting":
      return { outcome: "waiting", text: "Connecting." };
    case "refused": {
      const { code, reason } = status.error;
      return { outcome: "refused", mark: reason, text: `${word(code)}: ${code}, ${reason}.` };
    }
    case "verified": {
      const [failure] = status.caught;
      if (failure) {
        const { code, reason } = failure.error;
        const text = `${word(code)}: ${code}, ${reason}. The other server gave the true answer.`;
        return { outcome: "caught", mark: reason, text };
      }
      const text = "Nothing false has arrived yet: some lies can only be told about a new block.";
      return { outcome: "harmless", mark: "not told yet", text };
    }
  }
}

/** If no checkable answer arrived, there was nothing to refuse. */
const word = (code: string) => (code === "unavailable" ? "No usable answer" : "Refused");

function show(outcome: Outcome, text: string): void {
  find("lie-outcome").dataset.state = outcome;
  fill(find("lie-outcome"), outcome === "off" ? "Not told now." : text);
}

function note({ mark }: Choice, outcome: Outcome, text: string): void {
  // An earlier refusal of this lie stays shown.
  if (outcome === "harmless" && mark.dataset.outcome) return;
  mark.dataset.outcome = outcome;
  fill(mark, text);
}

function turn(to: boolean): void {
  on = to;
  find("switch").ariaChecked = String(on);
  find("liar").dataset.on = String(on);
  showShortcuts();
}

function showShortcuts(): void {
  for (const [id, name] of Object.entries(SHORTCUTS))
    find(id).ariaChecked = String(isTelling(name));
}

const isTelling = (name: string) => on && chosen?.lie.name === name;

function choose(choice: Choice): void {
  chosen = choice;
  choice.radio.checked = true;
  fill(find("lie-title"), choice.lie.title);
  fill(find("lie-text"), choice.lie.explanation);
  showShortcuts();
  if (!on) show("off", "");
}

function makeChoice(lie: Lie): Choice {
  const radio = element("input");
  radio.type = "radio";
  radio.name = "lie";
  radio.value = lie.name;
  const mark = element("small");
  const label = element("label", [radio, element("span", lie.title), mark]);
  return { lie, label, radio, mark };
}

function offerSearch(): void {
  const search = input("search");
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const { lie, label } of choices) {
      const text = [lie.title, lie.explanation, lie.code, lie.reason].join(" ").toLowerCase();
      label.hidden = !words.every((word) => text.includes(word));
    }
    for (const group of find("lies").querySelectorAll("fieldset")) {
      group.hidden = !group.querySelector("label:not([hidden])");
    }
  });
}

const follows = (a: Node, b: Node) =>
  (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
