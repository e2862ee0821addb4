// The modules that users import, and the conditions by which runtimes and bundlers choose their builds.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { inside } from "../../../scripts/lib/paths.mjs";
import { BINARIES } from "./binaries.mjs";

const src = inside("packages", "prooflight", "src");

/** The names of the modules, `index` first: the files of src/ whose documentation names a module. */
export const MODULES = readdirSync(src)
  .filter((name) => name.endsWith(".ts"))
  .filter((name) => readFileSync(join(src, name), "utf8").includes("@module prooflight"))
  .map((name) => name.replace(/\.ts$/, ""))
  .sort((a, b) => (a === "index" ? -1 : b === "index" ? 1 : a < b ? -1 : 1));

/** The text of package.json with the members generated from the modules; a test compares it with the file. */
export function withManifest(text) {
  const { exports: _, ...others } = JSON.parse(text);
  return `${JSON.stringify({ ...others, ...manifest() }, null, 2)}\n`;
}

function manifest() {
  const exports = {};
  for (const name of MODULES) exports[name === "index" ? "." : `./${name}`] = conditions(name);
  for (const name of MODULES) {
    exports[name === "index" ? "./inline" : `./inline/${name}`] = both(name, {
      import: `./dist/inline/${name}.js`,
      require: `./dist/cjs/inline/${name}.js`,
    });
  }
  for (const { name } of BINARIES) {
    exports[`./prooflight-${name}.wasm`] = {
      types: `./dist/wasm/prooflight-${name}.d.wasm.ts`,
      default: `./dist/wasm/prooflight-${name}.wasm`,
    };
  }
  exports["./package.json"] = "./package.json";
  return {
    main: "./dist/cjs/inline/index.js",
    module: "./dist/index.js",
    types: "./dist/cjs/index.d.ts",
    // For TypeScript's Node 10 resolution, which ignores `exports`.
    typesVersions: {
      "*": {
        ...Object.fromEntries(MODULES.slice(1).map((name) => [name, [`./dist/cjs/${name}.d.ts`]])),
        inline: ["./dist/cjs/index.d.ts"],
        "inline/*": ["./dist/cjs/*.d.ts"],
      },
    },
    // Importing these modules has the effect of locating the binary.
    // (esbuild does not support braces in patterns.)
    sideEffects: [
      "./dist/**/inline/*.js",
      "./dist/**/wasm/inline-*.js",
      "./dist/workerd/*.js",
      "./dist/wasm/workerd-*.js",
    ],
    exports,
  };
}

/**
 * The builds of one module; the first whose condition holds is used. workerd compiles WebAssembly only at deployment.
 * For Node and similar runtimes the binary is part of the program, so that server bundles need no extra file. The
 * other builds find the file by its URL, which CommonJS lacks.
 */
function conditions(name) {
  const inline = { import: `./dist/inline/${name}.js`, require: `./dist/cjs/inline/${name}.js` };
  const esm = { types: `./dist/${name}.d.ts`, default: inline.import };
  return {
    workerd: { types: `./dist/${name}.d.ts`, default: `./dist/workerd/${name}.js` },
    // Node's own `require` gets the ES modules, so that a program has only one copy.
    node: { "module-sync": esm, ...both(name, inline) },
    ...both(name, { import: `./dist/${name}.js`, require: inline.require }),
  };
}

const both = (name, files) => ({
  import: { types: `./dist/${name}.d.ts`, default: files.import },
  require: { types: `./dist/cjs/${name}.d.ts`, default: files.require },
});
