// What passes through is not changed by a byte; what is no lie is not passed off as the truth.

import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { readHeader, writeHeader } from "../src/header.mjs";
import { lies } from "../src/lies/index.mjs";
import * as lmpt from "../src/lmpt.mjs";
import * as lvmt from "../src/lvmt.mjs";
import { readProof, writeProof } from "../src/proof.mjs";
import { startProxy } from "../src/proxy.mjs";
import * as smt from "../src/smt.mjs";
import lmptProofs from "../../../test-vectors/lmpt/proof.json" with { type: "json" };
import lvmtProofs from "../../../test-vectors/lvmt/proof.json" with { type: "json" };
import smtDiffs from "../../../test-vectors/smt/diff.json" with { type: "json" };
import smtHistories from "../../../test-vectors/smt/history.json" with { type: "json" };
import smtProofs from "../../../test-vectors/smt/proof.json" with { type: "json" };
import vectors from "../../../test-vectors/chain/state_answer.json" with { type: "json" };
import { whole } from "../../../test-vectors/schema/whole.mjs";

/** Answers with what it was asked, and upgrades to a protocol that repeats everything. */
const node = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const { method, url, headers } = request;
  const body = Buffer.concat(parts).toString();
  response.end(JSON.stringify({ method, url, token: headers.authorization, body }));
});
node.on("upgrade", (_request, socket) => {
  socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n");
  socket.pipe(socket);
});

let proxy;
beforeAll(async () => {
  await once(node.listen(0, "127.0.0.1"), "listening");
  proxy = await startProxy({ target: `http://127.0.0.1:${node.address().port}` });
});
afterAll(async () => {
  await proxy.close();
  node.closeAllConnections();
  node.close();
});

test.each(["/", "/honest", "/honest/2"])("%s passes requests through", async (path) => {
  const body = '{ "jsonrpc": "2.0", "id": 1 }';
  const headers = { authorization: "Bearer token" };
  const response = await fetch(proxy.url + path, { method: "POST", headers, body });
  expect(await response.json()).toEqual({ method: "POST", url: "/", token: "Bearer token", body });
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
});

test.each(["/", "/html"])("%s passes upgrades through", async (path) => {
  const { hostname, port } = new URL(proxy.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n`);
  const [head] = await once(socket, "data");
  expect(head.toString()).toMatch(/^HTTP\/1\.1 101 /);
  socket.write("hello");
  expect(String(await once(socket, "data"))).toBe("hello");
  socket.destroy();
});

test("a lie that does not exist is not the truth", async () => {
  const response = await fetch(`${proxy.url}/honesty`, { method: "POST", body: "{}" });
  expect(response.status).toBe(404);
});

test("/lies has what a person needs to choose one", async () => {
  const response = await fetch(`${proxy.url}/lies`);
  const listed = await response.json();
  expect(listed).toHaveLength(lies.length);
  for (const lie of listed) {
    expect(Object.keys(lie)).toEqual(["name", "title", "explanation", "code", "reason"]);
    expect(lie.name).toMatch(/^[a-z0-9]+(-[a-zA-Z0-9]+)*$/);
    expect(lie.explanation).toMatch(/^[A-Z].*\.$/);
  }
});

const bytes = (hex) => Buffer.from(hex.slice(2), "hex");

/** The inputs of a file's valid tests. */
function validInputs(file) {
  const tests = whole(file).testGroups.flatMap(({ tests }) => tests);
  const inputs = tests.filter(({ result }) => result === "valid").map(({ input }) => input);
  expect(inputs.length).toBeGreaterThan(0);
  return inputs;
}

test("headers and proofs are put together as they were", () => {
  for (const input of validInputs(vectors)) {
    const [head, proof] = [bytes(input.head), bytes(input.proof)];
    expect(writeHeader(readHeader(head))).toEqual(head);
    expect(writeProof(readProof(proof))).toEqual(proof);
  }
});

describe("proofs are put together as they were", () => {
  /** What valid vectors have, with the proof as bytes. */
  const inputsOf = (file) =>
    validInputs(file).map((input) => ({ ...input, proof: bytes(input.proof) }));

  test("of lmpt, with the leaf of a value", () => {
    const leaves = inputsOf(lmptProofs).flatMap(({ proof, keys }) => {
      const layers = lmpt.readProof(proof);
      expect(lmpt.writeProof(layers)).toEqual(proof);
      return Object.values(layers).flatMap((nodes) => {
        const leaf = nodes.length > 1 && lmpt.leafOf(nodes, bytes(keys[0]));
        return leaf ? [[lmpt.writeLeaf(leaf), nodes.at(-1)]] : [];
      });
    });
    expect(leaves.length).toBeGreaterThan(0);
    for (const [written, read] of leaves) expect(written).toEqual(read);
  });

  test("of lvmt", () => {
    for (const { proof } of inputsOf(lvmtProofs)) {
      expect(lvmt.writeProof(lvmt.readProof(proof))).toEqual(proof);
    }
  });

  test("of one key by smt", () => {
    for (const { proof, keys, height } of inputsOf(smtProofs)) {
      if (new Set(keys).size !== 1) continue;
      const root = smt.readKeyProof(proof, bytes(keys[0]), Number(height));
      expect(smt.writeKeyProof(root, Number(height))).toEqual(proof);
    }
  });

  test("of histories", () => {
    for (const { proof, key, from, to } of inputsOf(smtHistories)) {
      const parts = smt.readHistory(proof, bytes(key), Number(from), Number(to));
      expect(smt.writeHistory(parts)).toEqual(proof);
    }
  });

  test("of diffs, whose nodes hash to the root", () => {
    for (const { proof, from, to, root } of inputsOf(smtDiffs)) {
      const after = from === undefined || from === null ? undefined : Number(from);
      const tree = smt.readDiff(proof, after, Number(to));
      expect(smt.writeDiff(tree, Number(to))).toEqual(proof);
      if (tree) expect(smt.hashOf(tree)).toEqual(bytes(root));
    }
  });
});
