// The tarball: nothing missing, nothing more, and good in the eyes of publint and Are The Types Wrong.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { filterProblems } from "@arethetypeswrong/core/problems";

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
  const tarball = join(folder, filename);
  await assertTypes(tarball);
  return tarball;
}

/**
 * Fails if the types of a module are not found or not those of its code.
 *
 * The package has ES modules only: this is the profile `esm-only` of the command `attw`, without
 * the resolution of Node 10 and that of `require`.
 */
async function assertTypes(tarball) {
  const packed = createPackageFromTarballData(readFileSync(tarball));
  const analysis = await checkPackage(packed, { excludeEntrypoints: [/\.wasm$/] });
  assert.equal(analysis.types.kind, "included");
  for (const resolutionKind of ["node16-esm", "bundler"]) {
    assert.deepEqual(filterProblems(analysis, { resolutionKind }), []);
  }
}

/** Every source with its types, every binary with its glue, and what npm asks for. */
function expected() {
  const sources = readdirSync(join(here, "src"), { recursive: true })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => path.replace(/(\.d)?\.ts$/, ""));
  return [
    ...["package.json", "README.md", "LICENSE-APACHE", "LICENSE-MIT", "bin/prooflight.mjs"],
    ...sources.flatMap((path) => [`dist/${path}.js`, `dist/${path}.d.ts`]),
    ...BINARIES.map(({ name }) => `dist/wasm/prooflight-${name}.wasm`),
  ];
}
