// A node for the projects' light clients, a liar in front of it, and a server that redirects to it.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { startProxy } from "../../lying-proxy/src/proxy.mjs";
import { node } from "../../../scripts/lib/paths.mjs";

const program = process.env.PROOFLIGHT_NODE ?? node;

const hex = (text) => `0x${Buffer.from(text).toString("hex")}`;

/** Calls `body` with the inputs of a light client: URLs and the checkpoint of a chain with one account. */
export async function withChain(folder, body) {
  const data = join(folder, "chain");
  const state = join(folder, "state.jsonl");
  writeFileSync(state, JSON.stringify({ key: hex("account/alice"), value: hex("12.50") }));
  const begin = ["init", "--data-dir", data, "--schemes", "avl,lvmt,smt", "--lvmt-log-n", "4"];
  execFileSync(program, [...begin, "--state", state]);
  const checkpoint = JSON.parse(execFileSync(program, ["checkpoint", "--data-dir", data]));
  const options = ["--listen", "127.0.0.1:0", "--log-format", "json"];
  const child = spawn(program, ["run", "--data-dir", data, ...options], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  try {
    const url = `http://${await addressOf(child)}`;
    const proxy = await startProxy({ target: url });
    const redirects = await startRedirecting(url);
    try {
      await body({
        url,
        lying: `${proxy.url}/changed-value`,
        redirecting: redirects.url,
        checkpoint,
      });
    } finally {
      await proxy.close();
      redirects.close();
    }
  } finally {
    child.kill();
    await exited;
  }
}

/** Resolves to the node's address once it listens. */
async function addressOf(child) {
  const log = [];
  for await (const line of createInterface(child.stderr)) {
    log.push(line);
    const { fields } = JSON.parse(line);
    if (fields.message !== "serving" || !fields.address) continue;
    child.stderr.resume();
    return fields.address;
  }
  throw new Error(`the node does not run:\n${log.join("\n")}`);
}

async function startRedirecting(url) {
  const server = createServer((request, response) => {
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    const redirect = request.method === "POST" ? { location: url } : {};
    response.writeHead(request.method === "POST" ? 307 : 204, { ...cors, ...redirect }).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
