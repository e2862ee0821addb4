// npm run generate: writes src/registry.ts from what the Rust sources say.

import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { main } from "../../../scripts/lib/task.mjs";
import { registrySource } from "./registry.mjs";
import { buildBinaries, inWorkFolder } from "./wasm.mjs";

await main(() =>
  inWorkFolder(async (work) => {
    await buildBinaries(work, work);
    const source = await registrySource(pathToFileURL(`${work}/`));
    writeFileSync(new URL("../src/registry.ts", import.meta.url), source);
  }),
);
