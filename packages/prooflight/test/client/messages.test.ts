/** Every message names the argument that is wrong, once. */

import { describe, expect, test } from "vitest";

import { verifyErgoAdProofs, verifyLookup } from "../../src/avl.js";
import { verifyAncestor, verifyAncestors, verifyBlock } from "../../src/chain.js";
import { decodeHeader, verifyHead, verifyState } from "../../src/chain.js";
import {
  fromHex,
  LightClient,
  parseCheckpoint,
  toBundle,
  toHex,
  verifyBundle,
  VerifyError,
} from "../../src/index.js";
import { verifyLmptProof } from "../../src/lmpt.js";
import { verifyLvmtProof } from "../../src/lvmt.js";
import { verifyEthGetProof, verifyEthHeader, verifyMptProof } from "../../src/mpt.js";
import { createProvider, httpProvider } from "../../src/provider.js";
import { smtTwap, verifySmtDiff, verifySmtHistory, verifySmtProof } from "../../src/smt.js";
import { alice } from "../network/state.js";
import { connect, network } from "./network.js";

const bytes = new Uint8Array(32);
const root = new Uint8Array(33);
const checkpoint = network.pinned;
const { config } = checkpoint;
const { limits } = config;
const sync = { checkpoint, head: bytes, inclusion: [], now: 0n };
const history = { key: bytes, from: 0n, to: 1n, roots: [], proof: bytes };
const keys = [bytes];
const proof = bytes;

/** Functions that take one object, with one whose form is right. */
const functions: [(input: never) => unknown, Record<string, unknown>][] = [
  [verifyLookup, { digest: root, key: bytes, proof, keyLength: 32 }],
  [
    verifyErgoAdProofs,
    { parentStateRoot: root, stateRoot: root, adProofsRoot: bytes, operations: [], proof },
  ],
  [verifyHead, { ...sync, maxClockSkew: 1n, maxHeadAge: 1n }],
  [verifyAncestor, { head: bytes, header: bytes, inclusion: [], height: 1n }],
  [verifyAncestors, { head: bytes, headers: [], hashes: [] }],
  [verifyState, { scheme: "avl", config, header: bytes, keys, proof, allowInsecureSetup: true }],
  [verifyBlock, { parent: bytes, digest: root, header: bytes, limits, operations: [], proof }],
  [verifyLmptProof, { root: new Uint8Array(96), keys, proof }],
  [
    verifyLvmtProof,
    { paramsId: bytes, logN: 4, logArity: 2, root: new Uint8Array(64), height: 1n, keys, proof },
  ],
  [verifyMptProof, { root: bytes, key: bytes, proof: [] }],
  [verifyEthGetProof, { stateRoot: bytes, address: new Uint8Array(20), slots: [], response: {} }],
  [verifyEthHeader, { hash: bytes, headerRlp: bytes }],
  [verifySmtProof, { root: bytes, height: 1n, keys, proof }],
  [verifySmtHistory, history],
  [verifySmtDiff, { from: 0n, to: 1n, root: bytes, proof }],
  [smtTwap, { ...history, timestamps: [], start: 0n, end: 1n }],
  [
    (input: never) => LightClient.connect(input),
    {
      ...{ urls: [network.url], checkpoint, timeout: 1, maxHeadAge: 1, maxClockSkew: 1 },
      ...{ pollInterval: 50, webSocket: true, maxReplyBytes: 1, onFailure: () => undefined },
      ...{ fetch, now: () => 0n, signal: new AbortController().signal },
      ...{ allowInsecureSetup: true, verifyingKey: bytes },
    },
  ],
  [
    createProvider,
    {
      ...{ provider: { request: () => undefined }, chainId: 1, trust: () => undefined },
      ...{ mode: "if-possible", forward: [], maxFeePerGas: 1n, timeout: 1 },
      onUnverified: () => true,
    },
  ],
  [
    (input: never) => httpProvider("http://server.example", input),
    { timeout: 1, maxReplyBytes: 1, fetch },
  ],
];

/** What is of no type that any argument has. */
const WRONG = Symbol("wrong");

/** The code and message of what a call throws or rejects with. */
async function messageOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    // What a provider throws is one of EIP-1193, with the refusal as its cause.
    const refused = error instanceof VerifyError ? error : (error as Error).cause;
    if (refused instanceof VerifyError) return `${refused.reason}: ${refused.message}`;
    throw error;
  }
  throw new Error("it was accepted");
}

/** Fails unless a message names an argument, and says nothing twice. */
function checkMessage(message: string, name: string) {
  expect(message).toMatch(/^invalid_argument: an argument has the wrong type or is out of range: /);
  const said = message.replace("invalid_argument: ", "");
  const named = said.split("expected ")[1] ?? "";
  expect(named.startsWith(`${name} to be `) || named.startsWith(`${name} to `), message).toBe(true);
  checkOnce(said);
}

