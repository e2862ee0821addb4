// Tests in jest: CommonJS by default, TypeScript with ts-jest, and jsdom.

import { cpSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript";

import { compileCheck } from "./project.mjs";
import { fileOf } from "./tools.mjs";

/** Runs the project's tests. */
export async function jest(path, { sh }) {
  cpSync(join(path, "check.ts"), join(path, "ts", "check.ts"));
  compileCheck(path, ts.ModuleKind.CommonJS);
  await sh("node", [fileOf("jest", "bin", "jest.js"), "--ci"], { cwd: path });
}
