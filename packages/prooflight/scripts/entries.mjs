// Additions of the build to the compiled modules: entries for each runtime, and CommonJS.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

import ts from "typescript";

import { BINARIES } from "./binaries.mjs";
import { MODULES } from "./modules.mjs";

/** The glue makes a TextDecoder and a TextEncoder when it is imported; some runtimes lack these, so it gets ours. */
export function replaceTextCodecs(wasm) {
  for (const { name } of BINARIES) {
    const file = join(wasm, `prooflight_${name}_bg.js`);
    const names = "Utf8Decoder as TextDecoder, Utf8Encoder as TextEncoder";
    writeFileSync(
      file,
      `import { ${names} } from "../platform.js";\n${readFileSync(file, "utf8")}`,
    );
  }
}

/** Writes each binary as a module with its bytes in Base64, and the types of the file. */
export function writeInlined(wasm, types) {
  for (const { name } of BINARIES) {
    const file = `prooflight-${name}`;
    const base64 = readFileSync(join(wasm, `${file}.wasm`)).toString("base64");
    writeFileSync(join(wasm, `${file}.base64.js`), `export default "${base64}";\n`);
    for (const declaration of [`${file}.base64.d.ts`, `${file}.d.wasm.ts`]) {
      copyFileSync(join(types, declaration), join(wasm, declaration));
    }
  }
}

/** Removes the examples from the comments of the modules, which would be larger: editors read the declarations. */
export function removeExamples(dist) {
  const modules = readdirSync(dist, { recursive: true }).filter((path) => path.endsWith(".js"));
  for (const path of modules.map((path) => join(dist, path))) {
    const text = readFileSync(path, "utf8");
    const rest = text.replaceAll(EXAMPLE, "");
    if (rest !== text) writeFileSync(path, rest);
  }
}

/** The last part of a comment, with the empty line before it. */
const EXAMPLE = /^ *\*\n *\* @example\n *\* ```ts\n(?: *\*.*\n)*? *\* ```\n(?= *\*\/)/gm;

/** Writes dist/inline and dist/workerd: each module, preceded by the location of its binaries. */
export function writeEntries(dist) {
  for (const kind of ["inline", "workerd"]) {
    mkdirSync(join(dist, kind));
    for (const module of MODULES) {
      const lines = binariesOf(dist, module).map(
        (name) => `import "../wasm/${kind}-${name}.js";\n`,
      );
      const text = `${lines.join("")}export * from "../${module}.js";\n`;
      writeFileSync(join(dist, kind, `${module}.js`), text);
    }
  }
}

/** The binaries that a module may load. */
export function binariesOf(dist, module) {
  const seen = new Set();
  const visit = (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    const { importedFiles } = ts.preProcessFile(readFileSync(join(dist, path), "utf8"));
    for (const { fileName } of importedFiles) {
      if (fileName.startsWith(".")) visit(posix.join(posix.dirname(path), fileName));
    }
  };
  visit(`${module}.js`);
  return BINARIES.map(({ name }) => name).filter((name) => seen.has(`wasm/${name}.js`));
}

/** Writes dist/cjs: the same modules as CommonJS, with the binaries inlined. */
export function writeCommonJs(dist) {
  const files = readdirSync(dist, { recursive: true }).map((path) => path.replaceAll("\\", "/"));
  for (const path of files.filter(isInCommonJs)) {
    const target = join(dist, "cjs", path);
    mkdirSync(dirname(target), { recursive: true });
    if (!path.endsWith(".js")) copyFileSync(join(dist, path), target);
    else writeFileSync(target, commonJs(readFileSync(join(dist, path), "utf8")));
  }
  writeFileSync(join(dist, "cjs", "package.json"), '{ "type": "commonjs" }\n');
}

/** Files without a CommonJS build: the command is an ES module, and workerd supports no other kind. */
export const isInCommonJs = (path) =>
  /\.(js|d\.ts)$/.test(path) && !/^(cli|vectors|workerd)\//.test(path) && !/workerd-/.test(path);

function commonJs(source) {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    esModuleInterop: true,
  };
  const { outputText } = ts.transpileModule(source, { compilerOptions });
  // There is no URL: without an inlined binary, `init` reports this.
  return outputText.replaceAll("import.meta.url", "undefined");
}
