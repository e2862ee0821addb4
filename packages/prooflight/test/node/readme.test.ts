import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("the README's example prints what it says", () => {
  const readme = readFileSync(`${root}README.md`, "utf8");
  const example = /```js\n([^]*?)```/.exec(readme)?.[1] ?? "";
  expect(example).toContain("// present 42");
  // Inside the package its own name leads to dist.
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module"], {
    cwd: root,
    input: example,
    encoding: "utf8",
  });
  expect({ stdout, stderr }).toEqual({ stdout: "present 42\n", stderr: "" });
});
