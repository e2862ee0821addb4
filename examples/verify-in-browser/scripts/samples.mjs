// npm run samples: cuts the blocks that the page offers out of the repository's test vectors.
// Each becomes a vector file with one test, which keeps the origin and the licence of the data.
// The answers of the page about Ethereum are made by ethereum.ts.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const VECTORS = new URL("../../../test-vectors/avl/ergo_mainnet.json", import.meta.url);
const BLOCKS = new URL("../public/blocks/", import.meta.url);
const HEIGHTS = [1795974, 1795968, 1796136, 1795980];

/** The files: for each name what is in it. */
export function samples() {
  const { numberOfTests: _, testGroups, ...about } = JSON.parse(readFileSync(VECTORS, "utf8"));
  const [{ type, tests }] = testGroups;
  return HEIGHTS.map((height) => {
    const test = tests.find(({ comment }) => comment === `Ergo mainnet block ${height}`);
    const file = { ...about, numberOfTests: 1, testGroups: [{ type, tests: [test] }] };
    return { url: new URL(`${height}.json`, BLOCKS), text: `${JSON.stringify(file, null, 1)}\n` };
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const { url, text } of samples()) writeFileSync(url, text);
  const { runnerImport } = await import("vite");
  const { module } = await runnerImport(fileURLToPath(new URL("ethereum.ts", import.meta.url)));
  for (const [name, contents] of await module.ethereumSamples()) {
    writeFileSync(new URL(`../public/ethereum/${name}`, import.meta.url), contents);
  }
}
