import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

test.each([
  ["the package's README", "README.md", "js", "present 42\n"],
  ["the repository's README", "../../README.md", "ts", "42 coins\nmismatch root_mismatch\n"],
  [
    "the guide",
    "../../docs/guide/verify-an-answer.md",
    "js",
    "present 42 coins\nmismatch root_mismatch\n",
  ],
])("the first example of %s prints what it says", (_, path, language, expected) => {
  const readme = readFileSync(root + path, "utf8");
  const start = readme.indexOf(`\`\`\`${language}\n`);
  const example = readme.slice(start).split("```")[1]?.slice(language.length) ?? "";
  for (const line of expected.trim().split("\n")) expect(example).toContain(`// ${line}\n`);
  // Inside the package its own name leads to dist.
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module"], {
    cwd: root,
    input: example,
    encoding: "utf8",
  });
  expect({ stdout, stderr }).toEqual({ stdout: expected, stderr: "" });
});
