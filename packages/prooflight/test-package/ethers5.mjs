// ethers 5 calls every error of eth_call an exception of the contract; a refusal is found in it.

import assert from "node:assert/strict";
import { join } from "node:path";

/** Runs the project's script. */
export async function ethers5(path, { sh, output }) {
  const before = output().length;
  await sh("node", ["main.js", join(path, "public", "inputs.json")], { cwd: path });
  const { balance, ...refused } = JSON.parse(output().slice(before));
  assert.equal(balance, "0x9305538e4df80dba");
  // The server answers every request with the account, so no block can be had in whose state a call is executed.
  const exception = ["CALL_EXCEPTION", "invalid_answer"];
  assert.deepEqual(refused, {
    call: exception,
    contract: exception,
    gas: [-32002, "invalid_answer"],
    logs: [4200, "unverifiable_method"],
  });
}
