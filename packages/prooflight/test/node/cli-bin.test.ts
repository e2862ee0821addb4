/** `npx prooflight` works in a fresh clone: npm makes no link to a file that is not there when it installs. */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const home = "packages/prooflight";

interface Package {
  bin: Record<string, string>;
}
const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Package;
const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
const { bin } = read(join(root, home, "package.json"));

test("every command is a committed file that may be executed", () => {
  expect(Object.keys(bin)).toEqual(["prooflight"]);
  for (const file of Object.values(bin)) {
    expect(git("ls-files", "--stage", `${home}/${file}`)).toMatch(/^100755 /);
  }
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, Package>;
  };
  expect(packages[home]?.bin).toEqual(bin);
});

describe("in a clone that npm installed before anything was built", () => {
  const clone = mkdtempSync(join(tmpdir(), "prooflight-clone-"));
  afterAll(() => {
    rmSync(clone, { recursive: true });
  });

  /** Runs the command as the guides do. */
  function npx(...args: string[]) {
    const { status, stdout, stderr } = spawnSync("npx", ["--no", "--", "prooflight", ...args], {
      cwd: clone,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  }

  test("it says what to do, and works once that is done", () => {
    // What git has of the package, with nothing to download.
    git("checkout-index", `--prefix=${clone}/`, "--", ...git("ls-files", home).trim().split("\n"));
    writeFileSync(
      join(clone, "package.json"),
      JSON.stringify({ private: true, workspaces: ["packages/*"] }),
    );
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund"], { cwd: clone });
    expect(lstatSync(join(clone, "node_modules/.bin/prooflight")).isSymbolicLink()).toBe(true);

    const before = npx("--version");
    expect(before.status).toBe(70);
    expect(before.stdout).toBe("");
    expect(before.stderr).toContain("npm run build");

    cpSync(join(root, home, "dist"), join(clone, home, "dist"), { recursive: true });
    expect(npx("--version")).toMatchObject({ status: 0, stdout: "0.1.0\n" });
    expect(npx("--help").stdout).toContain("prooflight verify FILE");
    expect(npx("verify").status).toBe(2);
  });
});
