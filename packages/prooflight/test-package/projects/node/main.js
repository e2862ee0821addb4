import { readFile } from "node:fs/promises";

import { check } from "./check.js";

const inputs = JSON.parse(await readFile("public/inputs.json", "utf8"));
console.log(JSON.stringify(await check(inputs)));
