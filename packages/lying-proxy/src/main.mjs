#!/usr/bin/env node
// node src/main.mjs --target http://127.0.0.1:8645 --port 8646

import { parseArgs } from "node:util";

import { startProxy } from "./proxy.mjs";
import { lies } from "./lies/index.mjs";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "http://127.0.0.1:8645" },
    port: { type: "string", default: "8646" },
  },
});

const proxy = await startProxy({ target: values.target, port: Number(values.port) });
const width = Math.max(...lies.map(({ name }) => name.length));
for (const { name, title } of lies) {
  console.log(`${proxy.url}/${name.padEnd(width)}  ${title}`);
}
console.log(`${proxy.url}/${"honest".padEnd(width)}  Forwards everything unchanged`);

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void proxy.close());
