// The APIs of platforms that the package uses: every name in src that TypeScript's libraries declare.

import { join } from "node:path";

import ts from "typescript";

import { inside } from "../../../scripts/lib/paths.mjs";

/** Libraries of JavaScript as of 2020, which all engines have that have WebAssembly with SIMD. */
const OLD = /\/lib\.es(5|20(1\d|20))\b/;

/** The names, such as `AbortSignal.reason` and `fetch`, each with the files that use it. */
export function usedApis() {
  const here = inside("packages", "prooflight");
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const config = join(here, "tsconfig.build.json");
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(config, {}, host);
  const program = ts.createProgram(fileNames, options);
  const checker = program.getTypeChecker();
  const used = new Map();
  const visit = (node, file) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      for (const name of new Set((symbol?.declarations ?? []).flatMap(apiOf))) {
        used.set(name, (used.get(name) ?? new Set()).add(file));
      }
    }
    ts.forEachChild(node, (child) => visit(child, file));
  };
  for (const source of program.getSourceFiles()) {
    const file = source.fileName.slice(here.length + 1);
    // The command and the vectors run in Node only.
    if (/^src\/(?!cli\/|vectors\/).*(?<!\.d)\.ts$/.test(file)) visit(source, file);
  }
  return used;
}

/** The name of what a library declares; none for types, and for what is old. */
function apiOf(declaration) {
  const { fileName } = declaration.getSourceFile();
  if (!/\/typescript\/lib\/lib\./.test(fileName) || OLD.test(fileName)) return [];
  if (ts.isTypeAliasDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) return [];
  const owner = ownerOf(declaration.parent)?.replace(/Constructor$/, "");
  // A member of an argument.
  if (owner?.endsWith("Init")) return [];
  const name = declaration.name?.getText();
  return name ? [owner ? `${owner}.${name}` : name] : [];
}

function ownerOf(node) {
  for (let at = node; at; at = at.parent) {
    const isOwner = ts.isInterfaceDeclaration(at) || ts.isModuleDeclaration(at);
    // Constructors are variables whose types have no name.
    if (isOwner || ts.isVariableDeclaration(at)) return at.name.getText();
  }
  return undefined;
}
