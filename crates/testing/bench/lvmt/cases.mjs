// Proofs of keys at level 1 of LVMT, from a real node with a chain of its own.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { keccak_256 } from "@noble/hashes/sha3.js";
import { fromHex, init, toHex } from "prooflight";
import { decodeHeader } from "prooflight/chain";
import { lvmtConfig } from "prooflight/lvmt";

import { node } from "../../../../scripts/lib/paths.mjs";

/** An entry has five slots for keys: the sixth key goes to the level below. */
const KEYS_OF_ENTRY = 6;
const KEYS_OF_BLOCK = 3000;

/**
 * Inputs of `verifyLvmtProof`, one for each of `counts`, of so many keys at level 1, each below another
 * entry of the root vector.
 */
export async function cases(counts, { logN, logArity }) {
  await init();
  const { all, deep } = keysOfEntries(Math.max(...counts), logN);
  return withNode({ logN, logArity }, async (call, config) => {
    for (let at = 0; at < all.length; at += KEYS_OF_BLOCK) {
      const keys = all.slice(at, at + KEYS_OF_BLOCK);
      await call("prooflight_submit", { ops: keys.map((key) => ({ op: "Set", key, value: key })) });
    }
    const inputs = [];
    for (const count of counts) {
      const keys = deep.slice(0, count);
      const { header, proof } = await call("prooflight_prove", {
        scheme: "lvmt",
        keys,
        at: "latest",
      });
      const { roots, height } = decodeHeader(fromHex(header.signedHeader));
      const bytes = { keys: keys.map(fromHex), proof: fromHex(proof), root: roots.lvmt };
      inputs.push({ ...lvmtConfig(config), ...bytes, height, allowInsecureSetup: true });
    }
    return inputs;
  });
}

/** Keys that fill entries of the root vector, and of each entry the one that no longer fits. */
function keysOfEntries(entries, logN) {
  const found = new Map();
  const [all, deep] = [[], []];
  for (let number = 0; deep.length < entries; number++) {
    const key = new TextEncoder().encode(`key ${number}`);
    const hash = keccak_256(key);
    const index = ((hash[0] << 8) | hash[1]) >> (16 - logN);
    if (found.size === entries && !found.has(index)) continue;
    const keys = found.get(index) ?? [];
    if (keys.length === KEYS_OF_ENTRY) continue;
    found.set(index, [...keys, { key: toHex(key), hash: toHex(hash) }]);
    if (keys.length === KEYS_OF_ENTRY - 1) {
      // The keys of a block get their slots in the order of their hashes.
      const sorted = found.get(index).sort((a, b) => (a.hash < b.hash ? -1 : 1));
      deep.push(sorted.at(-1).key);
    }
  }
  // All keys of an entry in one block.
  for (const keys of found.values()) all.push(...keys.map(({ key }) => key));
  return { all, deep };
}

async function withNode({ logN, logArity }, body) {
  const folder = mkdtempSync(join(tmpdir(), "prooflight-bench-"));
  const data = ["--data-dir", join(folder, "data")];
  const setup = ["--lvmt-log-n", `${logN}`, "--lvmt-log-arity", `${logArity}`];
  execFileSync(node, ["init", ...data, "--chain-id", "bench", "--schemes", "lvmt", ...setup]);
  const { config } = JSON.parse(execFileSync(node, ["checkpoint", ...data]));
  const options = ["--listen", "127.0.0.1:0", "--block-interval-ms", "1", "--log-format", "json"];
  const running = spawn(node, ["run", ...data, ...options], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const address = await serving(running);
    const call = async (method, params) => {
      const response = await fetch(`http://${address}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const { result, error } = await response.json();
      if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result;
    };
    return await body(call, config);
  } finally {
    running.kill();
    await once(running, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serving({ stderr }) {
  for await (const line of createInterface(stderr)) {
    const { fields } = JSON.parse(line);
    if (fields.message !== "serving") continue;
    stderr.resume();
    return fields.address;
  }
  throw new Error("the node does not run");
}
