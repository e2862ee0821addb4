// npm run generate: generates src/registry.ts from the Rust sources, and the exports of package.json.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { main } from "../../../scripts/lib/task.mjs";
import { withManifest } from "./modules.mjs";
import { registrySource } from "./registry.mjs";
import { buildBinaries, inWorkFolder } from "./wasm.mjs";

const manifest = new URL("../package.json", import.meta.url);
writeFileSync(manifest, withManifest(readFileSync(manifest, "utf8")));

await main(() =>
  inWorkFolder(async (work) => {
    await buildBinaries(work, work);
    const source = await registrySource(pathToFileURL(`${work}/`));
    writeFileSync(new URL("../src/registry.ts", import.meta.url), source);
  }),
);
