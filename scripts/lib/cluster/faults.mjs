// A proxy before the S3 server that delays, refuses, loses and cuts short, by chances from a seed.

import { Agent, createServer, request as ask } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** The share of requests with each fault; the others are only delayed. */
const SHARES = { refused: 0.05, full: 0.05, cut: 0.05, unanswered: 0.05, late: 0.02 };
const LATE_MILLISECONDS = 1000;

/**
 * Starts the proxy; every request takes `delay` milliseconds more. Faults are between `begin` and `calm`. `seen`
 * gets the method of every request without a fault, and how many milliseconds it took.
 */
export async function startFaults({ target, delay, random, seen = () => undefined }) {
  const agent = new Agent({ keepAlive: true });
  const counts = {};
  let faulty = false;
  const answer = async (request, response) => {
    const came = performance.now();
    const body = Buffer.concat(await request.toArray());
    const fault = faulty ? choose(random(), request.method) : undefined;
    if (fault) counts[fault] = (counts[fault] ?? 0) + 1;
    // A timer of 0 milliseconds takes 1.
    if (delay > 0) await sleep(delay);
    if (fault === "refused") return refuse(response, 503, "SlowDown");
    if (fault === "full") return refuse(response, 507, "InsufficientStorage");
    // The write takes effect after its sender was told that it failed.
    if (fault === "late") {
      refuse(response, 503, "SlowDown");
      await sleep(LATE_MILLISECONDS);
      return void (await forward(target, agent, request, body));
    }
    const { status, headers, bytes } = await forward(target, agent, request, body);
    if (fault === "unanswered") return response.destroy();
    if (!fault) seen(request.method, performance.now() - came);
    response.writeHead(status, headers);
    if (fault !== "cut" || bytes.length === 0) return response.end(bytes);
    return response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    counts,
    begin: () => void (faulty = true),
    calm: () => void (faulty = false),
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The fault of a request, if it has one: a read cannot be full or late, nor a write cut short. */
function choose(chance, method) {
  const possible =
    method === "GET" ? ["refused", "cut"] : ["refused", "full", "unanswered", "late"];
  let sum = 0;
  return possible.find((name) => chance < (sum += SHARES[name]));
}

function refuse(response, status, code) {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<Error><Code>${code}</Code></Error>`);
}

/** The server's answer. The signature covers the headers, so they are passed on as they are. */
function forward(target, agent, { method, url, headers }, body) {
  return new Promise((resolve, reject) => {
    const to = new URL(target);
    const place = { host: to.hostname, port: to.port, path: url };
    const sent = ask({ ...place, method, headers, agent }, async (found) => {
      try {
        const bytes = Buffer.concat(await found.toArray());
        resolve({ status: found.statusCode, headers: found.headers, bytes });
      } catch (error) {
        reject(error);
      }
    });
    sent.once("error", reject).end(body);
  });
}
