// The guide as one page has every page of it, and no link that needs the page's folder.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { inside } from "./paths.mjs";
import { guideFiles, wholeGuide } from "./whole-guide.mjs";

test("every page of the guide is there once, after the package's README", () => {
  const [first, ...pages] = guideFiles();
  assert.equal(first, "packages/prooflight/README.md");
  // Its own README lists the pages.
  const written = readdirSync(inside("docs", "guide")).filter((name) => name !== "README.md");
  assert.deepEqual(pages.toSorted(), written.map((name) => `docs/guide/${name}`).toSorted());
  const whole = wholeGuide();
  for (const path of [first, ...pages]) {
    const [title] = readFileSync(inside(path), "utf8").split("\n");
    assert.match(title, /^# /);
    assert.equal(whole.split("\n").filter((line) => line === title).length, 1, title);
  }
});

test("links lead to the repository online", () => {
  const targets = Array.from(wholeGuide().matchAll(/\]\(([^()\s]+)\)/g), ([, target]) => target);
  assert.ok(targets.length > 20, `${targets.length} links`);
  assert.deepEqual(
    targets.filter((target) => !target.startsWith("https://")),
    [],
  );
  const online = "https://github.com/prooflight/prooflight/blob/main/";
  assert.ok(targets.includes(`${online}docs/guide/runtimes.md#sizes`));
  assert.ok(targets.includes(`${online}docs/node.md#replicas`));
});
