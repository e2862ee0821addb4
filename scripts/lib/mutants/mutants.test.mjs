import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { inside, root } from "../paths.mjs";
import { crates } from "../walls/crates.mjs";
import { readAccepted, reasonFor } from "./accepted.mjs";
import { needed, withSwitch, workspace } from "./build.mjs";
import { shuffled } from "./order.mjs";
import { sums } from "./report.mjs";
import { Runner } from "./runner.mjs";
import { openState, parse } from "./state.mjs";

const numbers = [...Array(100).keys()];

test("a seed reproduces its order, another seed has another order, and no item is lost", () => {
  assert.deepEqual(shuffled(numbers, 7), shuffled(numbers, 7));
  assert.notDeepEqual(shuffled(numbers, 7), shuffled(numbers, 8));
  assert.notDeepEqual(shuffled(numbers, 7), numbers);
  assert.deepEqual(
    shuffled(numbers, 7).sort((a, b) => a - b),
    numbers,
  );
});

test("a later run knows the outcomes of earlier runs with the same build and seed, and no others", () => {
  const folder = mkdtempSync(join(tmpdir(), "prooflight-"));
  try {
    const outcome = { result: "killed", test: "avl/a.json 1 (\n)" };
    openState({ folder, key: "a".repeat(64) }, 1).add(5, outcome);
    assert.deepEqual([...openState({ folder, key: "a".repeat(64) }, 1).outcomes], [[5, outcome]]);
    assert.equal(openState({ folder, key: "a".repeat(64) }, 2).outcomes.size, 0);
    assert.equal(openState({ folder, key: "b".repeat(64) }, 1).outcomes.size, 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a line that was cut off is no outcome", () => {
  assert.deepEqual([...parse('{"id":1,"result":"survived"}\n{"id":2,"res')].length, 1);
});

test("an entry matches faults of its file, function and lines", () => {
  const mutant = { file: "f.rs", function: "T::g", before: "a < b", after: "a <= b" };
  const { before, after, ...everything } = mutant;
  const why = "both are the same";
  assert.equal(reasonFor(mutant, [{ ...everything, before, after, why }]), why);
  assert.equal(reasonFor(mutant, [{ ...everything, before, why }]), why);
  assert.equal(reasonFor(mutant, [{ ...everything, why }]), why);
  assert.equal(reasonFor({ ...mutant, after: "a == b" }, [{ ...mutant, why }]), undefined);
  assert.equal(reasonFor({ ...mutant, function: "h" }, [{ ...everything, why }]), undefined);
});

test("every accepted survivor names its place and a reason", () => {
  for (const entry of readAccepted()) {
    const members = Object.keys(entry).filter((name) => !["before", "after"].includes(name));
    assert.deepEqual(members, ["file", "function", "why"], JSON.stringify(entry));
    assert.ok(entry.why.length > 10 && entry.function, JSON.stringify(entry));
    readFileSync(inside(entry.file));
  }
});

test("the copied workspace has the verifiers, the switch and its own profile", () => {
  const names = needed(root);
  const text = workspace(readFileSync(inside("Cargo.toml"), "utf8"), names);
  assert.match(text, /^members = \["crates\/core",.* "crates\/testing\/mutants\/switch"\]$/m);
  assert.match(text, /^prooflight-core = /m);
  assert.deepEqual(text.match(/^\[profile.*$/gm), ["[profile.release]"]);
  const crate = withSwitch(readFileSync(inside("crates/core/Cargo.toml"), "utf8"));
  assert.match(crate, /^\[dependencies\]\nprooflight-mutants-switch = /m);
});

test("the copied crates name no other crate of the workspace, not even in their tests", () => {
  const all = crates();
  const names = all.map(({ name }) => name);
  const copied = needed(root).map((name) => `prooflight-${name}`);
  const missing = all
    .filter(({ name }) => copied.includes(name))
    .flatMap(({ needs, testsNeed }) => [...needs, ...testsNeed])
    .filter((need) => names.includes(need) && !copied.includes(need));
  assert.deepEqual(missing, []);
});

test("faults that do not compile do not count, and a line counts once", () => {
  const at = (id, line, compiles = true) => ({ id, file: "f.rs", line, compiles });
  const mutants = [at(1, 3), at(2, 3), at(3, 4, false), at(4, 9)];
  const outcomes = new Map([
    [1, { result: "killed" }],
    [2, { result: "survived" }],
  ]);
  assert.deepEqual(sums(mutants, [["f.rs", [3, 4, 5, 9]]], outcomes), {
    tried: 2,
    possible: 3,
    covered: 1,
    all: 4,
  });
});

test("a runner that ends or hangs has caught the fault, and the next fault is still tried", async () => {
  const folder = mkdtempSync(join(tmpdir(), "prooflight-"));
  const program = join(folder, "runner.mjs");
  writeFileSync(
    program,
    `#!${process.execPath}
import { createInterface } from "node:readline";
console.log("ready 1 1");
for await (const line of createInterface({ input: process.stdin })) {
  const [fault] = line.split(" ");
  if (fault === "1") process.exit(134);
  else if (fault === "2") continue;
  else if (fault === "3") console.log(".\\n3 killed 2 avl/a.json 7 (a proof)");
  else console.log(fault + " survived 12");
}
`,
  );
  chmodSync(program, 0o755);
  const runner = new Runner(program, folder, { silence: 1500, memory: "unlimited" });
  try {
    const outcomes = [];
    for (const id of [1, 2, 3, 4]) outcomes.push(await runner.attempt({ id, place: 1 }));
    assert.deepEqual(outcomes, [
      { result: "crashed" },
      { result: "hung" },
      { result: "killed", test: "avl/a.json 7 (a proof)" },
      { result: "survived" },
    ]);
  } finally {
    runner.stop();
    rmSync(folder, { recursive: true });
  }
});

test("a runner that does not start says why", async () => {
  const runner = new Runner("false", "nowhere");
  await assert.rejects(runner.attempt({ id: 1, place: 1 }), /fail even without a fault/);
});
