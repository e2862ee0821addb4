// Hermes, the engine of React Native, has no WebAssembly: the package must report this, not crash on a missing global.

import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript";

import { Problem } from "../../../scripts/lib/task.mjs";
import { fileOf, importTool } from "./tools.mjs";

const folders = { linux: "linux64-bin", darwin: "osx-bin" };

/** Bundles the project with React Native's package resolution, and runs it. */
export async function hermes(path, { sh, output }) {
  const folder = folders[process.platform];
  if (!folder) throw new Problem(`hermes-engine-cli has no Hermes for ${process.platform}.`);
  const { build } = await importTool("esbuild");
  await build({
    absWorkingDir: path,
    entryPoints: ["main.js"],
    outfile: "dist/main.js",
    bundle: true,
    format: "iife",
    target: "es2020",
    conditions: ["react-native"],
    logLevel: "error",
  });
  // Hermes has no classes; React Native's bundler also compiles them.
  const target = { target: ts.ScriptTarget.ES5, downlevelIteration: true };
  const script = join(path, "dist", "main.js");
  const compiled = ts.transpileModule(readFileSync(script, "utf8"), { compilerOptions: target });
  writeFileSync(script, compiled.outputText);
  const before = output().length;
  const program = fileOf("hermes-engine-cli", folder, "hermes");
  chmodSync(program, 0o755);
  await sh(program, [script]);
  const { message, ...refusal } = JSON.parse(output().slice(before));
  assert.deepEqual(refusal, { code: "unsupported", reason: "simd_missing" });
  assert.match(message, /React Native.*Lockdown Mode/);
}
