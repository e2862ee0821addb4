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

test("what a server says cannot write lines of its own, nor colours", async () => {
  const forged = "no\r\u001b[2K\u001b[32m✔ https://liar.example  2 of 2 verified\u001b[0m";
  const worse = "\nBlock 1\u009b1A\u202e\u2028\u007f";
  const url = await serve(({ id }) =>
    JSON.stringify({ jsonrpc: "2.0", id, error: { code: 1, message: forged + worse } }),
  );
  const named = join(folder, "\u001b[32mliar.json");
  writeFileSync(named, JSON.stringify([{ ...answers[0], nonce: forged }]));
  for (const json of [[], ["--json"]]) {
    const { code, out } = await run(...json, "--trust", TRUST, honest, url, named);
    assert.equal(code, 1);
    assert.match(out, /liar\.example/);
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
    const lines = out.split("\n").filter((line) => /^\s*(✔ https|Block 1$)/.test(line));
    assert.deepEqual(lines, []);
  }
});

test("an error in words has no characters that a terminal obeys either", async () => {
  const file = join(folder, "\u001b[32mtrust.json");
  writeFileSync(file, '{"\u001b[2K": 1');
  const { code, errors } = await run("--trust", file, honest);
  assert.equal(code, 2);
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(errors, /[\u0000-\u0009\u000b-\u001f]/);
});

const trusted = JSON.parse(readFileSync(TRUST, "utf8"));
const { headerRlp: _, ...withoutRoot } = trusted;
const stateRoot = "0x7b3d5a01f69b7d2ea7479fd7ae35f4bac2700ab6d6d7b4807a7fedf53ced710e";

for (const [name, content, problem] of [
  ["no questions", { ...trusted, questions: [] }, /questions/],
  ["no list of questions", { ...trusted, questions: undefined }, /questions/],
  ["questions that are none", { ...trusted, questions: [null] }, /questions\[0\]/],
  [
    "a question without an address",
    { ...trusted, questions: [{ slots: [] }] },
    /questions\[0\]\.address/,
  ],
  [
    "a question about half an address",
    { ...trusted, questions: [{ address: "0x11" }] },
    /questions\[0\]\.address/,
  ],
  [
    "a question about a slot that is none",
    { ...trusted, questions: [{ address: answers[0].address, slots: ["x"] }] },
    /questions\[0\]\.slots\[0\]/,
  ],
  ["neither a state root nor a header", withoutRoot, /stateRoot or headerRlp/],
  ["a state root and a header", { ...trusted, stateRoot }, /stateRoot or headerRlp/],
  ["half a state root", { ...withoutRoot, stateRoot: "0x7b3d" }, /stateRoot/],
  ["no number", { ...trusted, number: undefined }, /number/],
  ["a number that is none", { ...withoutRoot, stateRoot, number: "newest" }, /number/],
  ["a header without its hash", { ...trusted, hash: undefined }, /hash/],
  ["a list", [trusted], /object/],
  ["null", null, /object/],
]) {
  test(`a trust file with ${name} is the caller's fault`, async () => {
    const file = join(folder, "trust.json");
    writeFileSync(file, JSON.stringify(content));
    const { code, out, errors } = await run("--trust", file, honest);
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(errors, problem);
    assert.match(errors, /Usage/);
  });
}

test("a state root that is trusted is enough", async () => {
  const file = join(folder, "trust.json");
  writeFileSync(file, JSON.stringify({ ...withoutRoot, stateRoot }));
  const { code } = await run("--trust", file, honest);
  assert.equal(code, 0);
});

for (const [name, content] of [
  ["is not there", undefined],
  ["is no JSON", "<html>"],
  ["has no list", "{}"],
]) {
  test(`a file of answers that ${name} is the caller's fault`, async () => {
    const file = join(folder, `${name}.json`);
    if (content !== undefined) writeFileSync(file, content);
    const { code, errors } = await run("--trust", TRUST, honest, file);
    assert.equal(code, 2);
    assert.match(errors, /Usage/);
  });
}

for (const timeout of ["soon", "-1", "0"]) {
  test(`a timeout of ${timeout} is the caller's fault`, async () => {
    const { code, errors } = await run("--trust", TRUST, "--timeout", timeout, honest);
    assert.equal(code, 2);
    assert.match(errors, /--timeout/);
  });
}

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
