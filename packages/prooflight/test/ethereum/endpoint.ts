/** The endpoint of `prooflight eth serve`, over an executed chain. */

import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";

import { afterAll, expect } from "vitest";

import { Endpoint, type EndpointLimits } from "../../src/cli/ethereum/serve/endpoint.js";
import { Guard, type GuardOptions } from "../../src/cli/ethereum/serve/guard.js";
import { createEndpointServer } from "../../src/cli/ethereum/serve/http.js";
import type { StartGate } from "../../src/cli/ethereum/serve/queue.js";
import {
  acceptSockets,
  loadSockets,
  type SocketLimits,
} from "../../src/cli/ethereum/serve/socket.js";
import { SubscriptionTable } from "../../src/cli/ethereum/serve/subscriptions.js";
import type { Eip1193Provider } from "../../src/provider.js";
import { listen as start } from "../listen.js";
import type { ExecutionChain } from "./execution-chain.js";
import { type Answer, hashOf, providerOf } from "./provider-of.js";

/** What ends with the file's tests. */
export const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

export interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends a request as it is: `fetch` would not send every header. */
export async function send(url: string, sent: Sent): Promise<Received> {
  const { method = sent.body === undefined ? "GET" : "POST", path = "/", headers = {} } = sent;
  const sending = request(new URL(path, url), { method, headers });
  sending.end(sent.body);
  const [response] = (await once(sending, "response")) as [NodeJS.ReadableStream & Received];
  let text = "";
  for await (const part of response) text += String(part);
  const { headers: received } = response;
  return {
    status: (response as unknown as { statusCode: number }).statusCode,
    headers: received,
    text,
  };
}

export interface Reply {
  jsonrpc: string;
  id: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

/** Posts a body, which is text or JSON, and gives the JSON that came with status 200. */
export async function post(url: string, body: unknown): Promise<unknown> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const reply = await send(url, { body: text });
  expect(reply.status).toBe(200);
  expect(reply.headers["content-type"]).toBe("application/json");
  return JSON.parse(reply.text);
}

export const rpc = (method: string, ...params: unknown[]) => ({
  jsonrpc: "2.0",
  id: 7,
  method,
  params,
});

export const ask = async (url: string, method: string, ...params: unknown[]): Promise<Reply> =>
  post(url, rpc(method, ...params)) as Promise<Reply>;

export interface Served {
  limits?: Partial<EndpointLimits>;
  gate?: StartGate;
  guard?: GuardOptions;
  sockets?: Partial<SocketLimits>;
}

/** Serves a provider on any free port. */
export async function serving(
  provider: Eip1193Provider,
  { limits, gate, guard: allowed, sockets }: Served = {},
) {
  const endpoint = new Endpoint(provider, { ...(limits && { limits }), ...(gate && { gate }) });
  const guard = new Guard(allowed);
  const server = createEndpointServer({
    endpoint,
    guard,
    welcome: "a line for people",
    health: () => ({ ok: true }),
  });
  const module = await loadSockets();
  if (!module) throw new Error("no ws");
  const subscriptions = new SubscriptionTable({ on: () => undefined, ...provider });
  closing.push(acceptSockets(server, { endpoint, guard, subscriptions }, module, sockets));
  const { url, close } = await start(server);
  closing.push(close);
  return url;
}

/** The contract that has the hashes of earlier blocks (EIP-2935). */
export const HISTORY = "0x0000f90827f1c53a10cb7a02335b175320002935";
export const RICH = "0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f";
export const HEAD = 0x36;
export const word = (number: number) => `0x${number.toString(16).padStart(64, "0")}` as const;

/** A provider of the chain, whose servers answer as a test wants. */
export const servedProvider = (chain: ExecutionChain, answer?: Answer) =>
  providerOf(chain, { fork: "osaka", maxWalk: 64, heads: { latest: hashOf(chain, HEAD) } }, answer)
    .provider;
