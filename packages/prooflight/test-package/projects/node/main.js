import { readFile } from "node:fs/promises";

import { check } from "./check.js";

const file = JSON.parse(await readFile("public/ergo_mainnet.json", "utf8"));
console.log(JSON.stringify(await check(file)));
