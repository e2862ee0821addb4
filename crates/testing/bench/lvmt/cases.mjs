// Proofs of keys at level 1 of LVMT, from a real node with a chain of its own.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { keccak_256 } from "@noble/hashes/sha3.js";
import { fromHex, init, toHex } from "prooflight";
import { decodeHeader } from "prooflight/chain";
import { lvmtConfig } from "prooflight/lvmt";

import { startNode } from "../../../../scripts/lib/demo/node.mjs";
import { node as program } from "../../../../scripts/lib/paths.mjs";
import { Asker } from "../log/asker.mjs";

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
  return withNode({ logN, logArity }, async (asker, config) => {
    for (let at = 0; at < all.length; at += KEYS_OF_BLOCK) {
      const keys = all.slice(at, at + KEYS_OF_BLOCK);
      await asker.submit(keys.map((key) => ({ op: "Set", key, value: key })));
    }
    const inputs = [];
    for (const count of counts) {
      const keys = deep.slice(0, count);
      const params = { scheme: "lvmt", keys, at: "latest" };
      const { header, proof } = (await asker.call("prooflight_prove", params)).result;
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
  const data = ["--data-dir", join(folder, "chain")];
  const setup = ["--lvmt-log-n", `${logN}`, "--lvmt-log-arity", `${logArity}`];
  execFileSync(program, ["init", ...data, "--chain-id", "bench", "--schemes", "lvmt", ...setup]);
  const { config } = JSON.parse(execFileSync(program, ["checkpoint", ...data]));
  const node = await startNode(folder, 0);
  const asker = new Asker(node);
  try {
    return await body(asker, config);
  } finally {
    asker.close();
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
