// What passes through is not changed by a byte; what is no lie is not passed off as the truth.

import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";

import { afterAll, beforeAll, expect, test } from "vitest";

import { readHeader, writeHeader } from "../src/header.mjs";
import { lies } from "../src/lies/index.mjs";
import { readProof, writeProof } from "../src/proof.mjs";
import { startProxy } from "../src/proxy.mjs";
import vectors from "../../../test-vectors/chain/state_answer.json" with { type: "json" };

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

test("headers and proofs are put together as they were", () => {
  const valid = vectors.testGroups
    .flatMap(({ tests }) => tests)
    .filter(({ result }) => result === "valid");
  expect(valid.length).toBeGreaterThan(0);
  for (const { input } of valid) {
    const [head, proof] = [input.head, input.proof].map((hex) => Buffer.from(hex.slice(2), "hex"));
    expect(writeHeader(readHeader(head))).toEqual(head);
    expect(writeProof(readProof(proof))).toEqual(proof);
  }
});
