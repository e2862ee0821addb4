// The form that sends an amount, and the outcome.

import { parseAmount } from "../account.js";
import type { Transfer } from "../transfer.js";
import type { Wallet } from "../wallet.js";
import { button, element, fill, find, input, select } from "./dom.js";

let busy = false;

/** Calls back with each requested transfer; only one is sent at a time. */
export function offerSending(send: (transfer: Transfer) => Promise<void>): void {
  const amount = input("amount");
  amount.addEventListener("input", () => {
    const known = parseAmount(amount.value.trim()) !== undefined;
    amount.setCustomValidity(known ? "" : "An amount like 10 or 10.50.");
  });
  find("send").addEventListener("submit", (event) => {
    event.preventDefault();
    const cents = parseAmount(amount.value.trim());
    if (cents === undefined || busy) return;
    busy = true;
    const transfer = { from: select("from").value, to: select("to").value, amount: cents };
    void send(transfer).finally(() => (busy = false));
  });
}

/** Offers the accounts of the wallet to send from and to. */
export function offerAccounts({ accounts }: Wallet): void {
  const senders = accounts.filter(({ answer }) => answer?.kind === "present");
  offer(
    "from",
    senders.map(({ name }) => name),
    0,
  );
  offer(
    "to",
    accounts.map(({ name }) => name),
    1,
  );
  button("send-button").disabled = senders.length === 0;
}

/** Shows the outcome. */
export function showSending(state: "waiting" | "verified" | "failed", text: string): void {
  find("sent").dataset.state = state;
  fill(find("sent"), text);
}

function offer(id: string, names: readonly string[], first: number): void {
  const list = select(id);
  if (names.join("\n") === [...list.options].map(({ value }) => value).join("\n")) return;
  const kept = list.value || names[first];
  list.replaceChildren(...names.map((name) => element("option", name)));
  list.value = names.find((name) => name === kept) ?? names[0] ?? "";
}
