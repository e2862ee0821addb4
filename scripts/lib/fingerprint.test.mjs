import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "prooflight-"));
process.env.PROOFLIGHT_CACHE = join(folder, "cache");
const { record } = await import("./fingerprint.mjs");
const source = join(folder, "src");
const output = join(folder, "out");
const built = record("thing", [source], [output]);

beforeEach(() => {
  for (const path of [source, output]) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
  }
  writeFileSync(join(source, "a.rs"), "a");
  writeFileSync(join(output, "a.wasm"), "A");
  built.write();
});
after(() => rmSync(folder, { recursive: true }));

test("a build is fresh when nothing changed, whatever the times of the files", () => {
  utimesSync(join(source, "a.rs"), 0, 0);
  assert.equal(built.fresh(), true);
});

const changes = {
  "an edited source": () => writeFileSync(join(source, "a.rs"), "b"),
  "a new source": () => writeFileSync(join(source, "b.rs"), ""),
  "a renamed source": () => {
    rmSync(join(source, "a.rs"));
    writeFileSync(join(source, "c.rs"), "a");
  },
  "an edited output": () => writeFileSync(join(output, "a.wasm"), "B"),
  "a deleted output": () => rmSync(join(output, "a.wasm")),
  "a deleted record": () => rmSync(process.env.PROOFLIGHT_CACHE, { recursive: true }),
};

for (const [name, change] of Object.entries(changes)) {
  test(`${name} makes it stale`, () => {
    change();
    assert.equal(built.fresh(), false);
  });
}

test("what is in node_modules or target does not", () => {
  mkdirSync(join(source, "target"));
  writeFileSync(join(source, "target", "b.rs"), "");
  assert.equal(built.fresh(), true);
});
