/** Bytes whose buffer is gone, or has shrunk away under them, are refused by every function that takes bytes. */

import { beforeAll, describe, expect, test } from "vitest";

import * as amb from "../src/amb.js";
import * as avl from "../src/avl.js";
import * as chain from "../src/chain.js";
import * as ethereum from "../src/ethereum.js";
import * as main from "../src/index.js";
import * as lmpt from "../src/lmpt.js";
import * as lvmt from "../src/lvmt.js";
import * as mpt from "../src/mpt.js";
import * as provider from "../src/provider.js";
import * as smt from "../src/smt.js";
import type { Checkpoint } from "../src/chain.js";
import { dictionary, key, long, pinned, proven } from "./dictionary.js";
import { inputOf } from "./files.js";

const modules = { amb, avl, chain, ethereum, main, lmpt, lvmt, mpt, provider, smt };

const { checkpoint, now, ...saved } = inputOf(
  "chain/state_answer.json",
  "alice at block 0, by the head 3",
) as { checkpoint: Checkpoint; now: main.Hex } & Omit<main.AnswerBundle, "kind">;
const { config } = checkpoint;
const { limits } = config;
const bytes = new Uint8Array(32).fill(7);
const root = new Uint8Array(33).fill(7);
const [keys, proof] = [[bytes], bytes];
const lookup = proven([{ op: "Lookup", key: key(2) }]);
const history = { key: bytes, from: 0n, to: 1n, roots: [{ height: 1n, root: bytes }], proof };
const trusted = { root: bytes, block: 1n };
const range = { scheme: "amb", config, header: bytes, lo: bytes, hi: bytes, proof };
const setup = { paramsId: bytes, logN: 4, verifyingKey: bytes };
const sync = { checkpoint, head: bytes, inclusion: [bytes], now: 0n };
const opening = { kind: "single", commitment: bytes, index: 0, value: bytes, points: [bytes] };
/** A valid answer, whose parts are looked at one after the other. */
const answer = {
  ...{ scheme: saved.scheme, checkpoint, now: BigInt(now) },
  ...{ head: main.fromHex(saved.head), proof: main.fromHex(saved.proof) },
  ...{ header: main.fromHex(saved.header ?? "0x"), path: (saved.path ?? []).map(main.fromHex) },
  ...{ inclusion: saved.inclusion.map(main.fromHex), keys: saved.keys.map(main.fromHex) },
};

