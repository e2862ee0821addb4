// The list of accounts; one of them is chosen.

import { balanceOf, MAX_NAME, type Result, showAmount, textOf } from "../account.js";
import type { Account, Wallet } from "../wallet.js";
import { element, fill, find, input, number } from "./dom.js";

/** Callbacks of the list. */
export interface Actions {
  /** Chooses an account, whether it is in the list or not. */
  choose: (name: string) => void;
  remove: (name: string) => void;
}

interface Row {
  item: HTMLLIElement;
  button: HTMLButtonElement;
  amount: HTMLElement;
  state: HTMLElement;
  change: HTMLElement;
  /** The block that is shown. */
  height: bigint | undefined;
}

const shown = new Map<string, Row>();

/** Sets up the form for other accounts. */
export function offerLookups({ choose }: Actions): void {
  const name = input("name");
  name.addEventListener("input", () => {
    const long = new TextEncoder().encode(name.value.trim()).length > MAX_NAME;
    name.setCustomValidity(long ? `At most ${MAX_NAME} bytes.` : "");
  });
  find("lookup").addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = name.value.trim();
    if (!wanted) return;
    name.value = "";
    choose(wanted);
  });
}

/** Shows all accounts; the names in `own` cannot be removed. */
export function showAccounts(wallet: Wallet, own: readonly string[], actions: Actions): void {
  const verified = wallet.status.kind === "verified";
  for (const [name, { item }] of shown) {
    if (wallet.accounts.some((account) => account.name === name)) continue;
    item.remove();
    shown.delete(name);
  }
  for (const account of wallet.accounts) {
    const row = shown.get(account.name) ?? add(account, own.includes(account.name), actions);
    row.button.ariaPressed = String(account === wallet.chosen);
    showRow(row, account, verified);
  }
}

function add({ name }: Account, own: boolean, { choose, remove }: Actions): Row {
  const [amount, state, change] = [element("b"), element("span"), element("span", [], "change")];
  amount.className = "amount";
  state.className = "state";
  const button = element("button", [element("span", name, "name"), amount, state, change]);
  button.type = "button";
  button.addEventListener("click", () => {
    choose(name);
  });
  const item = element("li", [button]);
  if (!own) {
    const away = element("button", "×", "away");
    away.type = "button";
    away.ariaLabel = `Remove ${name}`;
    away.addEventListener("click", () => {
      input("name").focus();
      remove(name);
    });
    item.append(away);
  }
  find("accounts").append(item);
  const row = { item, button, amount, state, change, height: undefined };
  shown.set(name, row);
  return row;
}

function showRow(row: Row, { answer, change }: Account, verified: boolean): void {
  const height = answer?.block.height;
  row.button.dataset.state = !answer ? "unknown" : verified ? "verified" : "kept";
  fill(row.amount, answer ? amountText(answer) : "…");
  fill(row.state, stateText(answer, verified));
  fill(row.change, change === 0n ? "" : `${change > 0n ? "+" : ""}${showAmount(change)}`);
  row.change.dataset.sign = change < 0n ? "less" : "more";
  if (height === row.height) return;
  const first = row.height === undefined;
  row.height = height;
  if (!first && change !== 0n) flash(row.button);
}

/** A formatted balance; a value that is not an amount is shown as it is. */
export function amountText(answer: Result): string {
  if (answer.kind === "absent") return "none";
  const balance = balanceOf(answer);
  if (balance !== undefined) return showAmount(balance);
  const text = textOf(answer.value);
  return text === undefined || text.length > 40
    ? `${number(answer.value.length)} bytes`
    : JSON.stringify(text);
}

function stateText(answer: Account["answer"], verified: boolean): string {
  if (!answer) return "not verified yet";
  const height = number(answer.block.height);
  if (!verified) return `as of block ${height}`;
  return `${answer.kind === "absent" ? "absence verified" : "verified"} at block ${height}`;
}

function flash(target: HTMLElement): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const colour = getComputedStyle(target).getPropertyValue("--flash");
  target.animate(
    { boxShadow: [`inset 0 0 0 99rem ${colour}`, "inset 0 0 0 99rem transparent"] },
    1800,
  );
}
