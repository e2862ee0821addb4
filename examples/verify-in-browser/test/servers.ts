// The recorded answers of the page, served over HTTP on this machine, as a beacon node and an execution node.

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import {
  type About,
  type Answers,
  type Block,
  type Receipt,
  serving,
} from "../src/ethereum/recorded.js";

const file = (name: string) =>
  readFileSync(new URL(`../public/ethereum/receipt/${name}`, import.meta.url));
const bytes = (name: string) => new Uint8Array(file(name));
const json = (name: string): unknown => JSON.parse(file(name).toString());

/** The recorded answers. */
export const readAnswers = (): Answers => ({
  about: json("about.json") as About,
  bootstrap: bytes("bootstrap.ssz"),
  updates: bytes("updates.ssz"),
  finality: bytes("finality_update.ssz"),
  optimistic: bytes("optimistic_update.ssz"),
  block: json("block.json") as Block,
  receipts: json("receipts.json") as Receipt[],
  state: undefined,
});

/** A server that web pages may ask; `asked` are the paths and methods. */
export async function listen(answers: Answers) {
  const asked: string[] = [];
  const answer = serving(answers);
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") {
      response.end();
      return;
    }
    void (async () => {
      const body = request.method === "POST" ? await bodyOf(request) : undefined;
      const url = new URL(request.url ?? "", "http://localhost");
      asked.push(
        body === undefined ? url.pathname : (JSON.parse(body) as { method: string }).method,
      );
      const reply = await answer(url, body === undefined ? {} : { method: "POST", body });
      response.writeHead(reply.status, Object.fromEntries(reply.headers));
      response.end(new Uint8Array(await reply.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