/** The functions that take bytes, each with an argument of the right form. */
const takers: Record<string, [call: (input: never) => unknown, honest: unknown]> = {
  verifyAmbProof: [
    amb.verifyAmbProof,
    { kind: "get", ...trusted, keys, at: 1n, proof } satisfies amb.AmbProofInput,
  ],
  "verifyAmbProof of a range": [
    amb.verifyAmbProof,
    { kind: "range", ...trusted, lo: bytes, hi: bytes, at: 1n, reverse: false, proof },
  ],
  "verifyAmbProof of an update": [
    amb.verifyAmbProof,
    {
      ...{ kind: "update", ...trusted, parts: [{ keys, proof }] },
      operations: [{ op: "Set", key: bytes, value: bytes }],
    },
  ],
  AvlProver: [
    (operation: avl.Operation) => {
      using prover = new avl.AvlProver(pinned);
      return prover.apply([operation]);
    },
    { op: "Insert", key: key(3), value: long(3) },
  ],
  "AvlProver.get": [
    ({ key }: { key: Uint8Array }) => {
      using prover = dictionary();
      return prover.get(key);
    },
    { key: key(2) },
  ],
  verifyBatch: [avl.verifyBatch, lookup],
  verifyLookup: [
    avl.verifyLookup,
    { ...pinned, digest: lookup.digest, proof: lookup.proof, key: key(2) },
  ],
  verifyErgoAdProofs: [
    avl.verifyErgoAdProofs,
    {
      ...{ parentStateRoot: root, stateRoot: root, adProofsRoot: bytes },
      ...{ operations: lookup.operations, proof },
    },
  ],
  decodeHeader: [
    ({ signed }: { signed: Uint8Array }) => chain.decodeHeader(signed),
    { signed: bytes },
  ],
  verifyHead: [chain.verifyHead, sync],
  verifyAncestor: [chain.verifyAncestor, { head: bytes, header: bytes, inclusion: [bytes] }],
  verifyAncestors: [chain.verifyAncestors, { head: bytes, headers: [bytes], hashes: [bytes] }],
  verifyAnswer: [chain.verifyAnswer, { ...answer, verifyingKey: bytes }],
  verifyBlock: [
    chain.verifyBlock,
    {
      ...{ parent: bytes, digest: root, header: bytes, limits, proof },
      operations: [{ op: "Set", key: bytes, value: bytes }],
    },
  ],
  verifyState: [
    chain.verifyState,
    { scheme: "avl", config, header: bytes, keys, proof, verifyingKey: bytes },
  ],
  verifyStateRange: [chain.verifyStateRange, { ...range, reverse: false }],
  verifyStateCount: [chain.verifyStateCount, range],
  toHex: [({ bytes }: { bytes: Uint8Array }) => main.toHex(bytes), { bytes }],
  verifyBundle: [
    ({ verifyingKey }: { verifyingKey: Uint8Array }) =>
      main.verifyBundle({ kind: "StateAnswer", ...saved }, { checkpoint, verifyingKey, now: 0n }),
    { verifyingKey: bytes },
  ],
  LightClient: [
    (input: object) => main.LightClient.connect({ ...offline, checkpoint, ...input }),
    { verifyingKey: bytes },
  ],
  verifyLmptProof: [lmpt.verifyLmptProof, { root: new Uint8Array(96), keys, proof }],
  verifyAmtOpenings: [
    lvmt.verifyAmtOpenings,
    { ...{ setup: "dev", logN: 4 }, openings: [opening] },
  ],
  "verifyAmtOpenings by a key": [lvmt.verifyAmtOpenings, { setup: bytes, openings: [] }],
  verifyLvmtProof: [
    lvmt.verifyLvmtProof,
    { ...setup, logArity: 2, root: new Uint8Array(64), height: 1n, keys, proof },
  ],
  verifyEthGetProof: [
    mpt.verifyEthGetProof,
    { stateRoot: bytes, address: new Uint8Array(20), slots: [bytes], response: {} },
  ],
  verifyEthGetProofs: [
    mpt.verifyEthGetProofs,
    {
      stateRoot: bytes,
      questions: [{ address: new Uint8Array(20), slots: [bytes], response: {} }],
    },
  ],
  verifyEthHeader: [mpt.verifyEthHeader, { hash: bytes, headerRlp: bytes }],
  verifyMptProof: [mpt.verifyMptProof, { root: bytes, key: bytes, proof: [bytes] }],
  smtHistoryBlocks: [smt.smtHistoryBlocks, { key: bytes, from: 0n, to: 1n, proof }],
  verifySmtHistory: [smt.verifySmtHistory, history],
  verifySmtDiff: [smt.verifySmtDiff, { from: 0n, to: 1n, root: bytes, proof }],
  verifySmtProof: [smt.verifySmtProof, { root: bytes, height: 1n, keys, proof }],
  smtTwap: [smt.smtTwap, { ...history, timestamps: [], start: 0n, end: 1n }],
  EthereumClient: [
    (input: object) => ethereum.EthereumClient.connect({ ...following, ...input }),
    { checkpoint: bytes },
  ],
  "EthereumClient of a state": [
    (input: object) => ethereum.EthereumClient.connect({ ...following, ...input }),
    { state: bytes },
  ],
  "EthereumClient of a network": [
    (network: ethereum.NetworkConfig) =>
      ethereum.EthereumClient.connect({ ...following, checkpoint: toHexOf(bytes), network }),
    {
      ...{ genesisValidatorsRoot: bytes, genesisTime: 0n, genesisForkVersion: bytes.slice(0, 4) },
      forks: { altair: { epoch: 0n, version: bytes.slice(0, 4) } },
    },
  ],
  createProvider: [
    (heads: never) => {
      const { execution, network } = following;
      return typeof provider.createProvider({ execution, network, heads });
    },
    { latest: bytes, finalized: bytes },
  ],
};

