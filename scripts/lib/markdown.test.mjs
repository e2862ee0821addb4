// Every relative link, anchor and citation of a section in the repository's Markdown leads somewhere.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { deadLinks, markdownFiles } from "./markdown.mjs";

test("links lead somewhere", () => {
  const files = markdownFiles();
  assert.ok(files.length > 30, `${files.length} files`);
  assert.deepEqual(
    files.flatMap((file) => deadLinks(file)),
    [],
  );
});

const folder = mkdtempSync(join(tmpdir(), "prooflight-links-"));
after(() => rmSync(folder, { recursive: true }));

function deadIn(text) {
  writeFileSync(join(folder, "other.md"), "# Other\n\n## 1. It's `here`\n\n## Twice\n\n## Twice\n");
  const path = join(folder, "one.md");
  writeFileSync(path, text);
  return deadLinks(path).map((link) => link.slice(path.length + 1));
}

test("links to files, headings and other places", () => {
  const links = ["other.md", "other.md#1-its-here", "other.md#twice-1", "#one", "https://a.b/c#d"];
  assert.deepEqual(deadIn(`# One\n${links.map((link) => `[x](${link})`).join("\n")}`), []);
  assert.deepEqual(deadIn("[other 1] [`a`](other.md)\n\n[other 1]: other.md#1-its-here\n"), []);
});

for (const [text, ...dead] of [
  ["[x](gone.md)", "1: gone.md"],
  ["\n[x](other.md#2-gone) and [y](#gone)", "2: other.md#2-gone", "2: #gone"],
  ["[other 1]", "1: other 1"],
  ["[other 1]\n\n[other 1]: other.md#gone", "3: other.md#gone"],
  ["```\n[x](gone.md)\n```\n`[x](gone.md)`\n[x](gone.md)", "5: gone.md"],
]) {
  test(`dead: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(deadIn(text), dead);
  });
}
