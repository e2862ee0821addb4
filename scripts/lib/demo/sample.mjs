// The sample state of the demo: some accounts with names, and many without.

/** The accounts that the page shows. */
export const NAMES = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"];

/** How many accounts there are besides, so that proofs are as long as those of a real state. */
const OTHERS = 20_000;

/** The raw key of an account, as text. */
export const account = (name) => `account/${name}`;

/** A state in the form that `prooflight-node import` reads: a line of JSON for each key. */
export function sampleState() {
  const named = NAMES.map((name, index) => line(account(name), amount(125_000 + 7_550 * index)));
  const others = Array.from({ length: OTHERS }, (_, index) =>
    line(account(`holder-${String(index).padStart(5, "0")}`), amount((index * 7919) % 900_000)),
  );
  return `${[...named, ...others].join("\n")}\n`;
}

/** Hundredths as a decimal amount. */
export function amount(hundredths) {
  const digits = String(hundredths).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** A decimal amount in hundredths. */
export const hundredths = (text) => Number(text.replace(".", ""));

const hex = (text) => `0x${Buffer.from(text).toString("hex")}`;
const line = (key, value) => JSON.stringify({ key: hex(key), value: hex(value) });