/** A server that cannot be reached. */
const fetch = () => Promise.reject(new Error("offline"));
const offline = { urls: ["http://server.example"], fetch };
const following = {
  ...{ network: "mainnet" as const, fetch },
  ...{ beacon: ["http://beacon.example"], execution: ["http://execution.example"] },
};
const toHexOf = (bytes: Uint8Array) => main.toHex(bytes) as main.Hex;

/** Functions and classes that take no bytes, or those of the WebAssembly. */
const OTHERS = [
  ...["EquivocationError", "HandedOnError", "ProviderError", "VerifyError"],
  ...["fromHex", "httpProvider", "init", "initSync", "lmptConfig", "lvmtConfig"],
  ...["parseCheckpoint", "refusalIn", "toBundle"],
];

beforeAll(() => Promise.all([main.init(), lvmt.init(), ethereum.init()]));

test("every function of the package is known to take bytes, or not to", () => {
  const names = Object.values(modules).flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (typeof value === "function" ? name : [])),
  );
  const known = [...OTHERS, ...Object.keys(takers).map((name) => name.split(/[ .]/)[0])];
  expect([...new Set(names)].sort()).toEqual([...new Set(known)].sort());
});

interface Resizable extends ArrayBuffer {
  resize(length: number): void;
}

type Buffers<T> = new (length: number, options: { maxByteLength: number }) => T;

/** A buffer that can be resized. TypeScript's ES2022 does not know them. */
const resizable = (length: number) =>
  new (ArrayBuffer as unknown as Buffers<Resizable>)(length, { maxByteLength: 2 * length + 64 });

/** The bytes in a view that `view` makes of a buffer which then shrinks to a length. */
const shrunk =
  (length: number, view: (buffer: Resizable, length: number) => Uint8Array) =>
  (bytes: Uint8Array) => {
    const buffer = resizable(8 + bytes.length);
    const made = view(buffer, bytes.length);
    made.set(bytes);
    buffer.resize(length);
    return made;
  };

const fixed = (buffer: Resizable, length: number) => new Uint8Array(buffer, 8, length);
const tracking = (buffer: Resizable) => new Uint8Array(buffer, 8);
const fromStart = (buffer: Resizable) => new Uint8Array(buffer);
const saying = (buffer: Resizable, length: number) => {
  const members = { length: { value: length }, byteLength: { value: length } };
  return Object.defineProperties(fixed(buffer, length), members);
};
const subclass = (buffer: Resizable, length: number) =>
  new (class Bytes extends Uint8Array {})(buffer, 8, length);

const GONE: [string, (bytes: Uint8Array) => Uint8Array][] = [
  [
    "whose buffer is detached",
    (bytes) => {
      const gone = Uint8Array.from(bytes);
      structuredClone(gone.buffer, { transfer: [gone.buffer] });
      return gone;
    },
  ],
  ["that end beyond the end", shrunk(9, fixed)],
  ["that begin at the end", shrunk(8, fixed)],
  ["that begin beyond the end", shrunk(4, fixed)],
  ["whose buffer is empty", shrunk(0, fixed)],
  ["that follow the buffer, and begin beyond its end", shrunk(4, tracking)],
  ["that follow the buffer, and begin at its end", shrunk(8, tracking)],
  ["that follow the buffer, which is empty", shrunk(0, fromStart)],
  ["of a subclass", shrunk(4, subclass)],
  ["that say another length", shrunk(4, saying)],
];

