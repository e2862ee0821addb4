// npm run generate: generates the exports of package.json.

import { readFileSync, writeFileSync } from "node:fs";

import { withManifest } from "./modules.mjs";

const manifest = new URL("../package.json", import.meta.url);
writeFileSync(manifest, withManifest(readFileSync(manifest, "utf8")));
