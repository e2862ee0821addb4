// `node crates/testing/bench/ethereum/day.mjs`: a day of logs of a rare address with a rare topic, from simulated servers.
//
// The chain has 7,200 headers. Each is one that was recorded on mainnet, with its number, time and parent changed. The blocks
// whose blooms may match are the recorded ones with receipts, spread over 3.8 % of the day; none has a matching log.
// PROOFLIGHT_ETHEREUM_MAINNET names a folder of other recorded cases.

import { keccak_256 } from "@noble/hashes/sha3.js";
import { runnerImport } from "vite";

import { inside } from "../../../../scripts/lib/paths.mjs";
import { main } from "../../../../scripts/lib/task.mjs";
import { say, table } from "../../../../scripts/lib/terminal.mjs";

/** Blocks of a day, and the share of them whose blooms may match; measured on 64 recorded blocks. */
const DAY = 7200;
const SHARE = 0.038;

const dist = (name) => import(inside("packages", "prooflight", "dist", ...name.split("/")));
const load = (name) =>
  runnerImport(inside("packages", "prooflight", "test", "ethereum", `${name}.ts`));

/** The recorded blocks: their JSON with hashes, and their receipts if there are some. */
async function recordedBlocks() {
  const { module } = await load("recorded");
  const all = [];
  for (const one of module.readCases()) {
    const served = await module.serve(one);
    if (typeof served === "string") continue;
    const block = served.execution("eth_getBlockByNumber", [quantity(served.number), false]);
    all.push({ block, receipts: served.execution("eth_getBlockReceipts", [block.hash]) });
  }
  return all;
}

const keccak256 = (bytes) => `0x${Buffer.from(keccak_256(bytes)).toString("hex")}`;

const quantity = (number) => `0x${number.toString(16)}`;

/** Whether a bloom may contain bytes. */
function mayContain(bloom, bytes) {
  const [bits, hash] = [BigInt(bloom), keccak256(Buffer.from(bytes.slice(2), "hex"))];
  return [2, 6, 10].every((at) => {
    const bit = parseInt(hash.slice(at, at + 4), 16) & 0x7ff;
    return (bits >> BigInt(bit)) & 1n;
  });
}

/** An address and a topic that the blooms of some blocks do not exclude, while those of all others do. */
function rareFilter(some, others) {
  const found = (length, from) => {
    for (let count = from; ; count++) {
      const bytes = `0x${count.toString(16).padStart(2 * length, "0")}`;
      if (some.every(({ block }) => mayContain(block.logsBloom, bytes))) return { bytes, count };
    }
  };
  const { bytes: topic } = found(32, 1);
  for (let at = 1; ; at++) {
    const { bytes: address, count } = found(20, at);
    const excludes = ({ block }) =>
      !mayContain(block.logsBloom, address) || !mayContain(block.logsBloom, topic);
    if (others.every(excludes)) return { address, topics: [topic] };
    at = count;
  }
}

/** A day's blocks, linked by their hashes. */
async function makeDay(some, others) {
  const [{ encodeHeader }, { Given }] = [
    await dist("ethereum/encode.js"),
    await dist("ethereum/json.js"),
  ];
  const every = Math.round(1 / SHARE);
  const first = 22_000_000;
  let parentHash = `0x${"00".repeat(32)}`;
  return Array.from({ length: DAY }, (_, at) => {
    const mayMatch = at % every === every - 1;
    const from = mayMatch ? some : others;
    const { block, receipts } = from[Math.floor(at / (mayMatch ? every : 1)) % from.length];
    const number = quantity(first + at);
    const timestamp = quantity(1_740_000_000 + 12 * at);
    const json = { ...block, number, timestamp, parentHash };
    json.hash = keccak256(encodeHeader(new Given(json, "the block")));
    parentHash = json.hash;
    const header = { ...json };
    for (const name of ["transactions", "uncles", "withdrawals"]) delete header[name];
    return { json, header, receipts: mayMatch ? receipts : undefined };
  });
}

/** Replies as bytes, made before anything is measured. */
function serverOf(day, hasHeaders) {
  const bytesOf = (value) =>
    new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id: 1, result: value }));
  const none = new TextEncoder().encode(
    JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no such method" } }),
  );
  const kept = new Map();
  const replies = new Map();
  for (const { json, header, receipts } of day) {
    replies.set(`eth_getBlockByHash ${json.hash}`, bytesOf(json));
    if (hasHeaders) replies.set(`eth_getHeaderByNumber ${json.number}`, bytesOf(header));
    else replies.set(`eth_getBlockByNumber ${json.number}`, bytesOf(json));
    if (!receipts) continue;
    if (!kept.has(receipts)) kept.set(receipts, bytesOf(receipts));
    replies.set(`eth_getBlockReceipts ${json.hash}`, kept.get(receipts));
  }
  const total = { bytes: 0, requests: 0 };
  const send = (_, { body }) => {
    const { method, params } = JSON.parse(body);
    const bytes = replies.get(`${method} ${params[0]}`) ?? none;
    total.bytes += bytes.length;
    total.requests += 1;
    return Promise.resolve(
      new Response(bytes, { headers: { "content-type": "application/json" } }),
    );
  };
  return { send, total };
}

await main(async () => {
  const all = await recordedBlocks();
  const some = all.filter(({ receipts }) => receipts);
  const filter = rareFilter(
    some,
    all.filter(({ receipts }) => !receipts),
  );
  const day = await makeDay(
    some,
    all.filter(({ receipts }) => !receipts),
  );
  const { createProvider } = await dist("inline/provider.js").catch(
    () => import("prooflight/provider"),
  );
  const rows = [];
  for (const hasHeaders of [true, false]) {
    const { send, total } = serverOf(day, hasHeaders);
    const provider = createProvider({
      chainId: 1,
      heads: { latest: day.at(-1).json.hash },
      execution: ["http://execution.test"],
      maxLogBytes: 2 ** 31,
      fetch: send,
    });
    await provider.request({ method: "eth_blockNumber" });
    const [cpu, before, started] = [process.cpuUsage(), { ...total }, performance.now()];
    const params = [{ ...filter, fromBlock: day[0].json.number, toBlock: "latest" }];
    const logs = await provider.request({ method: "eth_getLogs", params });
    const { user, system } = process.cpuUsage(cpu);
    rows.push([
      hasHeaders ? "  with eth_getHeaderByNumber" : "  without",
      `${((user + system) / 1e6).toFixed(1)} s of processor time`,
      `${((performance.now() - started) / 1000).toFixed(1)} s`,
      `${((total.bytes - before.bytes) / 1e6).toFixed(1)} MB`,
      `${total.requests - before.requests} requests`,
      `${logs.length} logs`,
    ]);
  }
  const receipts = some.map(({ receipts }) => receipts.length).join(" and ");
  const count = day.filter(({ receipts }) => receipts).length;
  say(`${DAY} blocks, of which ${count} may match, with ${receipts} receipts`);
  table(rows, "lrrrrr").forEach((line) => say(line));
});
