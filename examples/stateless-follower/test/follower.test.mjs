// The script against a real node, and against one that lies about its blocks.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { startProxy } from "../../../packages/lying-proxy/src/proxy.mjs";
import { prepareChain, startNode } from "../../../scripts/lib/demo/node.mjs";

const SCRIPT = fileURLToPath(new URL("../src/main.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "follower-"));
const checkpoint = join(folder, "chain", "checkpoint.json");
const state = join(folder, "state.json");
let node, proxy;

before(async () => {
  await prepareChain(join(folder, "chain"));
  node = await startNode(join(folder, "chain"), 0);
  proxy = await startProxy({ target: node.url });
});

after(async () => {
  await proxy?.close();
  await node?.stop();
  rmSync(folder, { recursive: true });
});

test("it checks every block from the first one on, and ends with the newest digest", async () => {
  const { code, lines } = await follow(node.url, "--until", "3", "--state", state);
  assert.equal(code, 0);
  assert.equal(lines.length, 4);
  const head = await rpc("prooflight_head");
  assert.ok(lines[3].endsWith(`digest ${head.roots.avl}`), lines[3]);
  assert.deepEqual(JSON.parse(readFileSync(state, "utf8")), {
    next: "0x4",
    digest: head.roots.avl,
  });
});

test("it goes on where it stopped, with nothing but the digest", async () => {
  const next = follow(node.url, "--until", "4", "--state", state);
  await rpc("prooflight_submit", { ops: [{ op: "Set", key: "0x01", value: "0x02" }] });
  const { code, lines } = await next;
  assert.equal(code, 0);
  assert.equal(lines.length, 1);
  const { roots } = await rpc("prooflight_header", { at: "0x4" });
  assert.match(lines[0], new RegExp(`^block 4 .* digest ${roots.avl}$`));
});

for (const [lie, refusal] of [
  ["changed-operation", "mismatch / operations_mismatch"],
  ["removed-operation", "mismatch / operations_mismatch"],
  ["duplicated-operation", "malformed / invalid_block"],
  ["flipped-transition", "mismatch / root_mismatch"],
  ["skipped-block", "mismatch / wrong_block"],
]) {
  test(`it refuses a block whose server lies: ${lie}`, async () => {
    const { code, errors } = await follow(`${proxy.url}/${lie}`, "--from", "3", "--until", "3");
    assert.equal(code, 1);
    assert.ok(errors.includes(`refused: ${refusal}`), errors);
  });
}

test("a wrong state leads nowhere", async () => {
  const digest = `0x${"11".repeat(33)}`;
  const wrong = join(folder, "wrong.json");
  writeFileSync(wrong, JSON.stringify({ next: "0x3", digest }));
  const { code, errors } = await follow(node.url, "--until", "3", "--state", wrong);
  assert.equal(code, 1);
  assert.match(errors, /refused: mismatch \/ root_mismatch/);
});

/** Runs the script to its end. */
function follow(server, ...options) {
  const args = [SCRIPT, "--server", server, "--checkpoint", checkpoint, ...options];
  const child = spawn(process.execPath, args);
  let [out, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  return new Promise((resolve) => {
    child.once("close", (code) =>
      resolve({ code, errors, lines: out.split("\n").filter((line) => line) }),
    );
  });
}

async function rpc(method, params = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(node.url, { method: "POST", headers, body });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result;
}
