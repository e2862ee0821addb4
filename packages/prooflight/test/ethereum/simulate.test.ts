/** What calls would do, over an executed chain with a token that the test puts there. */

import { expect, test } from "vitest";

import type { StateOverrides } from "../../src/ethereum.js";
import { readCalls } from "../../src/ethereum/execution/call.js";
import { readOverrides } from "../../src/ethereum/execution/overrides.js";
import { simulate } from "../../src/ethereum/execution/simulate.js";
import { readNetworkOptions } from "../../src/provider/ethereum/options.js";
import { init } from "../../src/wasm/ethereum.js";
import { evm } from "../../src/wasm/evm.js";
import { executeChain } from "./execution-chain.js";
import { serverOf } from "./provider-of.js";
import { token, TRANSFER } from "./token.js";

type Hex = `0x${string}`;

const chain = await executeChain();
await init();
await evm.init();

const SENDER = "0x0c2c51a0990aee1d73c1228de158688341557508";
const OTHER = `0x${"0b".repeat(20)}` as const;
const TOKEN = `0x${"70".repeat(20)}` as const;

const word = (value: bigint | Hex) => BigInt(value).toString(16).padStart(64, "0");

const overrides: StateOverrides = {
  [TOKEN]: { code: token(), nonce: 0n, balance: 0n, state: { [`0x${word(SENDER)}`]: 1000n } },
};

async function simulated(calls: unknown[], tokens: Hex[] = [], given = overrides) {
  const { follower } = readNetworkOptions({
    ...chain.options,
    execution: ["http://execution.test"],
    fetch: serverOf(({ method, params }) => chain.execution(method, params)),
  });
  const checked = {
    calls: readCalls(calls),
    tokens,
    overrides: readOverrides(given, undefined),
  };
  return follower.ask(async (view) => simulate(view, await view.block("latest"), checked));
}

const transfer = (amount: bigint) => ({
  from: SENDER,
  to: TOKEN,
  data: `0xa9059cbb${word(OTHER)}${word(amount)}`,
});
const approve = (amount: bigint) => ({
  from: SENDER,
  to: TOKEN,
  data: `0x095ea7b3${word(OTHER)}${word(amount)}`,
});

test("shows tokens that move and approvals, as the token gives them before and after", async () => {
  const { calls, tokens, approvals, accounts } = await simulated([transfer(400n), approve(77n)]);
  expect(calls.map(({ status }) => status)).toEqual(["success", "success"]);
  expect(calls[0]?.logs).toMatchObject([{ address: TOKEN, topics: [`0x${TRANSFER}`, {}, {}] }]);
  expect(tokens).toEqual([
    { token: TOKEN, owner: SENDER, before: 1000n, after: 600n },
    { token: TOKEN, owner: OTHER, before: 0n, after: 400n },
  ]);
  const approval = { token: TOKEN, owner: SENDER, spender: OTHER, before: 0n, after: 77n };
  expect(approvals).toEqual([{ ...approval, isForAll: false }]);
  const changed = accounts.find(({ address }) => address === TOKEN);
  expect(changed?.slots).toHaveLength(3);
});

test("an approval is shown, however many transfers of others are logged before it", async () => {
  // Logs forty transfers, each from and to other addresses.
  const noisy: Hex = `0x60285b8061010001817f${TRANSFER}5f5fa36001900380600257`;
  const given = { ...overrides, [OTHER]: { code: noisy, nonce: 0n, balance: 0n } };
  const { calls, approvals, unasked } = await simulated(
    [{ from: SENDER, to: OTHER }, approve(77n)],
    [TOKEN],
    given,
  );
  expect(calls.map(({ logs }) => logs.length)).toEqual([40, 1]);
  const approval = { token: TOKEN, owner: SENDER, spender: OTHER, before: 0n, after: 77n };
  expect(approvals).toEqual([{ ...approval, isForAll: false }]);
  // Eighty balances, the sender's, and the approval.
  expect(unasked).toBe(82 - 64);
});

test("a token that says in a log what is not so is not believed", async () => {
  // It logs a transfer, and moves nothing.
  const lying: Hex = `0x${token()
    .slice(2)
    .replace("60243533548190033355806004355401600435555f52", "5b".repeat(22))}`;
  expect(lying).not.toBe(token());
  const given = { [TOKEN]: { ...overrides[TOKEN], code: lying } };
  const { calls, tokens } = await simulated([transfer(400n)], [], given);
  expect(calls[0]?.logs).toHaveLength(1);
  expect(tokens).toEqual([]);
});

test("shows ether that moves, and what a call says that fails", async () => {
  const calls = [
    { from: SENDER, to: OTHER, value: 5n },
    { from: OTHER, to: SENDER, value: 6n },
    { from: OTHER, to: SENDER, value: 2n },
  ];
  const { calls: ended, accounts } = await simulated(calls);
  expect(ended.map(({ status }) => status)).toEqual(["success", "failed", "success"]);
  expect(ended[1]?.message).toContain("insufficient funds");
  const differences = accounts.map(({ address, balance: { before, after } }) => [
    address,
    after - before,
  ]);
  expect(Object.fromEntries(differences)).toEqual({ [SENDER]: -3n, [OTHER]: 3n });
});

test("shows a named token whose balance changes without a log", async () => {
  // Sets the sender's balance to 1, and says nothing.
  const silent: Hex = `0x${token().slice(2).replace("8063095ea7b314608457", "600133555f5ff300".padEnd(20, "0"))}`;
  const given = { [TOKEN]: { ...overrides[TOKEN], code: silent } };
  const { tokens } = await simulated(
    [{ from: SENDER, to: TOKEN, data: "0x01020304" }],
    [TOKEN],
    given,
  );
  expect(tokens).toEqual([{ token: TOKEN, owner: SENDER, before: 1000n, after: 1n }]);
});

test("a token that changes something when it is asked changes nothing for others", async () => {
  // It counts its calls, logs a transfer from the caller, and returns the count.
  const counting: Hex = `0x5f54600101805f555f5273${OTHER.slice(2)}337f${TRANSFER}60205fa360205ff3`;
  const given = { [TOKEN]: { code: counting, nonce: 0n, balance: 0n, state: {} } };
  const { tokens, accounts } = await simulated([transfer(1n)], [], given);
  expect(tokens).toEqual([
    { token: TOKEN, owner: SENDER, before: 1n, after: 2n },
    { token: TOKEN, owner: OTHER, before: 1n, after: 2n },
  ]);
  const changed = accounts.find(({ address }) => address === TOKEN);
  expect(changed?.slots.map(({ after }) => BigInt(after))).toEqual([1n]);
});
