// npm run test:package: packs the package, installs the tarball into projects like a user's, and
// verifies recorded answers and forged ones in each. Needs the build and Chromium.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { main, task } from "../../../scripts/lib/task.mjs";
import { withChromium } from "./chromium.mjs";
import { extension } from "./extension.mjs";
import { node } from "./node.mjs";
import { pack } from "./pack.mjs";
import { page } from "./page.mjs";
import { copyProject } from "./project.mjs";
import { vite } from "./vite.mjs";
import { webpack } from "./webpack.mjs";

await main(async () => {
  // Outside of the repository, whose node_modules would be found otherwise.
  const folder = mkdtempSync(join(tmpdir(), "prooflight-package-"));
  try {
    let tarball;
    await task("pack", async (shell) => {
      tarball = await pack(folder, shell);
    });
    await task("node", async (shell) => node(await project("node", shell), shell));
    await withChromium(async (open) => {
      await task("page", async (shell) => page(await project("page", shell), open));
      await task("webpack", async (shell) => webpack(await project("webpack", shell), open));
      await task("vite", async (shell) => vite(await project("vite", shell), open, shell));
    });
    await task("extension", async (shell) => extension(await project("extension", shell)));

    /** A project of projects/ in a folder of its own, with the tarball installed. */
    async function project(name, { sh }) {
      const path = join(folder, name);
      copyProject(name, path);
      await sh("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: path });
      return path;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
