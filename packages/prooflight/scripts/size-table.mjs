// npm run sizes [-- REASON]: the download size of each module alone, as a table in the guide. A module may grow by more
// than 1 % only with a reason, which is added below the table. With --check, writes nothing and fails if one grew.

import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

import { build } from "vite";

import { inside } from "../../../scripts/lib/paths.mjs";
import { main, Problem } from "../../../scripts/lib/task.mjs";
import { BINARIES } from "./binaries.mjs";
import { binariesOf } from "./entries.mjs";
import { grown, kib, missing, reasons } from "./growth.mjs";
import { MODULES } from "./modules.mjs";

const dist = inside("packages", "prooflight", "dist");
const page = inside("docs", "guide", "runtimes.md");
const [START, END] = ["<!-- sizes -->\n", "<!-- /sizes -->\n"];

const HEADING = "| module | JavaScript | WebAssembly | both | inlined |\n|---|---|---|---|---|\n";

const brotli = (content) => brotliCompressSync(content).length;

/** The size of each binary, computed once since most modules share it. */
const binarySizes = new Map(
  BINARIES.map(({ name }) => [name, brotli(readFileSync(`${dist}/wasm/prooflight-${name}.wasm`))]),
);

/** Vite inlines the assets of a library; a different URL prevents this. */
const keepBinaries = {
  name: "keep-binaries",
  enforce: "pre",
  transform: (code) => code.replaceAll("import.meta.url", "globalThis.location.href"),
};

await main(async () => {
  const rows = [];
  for (const name of MODULES) rows.push(await sizesOf(name));
  const text = readFileSync(page, "utf8");
  const [from, to] = [text.indexOf(START) + START.length, text.indexOf(END)];
  if (to < from || !text.includes(START)) throw new Problem(`${page} has no place for the table.`);
  const before = text.slice(from, to);
  const [argument] = process.argv.slice(2);
  const names = grown(rows, before).map(({ module }) => module);
  if (names.length > 0 && (!argument || argument === "--check")) {
    const command = 'npm run sizes -w packages/prooflight -- "REASON"';
    throw new Problem(`More than 1 % larger than in ${page}: ${names.join(", ")}. ${command}`);
  }
  if (argument === "--check") {
    const unknown = missing(rows, before).map(({ module }) => module);
    if (unknown.length > 0) throw new Problem(`Not in ${page}: ${unknown.join(", ")}.`);
    return;
  }
  const lines = rows.map((row) => `| \`${row.module}\` | ${row.cells.map(kib).join(" | ")} |\n`);
  const said = reasons(rows, before, argument).map((line) => `${line}\n`);
  const table = [HEADING, ...lines, ...(said.length > 0 ? ["\n", ...said] : [])].join("");
  writeFileSync(page, text.slice(0, from) + table + text.slice(to));
  process.stdout.write(table);
});

/** Bytes after brotli: of the code, of the binaries that it may load, of both, and of one script with everything. */
async function sizesOf(name) {
  const code = brotli(await bundle(`${dist}/${name}.js`));
  const sizes = binariesOf(dist, name).map((binary) => binarySizes.get(binary));
  const wasm = sizes.reduce((sum, size) => sum + size, 0);
  const inlined = brotli(await bundle(`${dist}/inline/${name}.js`));
  const module = name === "index" ? "prooflight" : `prooflight/${name}`;
  return { module, cells: [code, wasm, code + wasm, inlined] };
}

/** A module with everything that it imports, minified, in one script; the binary stays a file. */
async function bundle(entry) {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    build: {
      lib: { entry, formats: ["es"], fileName: "bundle" },
      minify: true,
      write: false,
      assetsInlineLimit: 0,
      rollupOptions: { output: { codeSplitting: false } },
    },
    plugins: [keepBinaries],
  });
  const { output } = Array.isArray(built) ? built[0] : built;
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.code : [])).join("");
}
