// npm run samples: makes public/swap.json.

import { fileURLToPath } from "node:url";

import { runnerImport } from "vite";

const { module } = await runnerImport(fileURLToPath(new URL("swap.ts", import.meta.url)));
await module.writeSample();
