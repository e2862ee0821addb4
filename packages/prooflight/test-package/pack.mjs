// The tarball: nothing missing, nothing more, and good in publint's eyes.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { BINARIES } from "../scripts/binaries.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));

/** Packs the package into `folder`; gives the path of the tarball. */
export async function pack(folder, { sh, output }) {
  await sh("publint", ["--strict", here]);
  const before = output().length;
  await sh("npm", ["pack", "--json", "--pack-destination", folder], { cwd: here });
  // npm warns on its standard error, which comes before.
  const [{ filename, files }] = JSON.parse(/^\[[^]*/m.exec(output().slice(before))[0]);
  assert.deepEqual(files.map(({ path }) => path).sort(), expected().sort());
  return join(folder, filename);
}

/** Every source with its types, every binary with its glue, and what npm asks for. */
function expected() {
  const sources = readdirSync(join(here, "src"), { recursive: true })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => path.replace(/(\.d)?\.ts$/, ""));
  return [
    ...["package.json", "README.md", "LICENSE-APACHE", "LICENSE-MIT"],
    ...sources.flatMap((path) => [`dist/${path}.js`, `dist/${path}.d.ts`]),
    ...BINARIES.map(({ name }) => `dist/wasm/prooflight-${name}.wasm`),
  ];
}