/** No three words come twice. */
function checkOnce(message: string) {
  const words = message.split(/[\s:,;]+/).filter((word) => word !== "");
  const threes = words
    .slice(2)
    .map((word, index) => [...words.slice(index, index + 2), word].join(" "));
  expect(
    threes.filter((three, index) => threes.indexOf(three) !== index),
    message,
  ).toEqual([]);
}

describe.each(functions.map(([call, input]) => [call.name || Object.keys(input)[0], call, input]))(
  "%s",
  (_, given, honest) => {
    const call = given as (input: unknown) => unknown;
    // A server's response is malformed instead, whatever it is.
    const own = Object.keys(honest as object).filter((name) => name !== "response");
    test.each(own)("%s of another type", async (name) => {
      const wrong = { ...(honest as object), [name]: WRONG };
      checkMessage(await messageOf(() => call(wrong)), name);
    });

    test("no object, or an unknown member", async () => {
      checkMessage(await messageOf(() => call(WRONG)), "the argument");
      const message = await messageOf(() => call({ ...(honest as object), misspelt: 1 }));
      checkMessage(message, "the argument");
      expect(message).toContain("member misspelt");
    });
  },
);

describe("LightClient", () => {
  const wrong = WRONG as never;
  const cases: [string, string, (client: LightClient) => unknown][] = [
    ["get", "key", (client) => client.get(wrong)],
    ["get in hex", "key", (client) => client.get("0x1")],
    ["getMany in hex", "keys[1]", (client) => client.getMany([alice, "0x1"])],
    ["getMany", "keys", (client) => client.getMany(wrong)],
    ["getMany", "keys[1]", (client) => client.getMany([alice, wrong])],
    ["get", "scheme", (client) => client.get(alice, { scheme: wrong })],
    ["get", "at", (client) => client.get(alice, { at: wrong })],
    ["get", "signal", (client) => client.get(alice, { signal: wrong })],
    ["get", "the argument", (client) => client.get(alice, wrong)],
    ["sync", "signal", (client) => client.sync({ signal: wrong })],
    ["history", "key", (client) => client.history(wrong, { from: 0n })],
    ["history", "from", (client) => client.history(alice, { from: wrong })],
    ["history", "to", (client) => client.history(alice, { from: 0n, to: wrong })],
    ["twap", "to", (client) => client.twap(alice, { from: 4n, to: 3n })],
    ["diff", "from", (client) => client.diff({ from: wrong })],
    ["diff", "signal", (client) => client.diff({ from: null, signal: wrong })],
    ["onHead", "listener", (client) => client.onHead(wrong)],
    ["onHead", "onError", (client) => client.onHead(() => undefined, wrong)],
    ["blocks", "from", (client) => client.blocks({ from: wrong }).next()],
  ];
  test.each(cases)("%s: %s", async (_, name, call) => {
    const client = await connect();
    checkMessage(await messageOf(() => call(client)), name);
  });
});

const others: [string, () => unknown][] = [
  ["hex", () => fromHex(WRONG as never)],
  ["hex", () => fromHex("0xabc")],
  ["bytes", () => toHex(WRONG as never)],
  ["text", () => parseCheckpoint("{")],
  ["json", () => VerifyError.from(WRONG)],
  ["the answer", () => toBundle(WRONG as never)],
  ["bundle", () => verifyBundle(WRONG as never, { checkpoint })],
  ["url", () => httpProvider("ftp://server.example")],
];
test.each(others)("%s of another type", async (name, call) => {
  checkMessage(await messageOf(call), name);
});

test("what a server says is not said twice either", async () => {
  const answering = (result: unknown) => () =>
    Promise.resolve(Response.json({ jsonrpc: "2.0", id: 1, result }));
  const bodies = [{}, { header: "0x" }, { header: { signedHeader: 1 } }, [], null, "0x"];
  for (const body of bodies) {
    const asking = () =>
      LightClient.connect({ urls: [network.url], checkpoint, fetch: answering(body) });
    checkOnce(await messageOf(asking));
  }
  checkOnce(await messageOf(() => decodeHeader(bytes)));

  const provider = createProvider({
    provider: { request: () => Promise.resolve("0x1") },
    chainId: 1,
    trust: () => ({ number: 1n, hash: toHex(bytes) as "0x", stateRoot: toHex(bytes) as "0x" }),
  });
  for (const method of ["eth_getCode", "eth_getBalance", "eth_getProof", "eth_call", "eth_sign"]) {
    const params = [`0x${"11".repeat(20)}`, ...(method === "eth_getProof" ? [[]] : []), "latest"];
    checkOnce(await messageOf(() => provider.request({ method, params })));
  }
});
