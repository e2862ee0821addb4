// CLASSES.md says of each class of attacks and each scheme which vectors it has, or why it has none.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { SCHEMES, countClasses, readClasses } from "./classes.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const text = readFileSync(join(root, "CLASSES.md"), "utf8");

const paths = SCHEMES.flatMap((scheme) =>
  readdirSync(join(root, scheme))
    .filter((name) => name.endsWith(".json"))
    .map((name) => `${scheme}/${name}`),
);
const files = new Map(
  paths.map((path) => [path, JSON.parse(readFileSync(join(root, path), "utf8"))]),
);

test("every class has vectors in every scheme that it fits", (t) => {
  const { counts, problems } = countClasses(readClasses(text), files);
  assert.deepEqual(problems, []);
  assert.ok(counts.length > 0);
  for (const { group, name, schemes } of counts) {
    const numbers = SCHEMES.map((scheme) => `${scheme} ${schemes[scheme] ?? "-"}`);
    t.diagnostic(`${group}, ${name}: ${numbers.join(", ")}`);
  }
});

test("what no vector can show is tested where CLASSES.md says", () => {
  const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link);
  assert.ok(links.length > 0);
  assert.deepEqual(
    links.filter((link) => !existsSync(join(root, link))),
    [],
  );
});

const small = new Map([
  [
    "avl/some.json",
    {
      testGroups: [
        {
          tests: [
            { comment: "byte 1 cut", result: "invalid" },
            { comment: "byte 2 cut", result: "invalid" },
            { comment: "the whole", result: "valid" },
          ],
        },
      ],
    },
  ],
]);
const of = (avl, rest = "") =>
  `## Classes\n### Group\n* Class. More of it.\n## avl\n| Class | ${avl} |\n${rest}` +
  `## chain\n| Class | none |\n${["mpt", "lmpt", "amt", "lvmt", "smt", "amb"]
    .map((scheme) => `## ${scheme}\n| **Group** | not there |\n`)
    .join("")}`;
const problemsOf = (text) => countClasses(readClasses(text), small).problems;

test("an entry selects vectors by their whole comments, or says why there are none", () => {
  const { counts, problems } = countClasses(readClasses(of("`some` `byte * cut`")), small);
  assert.deepEqual(problems, []);
  const others = { mpt: null, lmpt: null, amt: null, lvmt: null, smt: null, amb: null };
  const schemes = { avl: 2, ...others, chain: null };
  assert.deepEqual(counts, [{ group: "Group", name: "Class", schemes }]);
  assert.deepEqual(problemsOf(of("it does not fit")), []);
});

for (const [what, text] of Object.entries({
  "a scheme of which nothing is said": of("`some` `byte 1 cut`").replace("| Class | none |\n", ""),
  "a comment that no vector has": of("`some` `byte 1 cut`, `byte 3 cut`"),
  "a part of a comment": of("`some` `byte 1`"),
  "a vector that is valid": of("`some` `*`"),
  "a file that does not exist": of("`other` `byte 1 cut`"),
  "a file without a comment": of("`some`"),
  "a comment without a file": of("`byte 1 cut`"),
  "a class twice in a table": of("`some` `byte 1 cut`", "| Class | none |\n"),
  "a scheme that does not exist": of("`some` `byte 1 cut`", "## avl2\n| Class | none |\n"),
  "a row of no class": of("`some` `byte 1 cut`", "| More | none |\n"),
  "a class that is listed twice": of("`some` `byte 1 cut`").replace("## avl", "* Class\n## avl"),
})) {
  test(`refuses ${what}`, () => {
    assert.notDeepEqual(problemsOf(text), []);
  });
}
