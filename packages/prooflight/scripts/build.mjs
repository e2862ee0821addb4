// npm run build: Rust to WebAssembly and TypeScript to JavaScript, into dist/.

import { copyFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { inside } from "../../../scripts/lib/paths.mjs";
import { main } from "../../../scripts/lib/task.mjs";
import {
  removeExamples,
  replaceTextCodecs,
  writeCommonJs,
  writeEntries,
  writeInlined,
} from "./entries.mjs";
import { reportSizes } from "./sizes.mjs";
import { buildBinaries, inWorkFolder, sh } from "./wasm.mjs";

const here = inside("packages", "prooflight");

await main(() =>
  // Built elsewhere and then moved into place: a failed build leaves the previous one intact.
  inWorkFolder(async (work) => {
    const dist = join(work, "dist");
    const wasm = join(dist, "wasm");
    mkdirSync(wasm, { recursive: true });
    await buildBinaries(work, wasm);
    await sh("tsc", ["-p", join(here, "tsconfig.build.json"), "--outDir", dist]);
    removeExamples(dist);
    replaceTextCodecs(wasm);
    writeInlined(wasm, join(here, "src", "wasm"));
    writeEntries(dist);
    writeCommonJs(dist);
    reportSizes(wasm);
    rmSync(join(here, "dist"), { recursive: true, force: true });
    renameSync(dist, join(here, "dist"));
    const licenses = ["LICENSE-APACHE", "LICENSE-MIT"];
    for (const name of licenses) copyFileSync(inside(name), join(here, name));
  }),
);
