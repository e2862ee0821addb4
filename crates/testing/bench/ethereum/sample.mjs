// `node sample.mjs CASE`, one sample of bench.mjs: prints the processor time, the bytes and the requests of each question as JSON.

import { runnerImport } from "vite";

import { inside } from "../../../../scripts/lib/paths.mjs";

const tests = inside("packages", "prooflight", "test", "ethereum", "recorded.ts");
const { module } = await runnerImport(tests);
const [, , name] = process.argv;
const served = await module.serve(module.readCases().find((one) => one.name === name));
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

/** Recorded replies as bytes, made before anything is measured. */
function serverOf({ beacon, execution }) {
  const replies = new Map();
  const total = { bytes: 0, requests: 0 };
  const reply = (name, make) => {
    if (!replies.has(name)) replies.set(name, make());
    return replies.get(name);
  };
  const send = (url, init) => {
    const { pathname, search } = new URL(url);
    let bytes, type;
    if (init.method === "POST") {
      const { id, method, params } = JSON.parse(init.body);
      type = "application/json";
      const result = reply(JSON.stringify([method, params]), () =>
        JSON.stringify(execution(method, params)),
      );
      bytes = new TextEncoder().encode(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
      );
    } else {
      type = "application/octet-stream";
      bytes = reply(pathname + search, () => beacon(pathname + search, false));
    }
    total.bytes += bytes.length;
    total.requests += 1;
    return Promise.resolve(new Response(bytes, { headers: { "content-type": type } }));
  };
  return { send, total };
}

const { EthereumClient, init } = await import("prooflight/ethereum");
const results = {};

async function measure(name, total, run) {
  const [cpu, before] = [process.cpuUsage(), { ...total }];
  const result = await run();
  const { user, system } = process.cpuUsage(cpu);
  const [bytes, requests] = [total.bytes - before.bytes, total.requests - before.requests];
  results[name] = { milliseconds: (user + system) / 1000, bytes, requests };
  return result;
}

const connect = ({ checkpoint, now }, { send }, state) =>
  EthereumClient.connect({
    network: "mainnet",
    ...(state ? { state } : { checkpoint }),
    beacon: ["http://beacon.test"],
    execution: ["http://execution.test"],
    maxCheckpointAge: 60 * 24 * 3600 * 1000,
    now: () => now,
    fetch: send,
  });

const none = { bytes: 0, requests: 0 };
await measure("the binary is compiled", none, () => init());
if (name === "eth_call1") {
  const server = serverOf(served);
  const start = () => connect(served, server);
  const client = await measure("cold start: two committees, one head", server.total, start);
  await measure("a block's header", server.total, () => client.block("latest"));
  await measure("an account", server.total, () => client.account(USDC));
} else {
  const server = serverOf(served);
  const { number } = served;
  const { hash } = served.execution("eth_getBlockByNumber", [`0x${number.toString(16)}`, true]);
  const receipts = served.execution("eth_getBlockReceipts", [hash]);
  const { transactionHash, logs } = receipts.find(({ logs }) => logs.length > 0);
  const range = { from: number, to: number };
  const start = () => connect(served, server);
  const client = await measure("cold start: six committees, one head", server.total, start);
  await measure("the next head", server.total, () => client.sync());
  await client.block("latest");
  await measure("a receipt", server.total, () => client.receipt(transactionHash));
  await measure("all receipts of a block, again", server.total, () => client.receipts("latest"));
  const [{ address }] = logs;
  await measure("logs of a contract in one block", server.total, () =>
    client.logs({ address, ...range }),
  );
  const state = client.export();
  const resume = () => connect(served, server, state);
  const again = await measure("start from a state", server.total, resume);
  await measure("a block's header, again", server.total, () => again.block("latest"));
}
process.stdout.write(JSON.stringify(results));
