// What happens on the demo's chain: now and then someone sends someone something.

import { account, amount, hundredths, NAMES } from "./sample.mjs";

const PAUSE_MILLISECONDS = 4000;

/** Submits transfers between the accounts until it is stopped. */
export function startActivity(url, client) {
  let stopped = false;
  let timer;
  const next = async () => {
    try {
      await transfer(url, client);
    } catch {
      // The node may be stopping; the page tells when it is away.
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
  const answers = await client.getMany([from, to].map((name) => bytes(account(name))));
  const [mine, theirs] = answers.map(({ value }) => hundredths(new TextDecoder().decode(value)));
  const sent = Math.min(mine, 100 + Math.floor(Math.random() * 5000));
  await submit(url, [
    [account(from), amount(mine - sent)],
    [account(to), amount(theirs + sent)],
  ]);
}

/** Sets keys, both given as text; resolves once they are in a block on disk. */
async function submit(url, pairs) {
  const ops = pairs.map(([key, value]) => ({ op: "Set", key: hex(key), value: hex(value) }));
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

const bytes = (text) => new TextEncoder().encode(text);
const hex = (text) => `0x${Buffer.from(text).toString("hex")}`;
