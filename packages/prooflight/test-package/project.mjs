// A scratch project: its files, and one recorded input for each module, from the vectors.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";

import { inside } from "../../../scripts/lib/paths.mjs";
import { whole } from "../../../test-vectors/schema/whole.mjs";
import { OUTCOME } from "./outcome.mjs";

const projects = fileURLToPath(new URL("projects", import.meta.url));

/** The projects that follow Ethereum, too. */
const WITH_ETHEREUM = new Set(["node", "vite"]);

/** Copies a project and the shared files to `path`. */
export function copyProject(name, path, chain) {
  cpSync(join(projects, name), path, { recursive: true });
  cpSync(join(projects, "shared"), path, { recursive: true });
  mkdirSync(join(path, "public"));
  writeFileSync(join(path, "public", "inputs.json"), JSON.stringify({ ...inputs(), chain }));
  writeFileSync(join(path, "public", "outcome.json"), JSON.stringify(OUTCOME));
  if (!WITH_ETHEREUM.has(name)) return;
  cpSync(join(projects, "with-ethereum"), path, { recursive: true });
  const recorded = inside("examples", "verify-in-browser", "public", "ethereum", "receipt");
  cpSync(recorded, join(path, "public", "ethereum"), { recursive: true });
}

/** Compiles the source of a check to JavaScript, for projects without TypeScript. */
export function compileCheck(path, module = ts.ModuleKind.ES2022, name = "check") {
  const source = join(path, `${name}.ts`);
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module };
  const { outputText } = ts.transpileModule(readFileSync(source, "utf8"), { compilerOptions });
  writeFileSync(join(path, `${name}.js`), outputText);
  rmSync(source);
}

/** Replaces the names of modules by paths: without a build, nothing else resolves them. */
export function resolveImports(path) {
  const file = join(path, "check.js");
  const dist = "./node_modules/prooflight/dist";
  const source = readFileSync(file, "utf8").replace(
    /"prooflight(?:\/(\w+))?"/g,
    (_, module = "index") => `"${dist}/${module}.js"`,
  );
  writeFileSync(file, source);
}

function inputs() {
  return {
    block: inputOf("avl/ergo_mainnet.json", () => true),
    account: inputOf("mpt/eth_get_proof.json", ({ comment }) =>
      comment.startsWith("mainnet_21925176_eoa_miner"),
    ),
    leaf: inputOf("lvmt/proof.json", ({ comment }) => comment === "log_n 16, level 1"),
    head: inputOf("chain/header_sync.json", ({ input }) => input.inclusion.length > 0),
  };
}

/** The input of the first vector in a file for which `isIt` holds. */
function inputOf(file, isIt) {
  const { testGroups } = whole(JSON.parse(readFileSync(inside("test-vectors", file), "utf8")));
  return testGroups.flatMap(({ tests }) => tests).find(isIt).input;
}