/** Every place of bytes in an argument, as the members that lead to it. */
function placesOf(given: unknown): (string | number)[][] {
  if (given instanceof Uint8Array) return [[]];
  if (typeof given !== "object" || given === null) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    const member = Array.isArray(given) ? Number(name) : name;
    return placesOf(value).map((place) => [member, ...place]);
  });
}

/** The same argument with other bytes at a place. */
function changed(given: unknown, place: (string | number)[], bytes: unknown): unknown {
  const [member, ...rest] = place;
  if (member === undefined) return bytes;
  const copy = Array.isArray(given) ? [...(given as unknown[])] : { ...(given as object) };
  const value = Reflect.get(copy, member) as unknown;
  Reflect.set(copy, member, changed(value, rest, bytes));
  return copy;
}

const bytesAt = (given: unknown, place: (string | number)[]) =>
  place.reduce(
    (value, member) => Reflect.get(value as object, member) as unknown,
    given,
  ) as Uint8Array;

/** What a call returns or throws. */
async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return { given: await call() };
  } catch (thrown) {
    const error = thrown as main.VerifyError;
    return { code: error.code, reason: error.reason, ...error.details };
  }
}

describe.each(Object.entries(takers))("%s", (_, [given, honest]) => {
  const call = given as (input: unknown) => unknown;
  const places = placesOf(honest);

  test("takes bytes", () => {
    expect(places).not.toEqual([]);
  });

  test.each(GONE)("refuses bytes %s", async (_, gone) => {
    for (const place of places) {
      const input = changed(honest, place, gone(bytesAt(honest, place)));
      const refused = (await outcome(() => call(input))) as main.VerifyError & { expected: string };
      expect(refused, place.join(".")).toMatchObject({
        ...{ code: "invalid_input", reason: "invalid_argument" },
      });
      // The innermost name is in the message; items have their index in brackets.
      const name = place.filter((member) => typeof member === "string").at(-1) ?? "";
      expect(refused.expected).toContain(name);
    }
  });

  test("takes bytes of any buffer that has them", async () => {
    const expected = await outcome(() => call(honest));
    const { SharedArrayBuffer } = globalThis as { SharedArrayBuffer?: unknown };
    const growable = (bytes: Uint8Array, length?: number) => {
      const shared = SharedArrayBuffer as Buffers<SharedArrayBuffer>;
      const buffer = new shared(8 + bytes.length, { maxByteLength: 128 + bytes.length });
      const view = new Uint8Array(buffer, 8, length);
      view.set(bytes);
      return view;
    };
    const ways: ((bytes: Uint8Array) => Uint8Array)[] = [
      (bytes) => shrunk(8 + bytes.length, fixed)(bytes),
      (bytes) => shrunk(8 + bytes.length, tracking)(bytes),
      (bytes) => shrunk(8 + bytes.length, subclass)(bytes),
      ...(SharedArrayBuffer === undefined
        ? []
        : [
            (bytes: Uint8Array) => growable(bytes),
            (bytes: Uint8Array) => growable(bytes, bytes.length),
          ]),
    ];
    for (const way of ways) {
      const all = places.reduce(
        (input, place) => changed(input, place, way(bytesAt(honest, place))),
        honest,
      );
      expect(await outcome(() => call(all))).toEqual(expected);
    }
  });
});

test("a DataView is no bytes, whatever it says", () => {
  const view = new DataView(new ArrayBuffer(32));
  Object.defineProperty(view, Symbol.toStringTag, { value: "Uint8Array" });
  expect(() => main.toHex(view as never)).toThrow(main.VerifyError);
});

test("an empty view of a buffer that has its bytes is empty bytes", () => {
  expect(main.toHex(new Uint8Array())).toBe("0x");
  expect(main.toHex(new Uint8Array(resizable(8), 4, 0))).toBe("0x");
  expect(main.toHex(new Uint8Array(new ArrayBuffer(8), 8))).toBe("0x");
});
