// The history of the chosen account: a chart, the same as a table, its average, and other changed accounts.

import { REASONS } from "prooflight";

import { type Past, type Range, type Step, stepsOf } from "../past.js";
import type { Wallet } from "../wallet.js";
import { amountText } from "./accounts.js";
import { showAverage } from "./average.js";
import { showChanged } from "./changed.js";
import { drawChart } from "./chart.js";
import { element, fill, find, input, number, plural, sentence, time } from "./dom.js";
import { showNoPoint } from "./point.js";
import { offerPoints, placePoints, showPoints } from "./points.js";
import { amountOfStep, signed } from "./steps.js";

/** Callbacks of the past's controls. */
export interface Actions {
  chooseRange: (range: Range) => void;
  /** Shows the proof of the block of a change. */
  inspect: (past: Past, step: Step) => void;
}

let drawn: Past | undefined;
let chosen: bigint | undefined;

/** Sets up the choice of blocks. */
export function offerPast({ chooseRange }: Actions, redraw: () => void): void {
  offerPoints();
  showNoPoint();
  for (const button of find("ranges").querySelectorAll("button")) {
    button.addEventListener("click", () => {
      chooseRange({ newest: BigInt(button.value) });
    });
  }
  find("range").addEventListener("submit", (event) => {
    event.preventDefault();
    const [from, to] = ["range-from", "range-to"].map((id) => input(id).value);
    const first = BigInt(from ?? 0);
    const last = to ? BigInt(to) : "latest";
    chooseRange({ from: first, to: last !== "latest" && last < first ? first : last });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    drawn = undefined;
    redraw();
  });
}

/** Shows the verified past of the chosen account. */
export function showPast(wallet: Wallet, actions: Actions): void {
  const { past, range, chosen: account } = wallet;
  find("past-name").textContent = account?.name ?? "";
  for (const button of find("ranges").querySelectorAll("button")) {
    button.ariaPressed = String("newest" in range && BigInt(button.value) === range.newest);
  }
  const known = past && past.name === account?.name ? past : undefined;
  find("past").dataset.known = String(known !== undefined);
  showOutcome(wallet, known);
  if (!known) return;
  const redraw = known !== drawn;
  if (drawn && drawn.name !== known.name) {
    chosen = undefined;
    showNoPoint();
  }
  drawn = known;
  const steps = stepsOf(known.history);
  showPoints(steps, chosen, (step) => {
    chosen = step.block.height;
    actions.inspect(known, step);
    showPast(wallet, actions);
  });
  showTable(known, steps);
  if (!redraw) return;
  find("canvas").ariaLabel = inWords(known, steps);
  drawChart(known, placePoints);
  showAverage(known);
  showChanged(known);
  showRange(known);
}

function showOutcome({ status }: Wallet, past: Past | undefined): void {
  const outcome = find("past-outcome");
  if (status.kind === "refused") {
    const { code, reason } = status.error;
    const kept = past
      ? ` The chart shows the state verified at block ${number(past.history.to.height)}.`
      : "";
    outcome.dataset.state = code === "unavailable" ? "problem" : "refused";
    const what = code === "unavailable" ? "No answer" : "Refused";
    fill(outcome, [
      element("b", `${what}: `),
      `${code}, ${reason}. ${sentence(REASONS[reason].meaning)}${kept}`,
    ]);
    return;
  }
  outcome.dataset.state = past ? "verified" : "";
  if (!past) {
    fill(outcome, "Being verified …");
    return;
  }
  const { from, to, changes, evidence } = past.history;
  const blocks = `blocks ${number(from.height)} to ${number(to.height)}`;
  const cost = `${plural(evidence.proofBytes, "byte")} of proofs against ${plural(evidence.headers, "header")}, checked in ${time(evidence.milliseconds)}`;
  const what =
    changes.length === 0
      ? `no change in ${blocks}`
      : `${plural(changes.length, "change")} in ${blocks}, and no other`;
  fill(outcome, [element("b", "Verified: "), `${what}. ${cost}.`]);
}

/** The chart as a table: the newest change first, and the state before the range last. */
function showTable({ history }: Past, steps: readonly Step[]): void {
  const rows = steps.toReversed().map((step) => {
    const { block, change } = step;
    const cells = [
      number(block.height),
      new Date(Number(block.timestampMs)).toLocaleTimeString("en-GB"),
      amountOfStep(step),
      change === undefined ? "" : signed(change),
    ];
    const row = element(
      "tr",
      cells.map((cell) => element("td", cell)),
    );
    if (block.height === chosen) row.className = "chosen";
    return row;
  });
  const { entering, from } = history;
  if (entering) {
    const had = entering.kind === "absent" ? "none" : amountText(entering);
    const cells = ["before", "", had, ""].map((cell) => element("td", cell));
    cells[0]?.setAttribute("aria-label", `before block ${number(from.height)}`);
    rows.push(element("tr", cells));
  }
  fill(find("changes"), rows);
}

/** Shows the range of blocks, unless the user is editing it. */
function showRange({ history }: Past): void {
  if (find("range").contains(document.activeElement)) return;
  input("range-from").value = String(history.from.height);
  input("range-to").value = "";
  input("range-to").placeholder = String(history.to.height);
}

function inWords({ name, history, average }: Past, steps: readonly Step[]): string {
  const { from, to } = history;
  const last = steps.at(-1);
  return [
    `Chart of what ${name} had in blocks ${number(from.height)} to ${number(to.height)}:`,
    plural(steps.length, "change"),
    ...(last ? [`the last to ${amountOfStep(last)} in block ${number(last.block.height)}`] : []),
    ...(average ? ["with a dashed line at the average"] : []),
  ].join(" ");
}
