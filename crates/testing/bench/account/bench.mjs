// `node crates/testing/bench/account/bench.mjs [--quick]`: an account proof in WebAssembly beside
// @ethereumjs/mpt, in Node and in Chromium.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";
import { build, preview } from "vite";

import { chromium as browser } from "../../../../scripts/lib/chromium.mjs";
import { environment } from "../../../../scripts/lib/environment.mjs";
import { inside } from "../../../../scripts/lib/paths.mjs";
import { main, task } from "../../../../scripts/lib/task.mjs";
import { say, table } from "../../../../scripts/lib/terminal.mjs";
import { measure } from "./measure.mjs";

const VECTORS = "test-vectors/mpt/eth_get_proof.json";
const NAMES = {
  sdk: "the SDK, from the answer's JSON",
  together: "the same, many accounts in one call",
  peer: "@ethereumjs/mpt, from the answer's JSON",
  ready: "the same, its bytes already there",
};
const LEGEND = `
Times are those of the clock: medians of all samples, in brackets the middle half of them. The SDK also
compares every field of the answer with the account; the peer decodes it.`;

await main(async () => {
  const calls = process.argv.includes("--quick") ? 50 : 1000;
  const input = account();
  const nodes = input.response.accountProof.length;
  say(`An account of Ethereum's mainnet, a proof of ${nodes} nodes`);
  show(`Node ${process.versions.node}`, await measure(input, calls));
  browser.ready();
  const { version, times } = await inChromium(input, calls);
  show(`Chromium ${version}`, times);
  say(LEGEND);
});

function account() {
  const { testGroups } = JSON.parse(readFileSync(inside(VECTORS), "utf8"));
  const { tests } = testGroups.find(({ type }) => type === "EthGetProof");
  return tests.find(({ comment }) => comment.startsWith("mainnet_17463226_00000000")).input;
}

/** The same module in a page. */
async function inChromium(input, calls) {
  const root = fileURLToPath(new URL(".", import.meta.url));
  const outDir = inside("target", "bench-account");
  await task("build the page", async () => {
    await build({
      root,
      logLevel: "error",
      build: { outDir, emptyOutDir: true, target: "es2022" },
    });
  });
  const server = await preview({
    root,
    build: { outDir },
    preview: { port: 0 },
    logLevel: "error",
  });
  const { PROOFLIGHT_CHROMIUM: executablePath } = environment;
  const running = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await running.newPage();
    await page.goto(server.resolvedUrls.local[0]);
    await page.waitForFunction(() => "measure" in globalThis);
    const times = await page.evaluate(
      ([input, calls]) => globalThis.measure(input, calls),
      [input, calls],
    );
    return { version: running.version(), times };
  } finally {
    await running.close();
    await server.close();
  }
}

function show(where, times) {
  say(`\n${where}`);
  const rows = Object.entries(times).map(([name, { low, median, high }]) => [
    `  ${NAMES[name]}`,
    `${median.toFixed(1)} µs`,
    `(${low.toFixed(1)}-${high.toFixed(1)})`,
  ]);
  table(rows, "lrr").forEach((line) => say(line));
  const { sdk, together, peer, ready } = times;
  const ratio = (a, b) => (a.median / b.median).toFixed(2);
  say(
    `  ours / peer: ${ratio(sdk, peer)}, in one call ${ratio(together, peer)}; with its bytes already there ${ratio(sdk, ready)}`,
  );
}
