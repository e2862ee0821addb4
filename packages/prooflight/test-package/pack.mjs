// The tarball: nothing missing, nothing more, and good in the eyes of publint and Are The Types Wrong.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";

import { BINARIES } from "../scripts/binaries.mjs";
import { isInCommonJs } from "../scripts/entries.mjs";
import { MODULES } from "../scripts/modules.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));

/** Packs the package into `folder`; gives the path of the tarball. */
export async function pack(folder, { sh, output }) {
  await sh("publint", ["--strict", here]);
  const before = output().length;
  await sh("npm", ["pack", "--json", "--pack-destination", folder], { cwd: here });
  // npm warns on its standard error, which comes before.
  const [{ filename, files }] = JSON.parse(/^\[[^]*/m.exec(output().slice(before))[0]);
  assert.deepEqual(files.map(({ path }) => path).sort(), expected().sort());
  const tarball = join(folder, filename);
  await assertTypes(tarball);
  return tarball;
}

/** Fails if the types of a module are not found or not those of its code, however TypeScript resolves it. */
async function assertTypes(tarball) {
  const packed = createPackageFromTarballData(readFileSync(tarball));
  const analysis = await checkPackage(packed, { excludeEntrypoints: [/\.wasm$/] });
  assert.equal(analysis.types.kind, "included");
  assert.deepEqual(analysis.problems, []);
}

/** Every source with its types, as ES modules and CommonJS; every binary with its glue; and what npm asks for. */
function expected() {
  const sources = readdirSync(join(here, "src"), { recursive: true })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.wasm.ts"))
    .map((path) => path.replace(/(\.d)?\.ts$/, ""));
  const modules = [
    ...sources.flatMap((path) => [`${path}.js`, `${path}.d.ts`]),
    ...MODULES.map((name) => `inline/${name}.js`),
  ];
  return [
    ...["package.json", "README.md", "LICENSE-APACHE", "LICENSE-MIT", "bin/prooflight.mjs"],
    ...modules.map((path) => `dist/${path}`),
    ...modules.filter(isInCommonJs).map((path) => `dist/cjs/${path}`),
    "dist/cjs/package.json",
    ...MODULES.map((name) => `dist/workerd/${name}.js`),
    ...BINARIES.flatMap(({ name }) => [
      `dist/wasm/prooflight-${name}.wasm`,
      `dist/wasm/prooflight-${name}.d.wasm.ts`,
    ]),
  ];
}
