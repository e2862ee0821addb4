// Activity on the demo's chain: from time to time, an account sends an amount to another, or is closed.

import { account, deleteAccount, NAMES, readAmount, setAmount } from "./sample.mjs";

const PAUSE_MILLISECONDS = 4000;

/** The probability that an account sends its whole balance. */
const CLOSES = 0.04;

/** Enough blocks for an interesting history. */
const FIRST_BLOCKS = 32n;

/** Makes the first blocks of a new chain, so that it has a history. */
export async function makePast(url, client) {
  while ((await client.sync()).height < FIRST_BLOCKS) await transfer(url, client);
}

/** Submits transfers between the accounts until it is stopped. */
export function startActivity(url, client) {
  let stopped = false;
  let timer;
  const next = async () => {
    try {
      await transfer(url, client);
    } catch {
      // The node may be stopping; the page shows when it is unreachable.
    }
    if (!stopped) timer = setTimeout(next, PAUSE_MILLISECONDS);
  };
  timer = setTimeout(next, PAUSE_MILLISECONDS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

async function transfer(url, client) {
  const [from, to] = pick(NAMES);
  const keys = [from, to].map((name) => new TextEncoder().encode(account(name)));
  const answers = await client.getMany(keys);
  const [mine, theirs] = answers.map(({ value }) => (value ? readAmount(value) : 0));
  // An empty account is closed, and opened again when it receives an amount.
  const everything = Math.random() < CLOSES;
  const sent = everything ? mine : Math.min(mine, 100 + Math.floor(Math.random() * 20_000));
  if (sent === 0) return;
  const left = mine === sent ? deleteAccount(from) : setAmount(from, mine - sent);
  await submit(url, [left, setAmount(to, theirs + sent)]);
}

/** Submits operations; resolves once their block is on disk. */
async function submit(url, ops) {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "prooflight_submit",
    params: { ops },
  });
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body });
  const { error } = await response.json();
  if (error) throw new Error(error.message);
}

/** Two different items. */
function pick(items) {
  const first = Math.floor(Math.random() * items.length);
  const step = 1 + Math.floor(Math.random() * (items.length - 1));
  return [items[first], items[(first + step) % items.length]];
}
