// What goes on in the cluster: a writer, readers who check what they verify, and one who asks a liar.

import { setTimeout as sleep } from "node:timers/promises";

import { NAMES, setAmount } from "../demo/sample.mjs";
import { call, submit } from "./nodes.mjs";

const bytes = (text) => new TextEncoder().encode(text);
const COUNTER = bytes("counter");
const PAUSE_MILLISECONDS = 50;
/** The longest time without a block. */
const BLOCK_TIMEOUT_MILLISECONDS = 60_000;

/**
 * Counts up, one block after another, at the node that leads. Each number has a key of its own and is
 * submitted once: one without an answer may be in a block, also later.
 */
export async function write(state) {
  let last = Date.now();
  for (let number = 0; !state.ended;) {
    const block = await submit(state.leader.url, operations(number));
    if (block) {
      state.blocks += 1;
      state.acknowledged = { height: BigInt(block.height), number };
      state.all.push({ ...block, number });
      last = Date.now();
    } else if (Date.now() - last > BLOCK_TIMEOUT_MILLISECONDS) {
      state.wrong.push(`no block for ${BLOCK_TIMEOUT_MILLISECONDS / 1000} s`);
      return;
    }
    number += 1;
    await sleep(block ? PAUSE_MILLISECONDS : 10);
  }
}

const hex = (text) => `0x${Buffer.from(text).toString("hex")}`;
const keyOf = (number) => `written/${number}`;

/** The counter, a key for each number, and an account that changes for the wallet. */
function operations(number) {
  const value = hex(`${number}`);
  const keys = ["counter", keyOf(number)];
  return [
    ...keys.map((key) => ({ op: "Set", key: hex(key), value })),
    setAmount(NAMES[number % NAMES.length], 100 * number),
  ];
}

/** Verifies again and again that blocks from an acknowledged one on have what was acknowledged. */
export async function read(state, client) {
  while (!state.ended) {
    const known = state.acknowledged;
    if (!known) {
      await sleep(PAUSE_MILLISECONDS);
      continue;
    }
    const key = bytes(keyOf(known.number));
    const answer = await verified(() => client.get(key));
    if (answer.block) {
      const { height, hash } = answer.block;
      state.answers += 1;
      shown(state, height, `0x${Buffer.from(hash).toString("hex")}`);
      if (height >= known.height && !answer.value) {
        state.wrong.push(`${known.number} was acknowledged, and block ${height} lacks it`);
      }
    } else if (answer.refused) {
      state.wrong.push(`an honest reader was refused: ${answer.refused.message}`);
    }
    await sleep(PAUSE_MILLISECONDS);
  }
}

/** Records a block that was shown; there must be one at each height. */
function shown(state, height, hash) {
  const other = state.shown.get(height) ?? hash;
  if (other !== hash) state.wrong.push(`two blocks ${height}: ${other} and ${hash}`);
  state.shown.set(height, hash);
}

/** Finds every acknowledged number in the block that its submitter was told of. */
export async function checkAcknowledged(state, url) {
  for (const { height, hash, number } of state.all) {
    shown(state, BigInt(height), hash);
    const block = await call(url, "prooflight_block", { at: height });
    const key = hex(keyOf(number));
    if (block?.header.hash !== hash || !block.ops.some((op) => op.key === key)) {
      state.wrong.push(`${number} was acknowledged, and is not in block ${BigInt(height)}`);
    }
  }
}

/** Verifies again and again that an acknowledged number is in the state of its block, and not in the one before. */
export async function remember(state, client) {
  while (!state.ended) {
    const past = state.all[Math.floor(Math.random() * state.all.length)];
    if (past) {
      const [key, at] = [bytes(keyOf(past.number)), BigInt(past.height)];
      const ask = (at) => verified(() => client.get(key, { scheme: "smt", at }));
      const [before, after] = [await ask(at - 1n), await ask(at)];
      for (const { refused } of [before, after]) {
        if (refused) state.wrong.push(`the past was refused: ${refused.message}`);
      }
      if (before.block && after.block) {
        state.past += 1;
        if (before.value || !after.value)
          state.wrong.push(`${past.number} is not new in block ${at}`);
      }
    }
    await sleep(PAUSE_MILLISECONDS);
  }
}

/** Asks a liar again and again: every answer must be refused. */
export async function deceive(state, client) {
  while (!state.ended) {
    const { value, refused } = await verified(() => client.get(COUNTER));
    if (value) state.wrong.push("a lie was accepted");
    if (refused) state.lies += 1;
    await sleep(PAUSE_MILLISECONDS);
  }
}

/** An answer; or the refusal of a wrong one; or nothing if the node has no answer now. */
async function verified(get) {
  try {
    return await get();
  } catch (error) {
    if (error.name !== "VerifyError") throw error;
    // A node that is starting, or has pruned the block meanwhile.
    return error.code === "unavailable" ? {} : { refused: error };
  }
}
