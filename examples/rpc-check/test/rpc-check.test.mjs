// The script with recorded answers, and with servers that give them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SCRIPT = here("../src/main.mjs");
const TRUST = here("../samples/mainnet-21925176.json");
const [honest, liar, denier] = ["honest", "liar", "denier"].map((name) =>
  here(`../samples/${name}.json`),
);
const answers = JSON.parse(readFileSync(honest, "utf8"));

const folder = mkdtempSync(join(tmpdir(), "rpc-check-"));
const servers = [];
after(() => {
  servers.forEach((server) => server.close());
  rmSync(folder, { recursive: true });
});

test("recorded answers of an honest server verify against a block's hash", async () => {
  const { code, report } = await check(honest);
  assert.equal(code, 0);
  assert.equal(report.block.number, "21925176");
  const [{ account: contract }, { account: miner }] = report.sources[0].answers;
  assert.equal(contract.balance, BigInt(answers[0].balance).toString());
  assert.deepEqual(contract.storage, [answers[0].storageProof[0].value]);
  assert.equal(miner.nonce, "1304478");
});

test("a changed balance and a denied account are refused, each by name", async () => {
  const { code, report } = await check(honest, liar, denier);
  assert.equal(code, 1);
  const refusals = report.sources.map(({ answers }) => answers.map(({ error }) => error?.reason));
  assert.deepEqual(refusals, [
    [undefined, undefined],
    [undefined, "account_mismatch"],
    [undefined, "node_missing"],
  ]);
});

test("an endpoint is asked about the trusted block by its number", async () => {
  const asked = [];
  const url = await serve(({ method, params, id }) => {
    asked.push([method, params[2]]);
    const result = answers.find(({ address }) => address === params[0]);
    return JSON.stringify({ jsonrpc: "2.0", id, result });
  });
  const { code } = await check(url);
  assert.equal(code, 0);
  const question = ["eth_getProof", "0x14e8d38"];
  assert.deepEqual(asked, [question, question]);
});

test("an endpoint that gives no answer is not called a liar", async () => {
  const url = await serve(() => "<html>Bad gateway</html>");
  const { code, report } = await check(honest, url);
  assert.equal(code, 3);
  const [, { answers }] = report.sources;
  assert.deepEqual(
    answers.map(({ verdict, error }) => [verdict, error.reason]),
    Array(2).fill(["unavailable", "invalid_reply"]),
  );
});

test("a header that is not that of the trusted hash is refused", async () => {
  const trust = JSON.parse(readFileSync(TRUST, "utf8"));
  const file = join(folder, "trust.json");
  writeFileSync(file, JSON.stringify({ ...trust, hash: `0x${"11".repeat(32)}` }));
  const { code, errors } = await run("--trust", file, honest);
  assert.equal(code, 1);
  assert.match(errors, /mismatch \/ header_hash_mismatch/);
});

test("without a block to trust there is no verdict", async () => {
  const { code, errors } = await run(honest);
  assert.equal(code, 2);
  assert.match(errors, /Usage/);
});

async function check(...sources) {
  const { code, out } = await run("--json", "--trust", TRUST, ...sources);
  return { code, report: JSON.parse(out) };
}

function run(...args) {
  const child = spawn(process.execPath, [SCRIPT, ...args]);
  let [out, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, errors })));
}

/** A server whose replies `reply` makes of requests; gives its URL. */
function serve(reply) {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => response.end(reply(JSON.parse(body))));
  });
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}
