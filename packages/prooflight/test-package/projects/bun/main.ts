import { readFileSync } from "node:fs";

import { check, type Inputs } from "./check.ts";

const inputs = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Inputs;
console.log(JSON.stringify(await check(inputs)));
