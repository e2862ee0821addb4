// Endpoints compared with the newest verified head: recorded servers of mainnet, of which some lie.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { runnerImport } from "vite";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

const servers = [];
after(() => servers.forEach((server) => server.close()));

let served, honest, beacon;
before(async () => {
  const { module } = await runnerImport(
    here("../../../packages/prooflight/test/ethereum/recorded.ts"),
  );
  served = await module.serve(module.readCases().find(({ name }) => name === "eth_call1"));
  honest = await serve((method, params) => execution(method, params));
  beacon = await serve(() => undefined);
});

/** What an honest execution node answers; `undefined` for what was not recorded. */
const execution = (method, params) =>
  method === "eth_blockNumber"
    ? `0x${served.number.toString(16)}`
    : served.execution(method, params);

test("an honest endpoint tells the truth about the head and an account", async () => {
  const { code, report } = await check(honest);
  assert.equal(report.block.number, String(served.number));
  assert.deepEqual(report.head.participation, { signed: 510, of: 512 });
  const [{ answers }] = report.sources;
  assert.equal(answers[0].said, `${served.number}, its newest`);
  const { balance } = execution("eth_getProof", [USDC, [], "latest"]);
  assert.equal(answers[2].account.balance, BigInt(balance).toString());
  // The receipts of this block were not recorded.
  assert.deepEqual(verdicts(answers), ["verified", "unavailable", "verified"]);
  assert.equal(code, 3);
});

test("a liar is named, and for what", async () => {
  const richer = await serve((method, params) => {
    const answer = execution(method, params);
    return method === "eth_getProof" ? { ...answer, balance: "0x1234" } : answer;
  });
  const elsewhere = await serve((method, params) => {
    const answer = execution(method, params);
    return method === "eth_getBlockByHash"
      ? { ...answer, stateRoot: `0x${"11".repeat(32)}` }
      : answer;
  });
  const { code, report } = await check(honest, richer, elsewhere);
  assert.equal(code, 1);
  const [, second, third] = report.sources;
  assert.deepEqual(verdicts(second.answers), ["verified", "unavailable", "refused"]);
  assert.equal(second.answers[2].error.reason, "account_mismatch");
  assert.equal(third.answers[0].error.reason, "header_hash_mismatch");
  const { out } = await run(...OPTIONS(), honest, richer);
  assert.match(out, /signed by 510 of 512 of the sync committee/);
  assert.match(out, new RegExp(`✘ ${richer} {2}an answer does not verify`));
});

test("an endpoint that is behind, or claims more, is told apart", async () => {
  const says = (number) =>
    serve((method, params) =>
      method === "eth_blockNumber" ? `0x${number.toString(16)}` : execution(method, params),
    );
  const { report } = await check(await says(served.number - 3n), await says(served.number + 1n));
  const said = report.sources.map(({ answers }) => answers[0].said);
  assert.match(said[0], /3 blocks behind/);
  assert.match(said[1], /claims 1 block after it/);
});

test("a beacon node that lies is named, and the next one is asked", async () => {
  const lying = await serve(
    () => undefined,
    (bytes) => {
      const changed = Uint8Array.from(bytes);
      changed[200] ^= 1;
      return changed;
    },
  );
  const { code, report } = await check("--beacon", lying, honest);
  assert.equal(code, 3);
  const alone = await run("--json", ...OPTIONS([lying]), honest);
  assert.equal(alone.code, 1);
  assert.equal(alone.out, "");
  assert.match(alone.errors, /no verified head: mismatch/);
  assert.deepEqual(report.beaconFailures, []); // the honest one was asked first
  const first = await run("--json", ...OPTIONS([lying, beacon]), honest);
  assert.equal(JSON.parse(first.out).beaconFailures[0].error.code, "mismatch");
});

for (const [name, args, problem] of [
  ["both kinds of trust", ["--trust", "x.json"], /either --trust/],
  ["no beacon node", [], /--beacon URL/],
  ["half a root", ["--beacon", "http://localhost:1"], /32 bytes/],
]) {
  test(`${name} is the caller's fault`, async () => {
    const { code, errors } = await run("--checkpoint", "0x11", ...args, "http://localhost:1");
    assert.equal(code, 2);
    assert.match(errors, problem);
  });
}

const verdicts = (answers) => answers.map(({ verdict }) => verdict);

const OPTIONS = (beacons = [beacon]) => [
  ...["--checkpoint", served.checkpoint, "--max-checkpoint-age", "100000", "--account", USDC],
  ...beacons.flatMap((url) => ["--beacon", url]),
];

async function check(...args) {
  const { code, out } = await run("--json", ...OPTIONS(), ...args);
  return { code, report: JSON.parse(out) };
}

function run(...args) {
  const child = spawn(process.execPath, [here("../src/main.mjs"), ...args]);
  let [out, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, errors })));
}

/** A server of both kinds; `answer` gives results of methods, `change` may change bytes of the beacon node. */
function serve(answer, change = (bytes) => bytes) {
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      const found = served.beacon(request.url, false);
      response.writeHead(found ? 200 : 404, { "content-type": "application/octet-stream" });
      return response.end(found && change(found));
    }
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      const { id, method, params } = JSON.parse(body);
      const result = answer(method, params);
      const error = { code: -32000, message: "not recorded" };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) }),
      );
    });
  });
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}
