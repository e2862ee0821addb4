// The tarball has exactly the right files, and passes publint and Are The Types Wrong.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { BINARIES } from "../scripts/binaries.mjs";
import { isInCommonJs } from "../scripts/entries.mjs";
import { MODULES } from "../scripts/modules.mjs";
import { fileOf } from "./tools.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));

/** Packs the package into `folder`; returns the path of the tarball. */
export async function pack(folder, { sh, output }) {
  await sh(fileOf(".bin", "publint"), ["--strict", here]);
  const before = output().length;
  await sh("npm", ["pack", "--json", "--pack-destination", folder], { cwd: here });
  // npm's warnings on standard error come before the path.
  const [{ filename, files }] = JSON.parse(/^\[[^]*/m.exec(output().slice(before))[0]);
  assert.deepEqual(files.map(({ path }) => path).sort(), expected().sort());
  const tarball = join(folder, filename);
  await assertTypes(tarball);
  return tarball;
}

/** Fails if the types of a module are missing or wrong under any of TypeScript's resolution modes. */
async function assertTypes(tarball) {
  const checker = fileOf("@arethetypeswrong", "core", "dist", "index.js");
  const { checkPackage, createPackageFromTarballData } = await import(pathToFileURL(checker).href);
  const packed = createPackageFromTarballData(readFileSync(tarball));
  const analysis = await checkPackage(packed, { excludeEntrypoints: [/\.wasm$/] });
  assert.equal(analysis.types.kind, "included");
  assert.deepEqual(analysis.problems, []);
}

/** Every source with its types, as ES modules and CommonJS; every binary with its glue; and the files for npm. */
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
