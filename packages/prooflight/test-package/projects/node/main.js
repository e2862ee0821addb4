import { readFile } from "node:fs/promises";

import { check } from "./check.js";
import { checkEthereum } from "./ethereum.js";

const inputs = JSON.parse(await readFile("public/inputs.json", "utf8"));
const ethereum = await checkEthereum((name) => readFile(`public/ethereum/${name}`));
console.log(JSON.stringify({ ...(await check(inputs)), ethereum }));
