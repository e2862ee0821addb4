/** The functions of the package that take bytes or integers, each with an argument of the right form. */

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

/** The modules of the package. */
export const modules = { amb, avl, chain, ethereum, main, lmpt, lvmt, mpt, provider, smt };

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
const mostOf = { maxProofBytes: 9999, maxKeys: 9, maxValueBytes: 9 };
const ambLimits = { ...mostOf, maxChanges: 9, maxEntries: 9 };
const avlLimits = { maxProofBytes: 9999, maxOperations: 9, maxDeletes: 9, maxValueBytes: 9 };
const freshness = { maxClockSkew: 30_000n, maxHeadAge: 1n << 62n };
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

/** The functions, by their name and what they are asked. */
export const takers: Record<string, [call: (input: never) => unknown, honest: unknown]> = {
  verifyAmbProof: [
    amb.verifyAmbProof,
    { kind: "get", ...trusted, keys, at: 1n, proof, limits: ambLimits },
  ],
  "verifyAmbProof of a range": [
    amb.verifyAmbProof,
    { kind: "range", ...trusted, lo: bytes, hi: bytes, at: 1n, reverse: false, proof },
  ],
  "verifyAmbProof of histories": [
    amb.verifyAmbProof,
    { kind: "hist", ...trusted, keys, from: 0n, to: 1n, proof },
  ],
  "verifyAmbProof of a transfer": [
    amb.verifyAmbProof,
    { kind: "transfer", ...trusted, lo: bytes, hi: bytes, after: 0n, proof },
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
  verifyBatch: [avl.verifyBatch, { ...lookup, limits: avlLimits }],
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
  verifyHead: [chain.verifyHead, { ...sync, ...freshness }],
  verifyAncestor: [
    chain.verifyAncestor,
    { head: bytes, header: bytes, inclusion: [bytes], height: 1n },
  ],
  verifyAncestors: [chain.verifyAncestors, { head: bytes, headers: [bytes], hashes: [bytes] }],
  verifyAnswer: [chain.verifyAnswer, { ...answer, ...freshness, verifyingKey: bytes }],
  verifyBlock: [
    chain.verifyBlock,
    {
      ...{ parent: bytes, digest: root, header: bytes, limits, proof },
      operations: [{ op: "Set", key: bytes, value: bytes }],
    },
  ],
  verifyState: [
    chain.verifyState,
    { scheme: "avl", config, header: bytes, at: 1n, keys, proof, verifyingKey: bytes },
  ],
  verifyStateRange: [chain.verifyStateRange, { ...range, at: 1n, reverse: false }],
  verifyStateCount: [chain.verifyStateCount, range],
  toHex: [({ bytes }: { bytes: Uint8Array }) => main.toHex(bytes), { bytes }],
  verifyBundle: [
    (trust: object) =>
      main.verifyBundle({ kind: "StateAnswer", ...saved }, { checkpoint, now: 0n, ...trust }),
    { verifyingKey: bytes, now: 0n, ...freshness },
  ],
  LightClient: [
    (input: object) => main.LightClient.connect({ ...offline, checkpoint, ...input }),
    {
      ...{ verifyingKey: bytes, timeout: 1, maxReplyBytes: 1, maxHeadAge: 1, maxClockSkew: 1 },
      pollInterval: 50,
    },
  ],
  verifyLmptProof: [
    lmpt.verifyLmptProof,
    { root: new Uint8Array(96), keys, proof, limits: mostOf },
  ],
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
  smtHistoryBlocks: [
    smt.smtHistoryBlocks,
    { key: bytes, from: 0n, to: 1n, proof, limits: { ...mostOf, maxChanges: 9 } },
  ],
  verifySmtHistory: [smt.verifySmtHistory, history],
  verifySmtDiff: [smt.verifySmtDiff, { from: 0n, to: 1n, root: bytes, proof }],
  verifySmtProof: [smt.verifySmtProof, { root: bytes, height: 1n, keys, proof }],
  smtTwap: [
    smt.smtTwap,
    { ...history, timestamps: [{ height: 0n, timestampMs: 0n }], start: 0n, end: 1n },
  ],
  EthereumClient: [
    (input: object) => ethereum.EthereumClient.connect({ ...following, ...input }),
    {
      ...{ checkpoint: bytes, maxCheckpointAge: 1, maxHeadAge: 1, refresh: 1, timeout: 1 },
      ...{ maxReplyBytes: 1, callTimeout: 1, maxLogBytes: 1, maxWalk: 1 },
    },
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
      ...{ secondsPerSlot: 12n, slotsPerEpoch: 32n, epochsPerPeriod: 256n, committeeSize: 512 },
      blobSchedule: [{ epoch: 0n, maxBlobs: 1n }],
      forks: { altair: { epoch: 0n, version: bytes.slice(0, 4) } },
    },
  ],
  createProvider: [
    (input: object) => {
      const { execution } = following;
      return typeof provider.createProvider({ execution, ...input } as never);
    },
    {
      ...{ heads: { latest: bytes, finalized: bytes }, chainId: 1n, pollInterval: 50 },
      blobs: [{ timestamp: 0n, target: 1n, max: 1n, updateFraction: 1n }],
    },
  ],
  "createProvider with trust": [
    (input: object) => typeof provider.createProvider({ ...trusting, ...input }),
    { chainId: 1n, timeout: 1 },
  ],
  httpProvider: [
    (input: object) => typeof provider.httpProvider("http://server.example", input),
    { timeout: 1, maxReplyBytes: 1 },
  ],
};

/** A server that cannot be reached. */
const fetch = () => Promise.reject(new Error("offline"));
const offline = { urls: ["http://server.example"], fetch };
const following = {
  ...{ network: "mainnet" as const, fetch },
  ...{ beacon: ["http://beacon.example"], execution: ["http://execution.example"] },
};
const trusting = {
  ...{ provider: { request: fetch }, chainId: 1, trust: () => undefined },
};
const toHexOf = (bytes: Uint8Array) => main.toHex(bytes) as main.Hex;

/** Functions and classes that take neither, or the bytes of the WebAssembly. */
export const OTHERS = [
  ...["CallFailure", "EquivocationError", "ForwardedError", "ProviderError", "VerifyError"],
  ...["fromHex", "init", "initSync", "lmptConfig", "lvmtConfig"],
  ...["parseCheckpoint", "refusalIn", "toBundle"],
];

/** The members that lead to a part of an argument. */
export type Place = (string | number)[];

/** Every place in an argument where something of a kind is. */
export function placesOf(given: unknown, is: (value: unknown) => boolean): Place[] {
  if (is(given)) return [[]];
  if (typeof given !== "object" || given === null || ArrayBuffer.isView(given)) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    const member = Array.isArray(given) ? Number(name) : name;
    return placesOf(value, is).map((place) => [member, ...place]);
  });
}

/** The same argument with something else at a place. */
export function changed(given: unknown, place: Place, value: unknown): unknown {
  const [member, ...rest] = place;
  if (member === undefined) return value;
  const copy = Array.isArray(given) ? [...(given as unknown[])] : { ...(given as object) };
  Reflect.set(copy, member, changed(Reflect.get(copy, member), rest, value));
  return copy;
}

/** The innermost name of a place; items of arrays have none. */
export const nameOf = (place: Place) =>
  place.filter((member) => typeof member === "string").at(-1) ?? "";

/** What a call returns or throws. */
export async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return { given: await call() };
  } catch (thrown) {
    const error = thrown as main.VerifyError;
    return { code: error.code, reason: error.reason, ...error.details };
  }
}
