// npm run docs: builds the documentation site in target/site: the guide and the API of the package with
// typedoc, the crates with rustdoc under rust/.

import { cpSync, rmSync, writeFileSync } from "node:fs";

import { build } from "./lib/build.mjs";
import { VERIFIERS, packagesOf } from "./lib/crates.mjs";
import { inside, typedoc } from "./lib/paths.mjs";
import { forBuild, prepare } from "./lib/setup.mjs";
import { main, task } from "./lib/task.mjs";
import { cyan, say } from "./lib/terminal.mjs";
import { wholeGuide } from "./lib/whole-guide.mjs";

const SITE = inside("target", "site");

await main(async () => {
  await prepare([...forBuild, "npm for documents"]);
  await build([]);
  await task("guide and API of the package", async ({ sh }) => {
    rmSync(SITE, { recursive: true, force: true });
    await sh(typedoc, ["--options", "packages/prooflight/typedoc.json", "--out", SITE]);
    writeFileSync(`${SITE}/llms.txt`, wholeGuide());
  });
  await task("API of the crates", async ({ sh }) => {
    const env = { RUSTDOCFLAGS: "-D warnings" };
    await sh(
      "cargo",
      ["doc", "--no-deps", "--all-features", "--locked", ...packagesOf(VERIFIERS)],
      { env },
    );
    cpSync(inside("target", "doc"), `${SITE}/rust`, { recursive: true });
  });
  say(`\n${cyan(`${SITE}/llms.txt`)}  the guide as one page, for language models`);
  say(`${cyan(`${SITE}/index.html`)}  the guide and the package`);
  say(`${cyan(`${SITE}/rust/prooflight_core/index.html`)}  the crates`);
});
