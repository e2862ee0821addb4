// What goes on in the cluster: a writer, readers who check what they verify, and one who asks a liar.

import { setTimeout as sleep } from "node:timers/promises";

import { NAMES, setAmount } from "../demo/sample.mjs";
import { submit } from "./nodes.mjs";

const COUNTER = new TextEncoder().encode("counter");
const PAUSE_MILLISECONDS = 50;
/** Longer than this without a block is a failure. */
const PATIENCE_MILLISECONDS = 30_000;

/** Counts up, one block after another, at the node that leads. */
export async function write(state) {
  let last = Date.now();
  for (let number = 0; !state.ended;) {
    const block = await submit(state.leader.url, operations(number));
    if (block) {
      state.blocks += 1;
      state.acknowledged = { height: BigInt(block.height), number };
      last = Date.now();
      number += 1;
    } else if (Date.now() - last > PATIENCE_MILLISECONDS) {
      state.wrong.push(`no block for ${PATIENCE_MILLISECONDS / 1000} s`);
      return;
    }
    await sleep(block ? PAUSE_MILLISECONDS : 10);
  }
}

/** The counter, and an account that changes for the wallet. */
function operations(number) {
  const [key, value] = ["counter", `${number}`].map(
    (text) => `0x${Buffer.from(text).toString("hex")}`,
  );
  return [{ op: "Set", key, value }, setAmount(NAMES[number % NAMES.length], 100 * number)];
}

/** Verifies the counter again and again: it never falls, and reaches what was acknowledged. */
export async function read(state, client) {
  let newest = -1;
  while (!state.ended) {
    const known = state.acknowledged;
    const answer = await verified(() => client.get(COUNTER));
    if (answer.value) {
      const number = Number(new TextDecoder().decode(answer.value));
      state.answers += 1;
      if (number < newest) state.wrong.push(`the counter fell from ${newest} to ${number}`);
      if (known && answer.block.height >= known.height && number < known.number) {
        const at = `block ${answer.block.height}`;
        state.wrong.push(`${known.number} was acknowledged, and ${at} has ${number}`);
      }
      newest = number;
    } else if (answer.refused) {
      state.wrong.push(`an honest reader was refused: ${answer.refused.message}`);
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
