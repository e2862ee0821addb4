// Checks the sizes of the binaries: the build fails if one is over its budget.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { Problem } from "../../../scripts/lib/task.mjs";
import { BINARIES } from "./binaries.mjs";

/** Prints the sizes of the binaries in `folder`; throws if one is over its budget. */
export function reportSizes(folder) {
  for (const { name, budget } of BINARIES) {
    const file = `prooflight-${name}.wasm`;
    const raw = readFileSync(join(folder, file));
    const brotli = brotliCompressSync(raw).length;
    const sizes = `${kb(raw.length)} raw, ${kb(gzipSync(raw).length)} gzip, ${kb(brotli)} brotli`;
    console.log(`${file}: ${sizes} (budget ${kb(budget)} brotli)`);
    if (brotli > budget) throw new Problem(`${file} is over its budget.`);
  }
}

const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
