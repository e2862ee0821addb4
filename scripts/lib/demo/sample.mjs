// The sample state of the demo: a few named accounts, and many others.

/** The accounts that the page shows. */
export const NAMES = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"];

/** The number of other accounts: enough for proofs as long as those of a real state. */
const OTHERS = 20_000;

/** The raw key of an account, as text. */
export const account = (name) => `account/${name}`;

/** A state in the format of `prooflight-node import`: a line of JSON for each key. */
export function sampleState() {
  const named = NAMES.map((name, index) => line(account(name), 125_000 + 7_550 * index));
  const others = Array.from({ length: OTHERS }, (_, index) =>
    line(account(`holder-${String(index).padStart(5, "0")}`), (index * 7919) % 900_000),
  );
  return `${[...named, ...others].join("\n")}\n`;
}

/** The value of an account with this balance in cents: an unsigned integer of 8 bytes, big-endian. */
export function writeAmount(cents) {
  const value = Buffer.alloc(8);
  value.writeBigUInt64BE(BigInt(cents));
  return value;
}

/** The balance, in cents, in the value of an account. */
export const readAmount = (value) => Number(Buffer.from(value).readBigUInt64BE());

/** The operation that sets the balance of an account, in cents. */
export const setAmount = (name, cents) => ({
  op: "Set",
  key: hex(account(name)),
  value: hex(writeAmount(cents)),
});

/** The operation that deletes an account. */
export const deleteAccount = (name) => ({ op: "Delete", key: hex(account(name)) });

const hex = (bytes) => `0x${Buffer.from(bytes).toString("hex")}`;
const line = (key, cents) => JSON.stringify({ key: hex(key), value: hex(writeAmount(cents)) });
