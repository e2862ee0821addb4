// `node sample.mjs CLIENT RECORDING [LATENCY]`: asks each call of a recording once and again, and prints the processor time, the
// bytes, the requests and, with a latency in milliseconds for each reply, the time on the clock.

import { readFileSync, writeFileSync } from "node:fs";

import { NOW } from "./chain.mjs";

const [, , name, file, latency = "0"] = process.argv;
const recording = JSON.parse(readFileSync(file, "utf8"));
const sent = { bytes: 0, requests: 0 };
const encoder = new TextEncoder();
let added = false;

/** The reply to one call: recorded, or else from anvil. */
async function replyOf({ method, params }) {
  const key = JSON.stringify([method, params]);
  if (!(key in recording.execution)) {
    if (!recording.url) throw new Error(`not recorded: ${key}`);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const response = await network(recording.url, { method: "POST", headers, body });
    const { result, error } = await response.json();
    recording.execution[key] = error ? { error } : { result };
    added = true;
  }
  return recording.execution[key];
}

const network = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { url } = request;
  // The WebAssembly of Helios is in its file.
  if (url.startsWith("data:") || url.startsWith("file:")) return network(input, init);
  const { pathname, hostname } = new URL(url);
  const replying = async () => {
    if (hostname === "beacon.test") {
      const reply = recording.beacon[pathname];
      if (!reply) return ["not found", "text/plain", 404];
      const binary =
        (request.headers.get("accept") ?? "").includes("octet-stream") && "ssz" in reply;
      if (binary) return [Buffer.from(reply.ssz, "base64"), "application/octet-stream", 200];
      return [encoder.encode(reply.json), "application/json", 200];
    }
    const asked = JSON.parse(await request.text());
    const answer = async (call) => ({ jsonrpc: "2.0", id: call.id, ...(await replyOf(call)) });
    const batch = Array.isArray(asked);
    const replies = batch ? await Promise.all(asked.map(answer)) : await answer(asked);
    return [encoder.encode(JSON.stringify(replies)), "application/json", 200];
  };
  const [body, type, status] = await replying();
  if (latency !== "0") await new Promise((resolve) => setTimeout(resolve, Number(latency)));
  sent.bytes += body.length;
  sent.requests += 1;
  const headers = { "content-type": type, "eth-consensus-version": "electra" };
  const response = new Response(body, { status, headers });
  return Object.defineProperty(response, "url", { value: url });
};

const HELIOS = "../ethereum/node_modules/@a16z/helios/dist/lib.mjs";
const results = {};

/** What a question costs. */
async function measure(name, run) {
  const [cpu, before, start] = [process.cpuUsage(), { ...sent }, performance.now()];
  const value = await run();
  const { user, system } = process.cpuUsage(cpu);
  const [bytes, requests] = [sent.bytes - before.bytes, sent.requests - before.requests];
  const clock = performance.now() - start;
  results[name] = { milliseconds: (user + system) / 1000, bytes, requests, clock };
  return value;
}

const servers = [recording.checkpoint, "http://beacon.test", "http://execution.test"];

/** Loads a client, and starts it from the checkpoint. */
const STARTS = {
  async ours([checkpoint, beacon, execution]) {
    const { createProvider } = await import("prooflight/provider");
    Date.now = () => NOW;
    const options = { network: "mainnet", checkpoint, beacon: [beacon], execution: [execution] };
    const provider = createProvider(options);
    await provider.request({ method: "eth_blockNumber" });
    return provider;
  },
  async helios([checkpoint, consensusRpc, executionRpc]) {
    const { createHeliosProvider } = await import(HELIOS);
    Date.now = () => NOW;
    const options = {
      network: "mainnet",
      checkpoint,
      dbType: "config",
      consensusRpc,
      executionRpc,
    };
    const provider = await createHeliosProvider(options, "ethereum");
    await provider.waitSynced();
    return provider;
  },
};

const provider = await measure("to the first head", () => STARTS[name](servers));
for (const { title, method, params } of recording.calls) {
  const ask = () => provider.request({ method, params });
  const value = await measure(title, ask);
  results[title].value = value;
  await measure(`${title}, again`, ask);
}
if (added) writeFileSync(file, JSON.stringify(recording));
process.stdout.write(JSON.stringify(results), () => process.exit(0));
