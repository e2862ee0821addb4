import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { CommandFailed, ask, run } from "./command.mjs";

const node = (script, options = {}) => {
  let output = "";
  const onData = (text) => (output += text);
  return run(process.execPath, ["-e", script], { onData, ...options }).then(() => output);
};

test("everything that a program prints is handed over", async () => {
  const output = await node("console.log('out'); console.error('err')");
  assert.match(output, /^out$/m);
  assert.match(output, /^err$/m);
});

test("a program that fails says how", async () => {
  await assert.rejects(node("process.exit(3)"), (error) => {
    assert.ok(error instanceof CommandFailed);
    assert.match(error.message, /exit code 3/);
    return true;
  });
  await assert.rejects(
    run("no-such-program", [], { onData() {} }),
    (error) => error instanceof CommandFailed && /ENOENT/.test(error.message),
  );
});

test("a program does not wait for input", async () => {
  assert.equal(
    await node("process.stdin.on('data', () => {}).on('end', () => console.log('end'))"),
    "end\n",
  );
});

test("a program that takes too long is stopped, with its children", async () => {
  const folder = mkdtempSync(join(tmpdir(), "prooflight-"));
  const late = join(folder, "late");
  // The grandchild would write a file: it must be stopped before that.
  const script = `require("node:child_process").spawn("sh", ["-c", "sleep 2; touch ${late}"], { stdio: "inherit" })`;
  await assert.rejects(node(script, { limit: 300 }), /stopped after 0.3 s/);
  await new Promise((resolve) => setTimeout(resolve, 2500));
  assert.equal(existsSync(late), false);
  rmSync(folder, { recursive: true });
});

test("a question to a missing or failing program has no answer", () => {
  assert.equal(ask("no-such-program"), undefined);
  assert.equal(ask(process.execPath, "-e", "process.exit(1)"), undefined);
  assert.equal(ask(process.execPath, "-p", "1 + 1"), "2");
});
