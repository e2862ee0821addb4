// npm run generate: writes src/registry.ts from the wasm that was built last.

import { writeFileSync } from "node:fs";

import { registrySource } from "./registry.mjs";

const path = new URL("../src/registry.ts", import.meta.url);
writeFileSync(path, await registrySource());
console.log("Wrote src/registry.ts; build again to have it in dist.");
