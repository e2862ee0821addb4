// npm run test:package [PROJECT…]: packs the package, installs the tarball into projects like a user's, and in each
// verifies recorded and forged answers, and answers of a node and of a liar. Needs the build, the node and Chromium.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { main, Problem, task } from "../../../scripts/lib/task.mjs";
import { bun } from "./bun.mjs";
import { withChain } from "./chain.mjs";
import { withChromium } from "./chromium.mjs";
import { deno } from "./deno.mjs";
import { esbuild } from "./esbuild.mjs";
import { ethers5 } from "./ethers5.mjs";
import { extension } from "./extension.mjs";
import { hermes } from "./hermes.mjs";
import { jest } from "./jest.mjs";
import { next } from "./next.mjs";
import { node } from "./node.mjs";
import { pack } from "./pack.mjs";
import { page } from "./page.mjs";
import { parcel } from "./parcel.mjs";
import { copyProject } from "./project.mjs";
import { rollup } from "./rollup.mjs";
import { folderBelowTools, installTools } from "./tools.mjs";
import { vite } from "./vite.mjs";
import { vite7 } from "./vite7.mjs";
import { webpack } from "./webpack.mjs";
import { workerd } from "./workerd.mjs";

/** Projects outside of the repository. Each has its own node_modules, like a user's project. */
const OWN = {
  node: (path, open, shell) => node(path, shell),
  page,
  webpack,
  vite,
  extension,
};

/** Projects below the folder of the tools, which find them there. They share one installed tarball. */
const SHARED = {
  workerd,
  jest: (path, open, shell) => jest(path, shell),
  esbuild,
  bun: (path, open, shell) => bun(path, shell),
  deno: (path, open, shell) => deno(path, shell),
  ethers5: (path, open, shell) => ethers5(path, shell),
  rollup,
  vite7,
  parcel,
  hermes: (path, open, shell) => hermes(path, shell),
  next,
};

await main(async () => {
  const all = [...Object.keys(OWN), ...Object.keys(SHARED)];
  const names = process.argv.length > 2 ? process.argv.slice(2) : all;
  const unknown = names.find((name) => !all.includes(name));
  if (unknown)
    throw new Problem(`No such project: ${unknown}. The projects are: ${all.join(", ")}.`);
  const chosen = (projects) => Object.entries(projects).filter(([name]) => names.includes(name));

  // Outside the repository, whose node_modules would otherwise be found.
  const folder = mkdtempSync(join(tmpdir(), "prooflight-package-"));
  let shared;
  try {
    await task("tools", installTools);
    let tarball;
    await task("pack", async (shell) => {
      tarball = await pack(folder, shell);
    });
    await withChain(folder, (chain) =>
      withChromium(async (open) => {
        for (const [name, run] of chosen(OWN)) {
          await task(name, async (shell) => {
            const path = join(folder, name);
            copyProject(name, path, chain);
            await install(path, tarball, shell);
            await run(path, open, shell);
          });
        }
        if (chosen(SHARED).length === 0) return;
        await task("runtimes and bundlers", async (shell) => {
          shared = folderBelowTools();
          // Without this, npm would install into the folder of the tools.
          writeFileSync(join(shared, "package.json"), '{ "private": true }');
          await install(shared, tarball, shell);
        });
        for (const [name, run] of chosen(SHARED)) {
          await task(name, async (shell) => {
            const path = join(shared, name);
            copyProject(name, path, chain);
            await run(path, open, shell);
          });
        }
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (shared) rmSync(shared, { recursive: true, force: true });
  }
});

/** Installs the tarball, which has no dependencies. */
async function install(path, tarball, { sh }) {
  mkdirSync(path, { recursive: true });
  await sh("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: path });
}
