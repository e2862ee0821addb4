/** What editors and the site show of the public names: codes told from reasons, and links that lead somewhere. */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { REASONS, type Reason } from "../../src/index.js";
import { commentOf, examplesIn, exportsOf, specifierOf } from "./exports.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const online = "https://github.com/prooflight/prooflight/blob/main/";

const exported = exportsOf("src");
const callables = exported.filter(({ callable }) => callable);

/** The comments of what the entries export, and of the members of that; without line breaks. */
const comments = exported.flatMap(({ symbol, name, text }) => {
  const members = [...(symbol.members?.values() ?? []), ...(symbol.exports?.values() ?? [])];
  return [
    { name, text: joined(text) },
    ...members.map((member) => ({
      name: `${name}.${member.name}`,
      text: joined(commentOf(member)),
    })),
  ];
});

function joined(text: string): string {
  return text.replace(/\s+/g, " ");
}

const isReason = (name: string): name is Reason => Object.hasOwn(REASONS, name);

test("there are comments", () => {
  expect(comments.length).toBeGreaterThan(600);
  const verifyHead = comments.find(({ name }) => name === "verifyHead");
  expect(verifyHead?.text).toContain("`untrusted` / `equivocation`");
});

test("a reason comes after its code, and nothing else does", () => {
  for (const { name, text } of comments) {
    for (const { 1: before, 2: word = "" } of text.matchAll(/(?:`(\w+)` \/ )?`(\w+)`/g)) {
      if (isReason(word)) expect(before, `${name}: ${word}`).toBe(REASONS[word].code);
      else expect(before, `${name}: ${word}`).toBe(undefined);
    }
  }
});

test("every function and class leads to the specification or the guide", () => {
  const without = callables.filter(({ text }) => !text.includes(online));
  expect(without.map(nameOf)).toEqual([]);
});

test("every function and class has one example, of at most 8 lines", () => {
  const without = callables.filter(({ text }) => {
    const [example, ...others] = examplesIn(text);
    return others.length > 0 || !example || example.trimEnd().split("\n").length > 8;
  });
  expect(without.map(nameOf)).toEqual([]);
});

function nameOf({ entry, name }: { entry: string; name: string }): string {
  return `${specifierOf(entry)}: ${name}`;
}

describe("every link leads to a heading of a file:", () => {
  const links = comments.flatMap(({ text }) =>
    [...text.matchAll(/@link (https:\/\/\S+)/g)].map(([, link]) => link ?? ""),
  );
  const own = [...new Set(links)].filter((link) => link.startsWith(online));

  test("there are links", () => {
    expect(own.length).toBeGreaterThan(20);
  });

  test.each(own)("%s", (link) => {
    const [path = "", heading] = link.slice(online.length).split("#");
    expect(existsSync(root + path)).toBe(true);
    if (heading === undefined) return;
    const headings = readFileSync(root + path, "utf8").matchAll(/^#+ (.*)$/gm);
    const anchors = Array.from(headings, ([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    expect(anchors).toContain(heading);
  });
});

test("package.json leads to the guide", () => {
  const { homepage } = JSON.parse(
    readFileSync(`${root}packages/prooflight/package.json`, "utf8"),
  ) as { homepage: string };
  expect(homepage.startsWith(online)).toBe(true);
  expect(existsSync(root + homepage.slice(online.length))).toBe(true);
});
