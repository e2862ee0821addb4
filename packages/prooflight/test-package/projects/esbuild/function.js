import { readFileSync } from "node:fs";

import { check } from "./check.js";

const inputs = JSON.parse(readFileSync(process.argv[2], "utf8"));
check(inputs).then((outcome) => console.log(JSON.stringify(outcome)));
