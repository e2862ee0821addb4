// npm run sizes: what users download of each module alone, as a table in the guide. With --check, fails if one grew.

import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

import { build } from "vite";

import { inside } from "../../../scripts/lib/paths.mjs";
import { main, Problem } from "../../../scripts/lib/task.mjs";
import { binariesOf } from "./entries.mjs";
import { MODULES } from "./modules.mjs";

const dist = inside("packages", "prooflight", "dist");
const page = inside("docs", "guide", "runtimes.md");
const [START, END] = ["<!-- sizes -->\n", "<!-- /sizes -->\n"];

/** How much a module may grow before somebody says why in the changelog and runs this again. */
const TOLERANCE = 1.02;

const brotli = (content) => brotliCompressSync(content).length;
const kib = (bytes) => (bytes / 1024).toFixed(1);

/** A library's assets are inlined by Vite: here their URL is another one, which it does not follow. */
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
  if (process.argv.includes("--check")) return check(rows, text.slice(from, to));
  const lines = rows.map((row) => `| \`${row.module}\` | ${row.cells.map(kib).join(" | ")} |\n`);
  const table = `| module | JavaScript | WebAssembly | both | inlined |\n|---|---|---|---|---|\n${lines.join("")}`;
  writeFileSync(page, text.slice(0, from) + table + text.slice(to));
  process.stdout.write(table);
});

/** Bytes after brotli: of the code, of the binaries that it may load, of both, and of one script with all of it. */
async function sizesOf(name) {
  const code = brotli(await bundle(`${dist}/${name}.js`));
  const binaries = binariesOf(dist, name).map((binary) =>
    brotli(readFileSync(`${dist}/wasm/prooflight-${binary}.wasm`)),
  );
  const wasm = binaries.reduce((sum, size) => sum + size, 0);
  const inlined = brotli(await bundle(`${dist}/inline/${name}.js`));
  const module = name === "index" ? "prooflight" : `prooflight/${name}`;
  return { module, cells: [code, wasm, code + wasm, inlined] };
}

/** A module and all that it imports, minified, in one script; the binary stays a file. */
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

function check(rows, table) {
  const grown = rows.filter(({ module, cells }) => {
    const recorded = table.split("\n").find((line) => line.startsWith(`| \`${module}\` |`));
    const before = recorded?.split("|").slice(2, -1).map(Number);
    return !before || cells.some((size, index) => size / 1024 > before[index] * TOLERANCE);
  });
  if (grown.length === 0) return;
  const names = grown.map(({ module }) => module).join(", ");
  throw new Problem(
    `More than 2 % larger than in the guide, or not there: ${names}. Run npm run sizes, and say why.`,
  );
}
