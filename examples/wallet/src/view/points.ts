// The points of the chart: one button per change, so that keyboards and screen readers can reach them.

import type { Step } from "../past.js";
import { element, find, number } from "./dom.js";
import { amountOfStep, changeOfStep } from "./steps.js";

/** More would overlap. */
const MOST = 200;

interface Point {
  button: HTMLButtonElement;
  step: Step;
  /** The height of the point; for a deleted account, at its previous amount. */
  height: bigint;
}

const shown = new Map<bigint, Point>();

/** Makes the arrow keys move between points; only one of them is a Tab stop. */
export function offerPoints(): void {
  find("points").addEventListener("keydown", ({ key, target }) => {
    const buttons = [...shown.values()].map(({ button }) => button);
    const at = buttons.findIndex((button) => button === target);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: buttons.length - 1 }[key];
    const next = to === undefined || at < 0 ? undefined : buttons[to];
    if (next) goTo(next);
  });
}

/** Shows the newest points of these; `chosen` is the block of the one whose proof is shown. */
export function showPoints(
  steps: readonly Step[],
  chosen: bigint | undefined,
  choose: (step: Step) => void,
): void {
  const newest = steps.slice(-MOST);
  for (const [height, { button }] of shown) {
    if (newest.some(({ block }) => block.height === height)) continue;
    button.remove();
    shown.delete(height);
  }
  let before = 0n;
  const known = [...shown.values()];
  shown.clear();
  for (const step of newest) {
    const { height } = step.block;
    const button = known.find((point) => point.step.block.height === height)?.button ?? add();
    button.onclick = () => {
      goTo(button);
      choose(step);
    };
    button.ariaLabel = `Block ${number(height)}: ${amountOfStep(step)}${changeOfStep(step)}`;
    button.title = button.ariaLabel;
    button.ariaPressed = String(height === chosen);
    button.dataset.kind = step.deleted ? "deleted" : "amount";
    shown.set(height, { button, step, height: step.amount ?? before });
    before = step.amount ?? before;
  }
  const buttons = [...shown.values()].map(({ button }) => button);
  find("points").append(...buttons.filter((button) => !button.isConnected));
  const onTheWay = buttons.filter(({ tabIndex }) => tabIndex === 0);
  if (onTheWay.length !== 1) {
    for (const button of buttons) button.tabIndex = -1;
    const last = buttons.at(-1);
    if (last) last.tabIndex = 0;
  }
}

/** Positions the points on the chart. */
export function placePoints(place: (x: bigint, y: bigint) => { x: number; y: number }): void {
  for (const [block, { button, height }] of shown) {
    const { x, y } = place(block, height);
    button.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  }
}

function goTo(button: HTMLButtonElement): void {
  for (const { button: other } of shown.values()) other.tabIndex = -1;
  button.tabIndex = 0;
  button.focus();
}

function add(): HTMLButtonElement {
  const button = element("button");
  button.type = "button";
  button.tabIndex = -1;
  return button;
}
