/** Serves a recorded case over HTTP, and to clients with a `fetch` of their own. */

import { createServer } from "node:http";

import { EthereumClient, type EthereumOptions } from "../../src/ethereum.js";
import { listen as start } from "../listen.js";
import { answerEach } from "./batches.js";
import type { Served } from "./serve.js";

/** A request: a path of the Beacon API, or a method with its parameters. */
export type Asked =
  { path: string; json: boolean } | { method: string; params: readonly unknown[] };

/** Answers a request with bytes or JSON; `undefined` if the case has no answer. */
export type Answers = (asked: Asked) => unknown;

/** The answers of honest servers; `json` if the beacon node has no SSZ. */
export const honest =
  (served: Served, json = false): Answers =>
  (asked) =>
    "path" in asked
      ? served.beacon(asked.path, json || asked.json)
      : served.execution(asked.method, asked.params);

interface Reply {
  status: number;
  type: string;
  body: Uint8Array | string;
}

async function replyTo(
  answers: Answers,
  path: string,
  accept: string,
  body: string | undefined,
): Promise<Reply> {
  const json = (value: unknown): Reply => ({
    status: 200,
    type: "application/json",
    body: JSON.stringify(value),
  });
  if (body !== undefined) {
    const replies = await answerEach(body, ({ id, method, params }) => {
      const result = answers({ method, params });
      if (result !== undefined) return { jsonrpc: "2.0", id, result };
      return { jsonrpc: "2.0", id, error: { code: -32000, message: "not recorded" } };
    });
    return json(replies);
  }
  const found = answers({ path, json: !accept.includes("octet-stream") });
  if (found === undefined) return { status: 404, type: "text/plain", body: "not recorded" };
  if (!(found instanceof Uint8Array)) return json(found);
  return { status: 200, type: "application/octet-stream", body: found };
}

/** Servers without a network: a `fetch` for the hosts `beacon.test` and `execution.test`. */
export const fetchOf =
  (answers: Answers): typeof fetch =>
  async (input, init) => {
    const { pathname, search } = new URL(input as URL);
    const accept = new Headers(init?.headers).get("accept") ?? "";
    const { status, type, body } = await replyTo(
      answers,
      pathname + search,
      accept,
      init?.body as string | undefined,
    );
    return new Response(body as BodyInit, { status, headers: { "content-type": type } });
  };

/** Starts one server for both kinds of questions. */
export function listen(answers: Answers) {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = request.method === "POST" ? Buffer.concat(parts).toString() : undefined;
      const accept = request.headers.accept ?? "";
      void replyTo(answers, request.url ?? "", accept, body).then(({ status, type, body }) => {
        response.writeHead(status, { "content-type": type });
        response.end(body);
      });
    });
  });
  return start(server);
}

/** Recorded checkpoints may be many periods older than their blocks. */
export const MAX_AGE = 3650 * 24 * 3600 * 1000;

/** A client of one server of each kind, at the time of the case. */
export const connect = (
  served: Served,
  answers: Answers,
  options: Partial<EthereumOptions> = {},
): Promise<EthereumClient> =>
  EthereumClient.connect({
    network: served.network,
    ...(options.state ? {} : { checkpoint: served.checkpoint }),
    beacon: ["http://beacon.test"],
    execution: ["http://execution.test"],
    maxCheckpointAge: MAX_AGE,
    now: () => served.now,
    fetch: fetchOf(answers),
    ...options,
  });
