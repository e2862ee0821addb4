/** Recorded cases of mainnet, served as beacon and execution nodes would serve them. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { ssz } from "@lodestar/types";

import { type BeaconBlock, blockJson, decode, hex, optimisticUpdate } from "./beacon-blocks.js";

type Hex = `0x${string}`;

/** The question of a case, and its result according to the program that recorded it. */
export interface Case {
  name: string;
  method: string;
  params: unknown[];
  expected: unknown;
  /** Two beacon blocks, of which the second signs the first; undefined if the case has none. */
  pair: { parent: BeaconBlock; child: BeaconBlock } | undefined;
  /** Replies of execution nodes, by file. */
  replies: Map<string, unknown>;
}

/** Light-client data: those of all cases together, since some cases lack what others have. */
interface LightClientData {
  bootstraps: { slot: number; root: Hex; ssz: Uint8Array }[];
  updates: Map<number, { digest: Uint8Array; ssz: Uint8Array; signatureSlot: number }>;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const given = process.env["PROOFLIGHT_ETHEREUM_MAINNET"];
/** Whether the cases are those of the repository. */
export const OWN = given === undefined;
const FOLDERS =
  given === undefined
    ? [here("data"), here("../../../../crates/ethereum/tests/data/mainnet")]
    : [given];
const LIGHT_CLIENT =
  given === undefined ? [here("../../../../crates/beacon/tests/data/mainnet")] : [];

const GENESIS = 1_606_824_023;
const PERIOD = 8192;

/** The fork of a slot of mainnet. */
const forkOf = (slot: number) => {
  const epoch = Math.floor(slot / 32);
  if (epoch >= 411_392) return "fulu";
  return epoch >= 364_032 ? "electra" : epoch >= 269_568 ? "deneb" : "before deneb";
};

const files = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name, path: join(folder, name) }));

/** All cases. */
export function readCases(): Case[] {
  const names = new Set(FOLDERS.flatMap((folder) => readdirSync(folder)));
  return [...names].sort().flatMap((name) => readCase(name) ?? []);
}

function readCase(name: string): Case | undefined {
  const folders = FOLDERS.map((folder) => join(folder, name));
  const all = folders.flatMap((folder) => {
    try {
      return files(folder);
    } catch {
      return []; // A file, or a folder that is only in another one.
    }
  });
  const test = all.find(({ name }) => name === "test.json");
  if (!test) return undefined;
  const { method, params, expected_result } = JSON.parse(readFileSync(test.path, "utf8")) as {
    method: string;
    params: unknown[];
    expected_result: unknown;
  };
  const blocks = all
    .filter(({ name }) => name.includes("beacon_blocks") && name.endsWith(".ssz"))
    .map(({ path }) => decode(readFileSync(path), forkOf));
  const pairs = blocks.flatMap((child) => {
    const root = hex(child.message.parentRoot);
    const parent = blocks.find((parent) => hex(parent.root) === root);
    return parent ? [{ parent, child }] : [];
  });
  const replies = new Map(
    all
      .filter(({ name }) => /^(eth|debug)_(?!v\d).*\.json$/.test(name))
      .map(({ name, path }) => {
        const reply = JSON.parse(readFileSync(path, "utf8")) as { result: unknown };
        return [name, reply.result];
      }),
  );
  return { name, method, params, expected: expected_result, pair: pairs[0], replies };
}

function readLightClientData(): LightClientData {
  const cases = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const all = [...cases, ...LIGHT_CLIENT].flatMap((folder) => {
    try {
      return files(folder);
    } catch {
      return [];
    }
  });
  const data: LightClientData = { bootstraps: [], updates: new Map() };
  for (const { name, path } of all.filter(({ name }) => name.endsWith(".ssz"))) {
    const bytes = new Uint8Array(readFileSync(path));
    if (name.includes("bootstrap")) {
      // Deneb's and Electra's bootstraps begin alike: an offset, then the committee; the header is at the offset.
      const slot = Number(view(bytes).getBigUint64(view(bytes).getUint32(0, true), true));
      const types = ssz[forkOf(slot) as "deneb"];
      const { header } = types.LightClientBootstrap.deserialize(bytes);
      const root = hex(ssz.phase0.BeaconBlockHeader.hashTreeRoot(header.beacon));
      data.bootstraps.push({ slot, root, ssz: bytes });
    } else if (name.includes("updates") || /^update_\d+/.test(name)) addUpdates(data, bytes);
  }
  return data;
}

function addUpdates({ updates }: LightClientData, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    const end = at + 8 + Number(view(bytes).getBigUint64(at, true));
    const [digest, body] = [bytes.slice(at + 8, at + 12), bytes.slice(at + 12, end)];
    const slot = Number(view(body).getBigUint64(view(body).getUint32(0, true), true));
    const types = ssz[forkOf(slot) as "deneb"];
    const { signatureSlot } = types.LightClientUpdate.deserialize(body);
    updates.set(Math.floor(slot / PERIOD), { digest, ssz: body, signatureSlot });
    at = end;
  }
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

const lightClientData = readLightClientData();

/** A case that can be served. */
export interface Served {
  /** The checkpoint, and the time in milliseconds at which the second block arrived. */
  checkpoint: Hex;
  now: bigint;
  /** The execution block's number. */
  number: bigint;
  /** What beacon and execution nodes say. */
  beacon: (path: string, json: boolean) => Uint8Array | object | undefined;
  execution: (method: string, params: readonly unknown[]) => unknown;
}

/** Serves a case; a text says what it lacks. */
export async function serve({ pair, replies }: Case): Promise<Served | string> {
  if (!pair) return "no two beacon blocks of which one signs the other";
  const { parent, child } = pair;
  const now = child.message.slot;
  const { bootstraps, updates } = lightClientData;
  const period = Math.floor(now / PERIOD);
  const known = [...updates]
    .filter(([, { signatureSlot }]) => signatureSlot <= now)
    .sort(([one], [other]) => one - other);
  const bootstrap = bootstraps
    .filter(({ slot }) => slot < now)
    .sort((one, other) => other.slot - one.slot)
    .find(({ slot }) => {
      const first = Math.floor(slot / PERIOD);
      const between = Array.from({ length: period - first }, (_, index) => first + index);
      return between.every((period) => known.some(([has]) => has === period));
    });
  if (!bootstrap) return `no committee of period ${period}`;
  const last = known.at(-1)?.[1];
  if (!last) return "no update with finality";
  const served = new Map(known);
  const types = ssz[parent.fork as "deneb"];
  const update = types.LightClientUpdate.deserialize(last.ssz);
  const optimistic = optimisticUpdate(parent, child);
  const block = { true: await blockJson(parent, true), false: await blockJson(parent, false) };
  const payload = parent.message.body.executionPayload;
  const hash = hex(payload.blockHash);
  const number = `0x${payload.blockNumber.toString(16)}`;
  return {
    checkpoint: bootstrap.root,
    now: BigInt(GENESIS + 12 * now) * 1000n,
    number: BigInt(payload.blockNumber),
    beacon(path, json) {
      const [name = "", query] = path.replace("/eth/v1/beacon/light_client/", "").split("?");
      if (name === `bootstrap/${bootstrap.root}`) {
        const type = ssz[forkOf(bootstrap.slot) as "deneb"].LightClientBootstrap;
        return reply(json, type, type.deserialize(bootstrap.ssz));
      }
      if (name === "finality_update") {
        return reply(json, types.LightClientFinalityUpdate, update);
      }
      if (name === "optimistic_update") {
        return reply(json, types.LightClientOptimisticUpdate, optimistic);
      }
      if (name !== "updates") return undefined;
      const asked = new URLSearchParams(query);
      const first = Number(asked.get("start_period"));
      const found = Array.from({ length: Number(asked.get("count")) }, (_, index) =>
        served.get(first + index),
      ).filter((update) => update !== undefined);
      if (json) {
        const type = types.LightClientUpdate;
        return found.map(({ ssz }) => reply(true, type, type.deserialize(ssz)));
      }
      return Buffer.concat(
        found.flatMap(({ digest, ssz }) => {
          const length = Buffer.alloc(8);
          length.writeBigUInt64LE(BigInt(4 + ssz.length));
          return [length, digest, ssz];
        }),
      );
    },
    execution(method, params) {
      const [first, second] = params;
      switch (method) {
        case "eth_getBlockByHash":
          return first === hash ? block[second === true ? "true" : "false"] : null;
        case "eth_getBlockByNumber":
          return first === number ? block[second === true ? "true" : "false"] : null;
        case "eth_getTransactionByHash":
          return (
            (block.true["transactions"] as { hash: Hex }[]).find(({ hash }) => hash === first) ??
            null
          );
        case "eth_getBlockReceipts":
          return [...replies].find(
            ([name, result]) =>
              name.startsWith("eth_getBlockReceipts") &&
              (result as { blockHash: Hex }[])[0]?.blockHash === hash,
          )?.[1];
        case "eth_getLogs":
          return [...replies].find(([name]) => name.startsWith("eth_getLogs"))?.[1];
        case "eth_getProof":
          return proofOf(replies, String(first), second as Hex[], number);
        case "eth_getCode":
          return [...replies].find(([name]) =>
            name.toLowerCase().startsWith(`eth_getcode_${String(first).toLowerCase()}`),
          )?.[1];
        default:
          return undefined;
      }
    },
  };
}

interface Proof {
  address: Hex;
  storageProof: { key: Hex }[];
}

/** A recorded proof of the account; a file's name may be cut before the block's number. */
function proofOf(replies: Map<string, unknown>, address: string, slots: Hex[], number: string) {
  const found = [...replies].find(
    ([name, result]) =>
      name.startsWith("eth_getProof") &&
      (result as Proof).address.toLowerCase() === address.toLowerCase() &&
      (name.endsWith(`${number}.json`) || !/0x[0-9a-f]{5,8}\.json$/.test(name)),
  )?.[1] as Proof | undefined;
  if (!found) return undefined;
  const storageProof = slots.map((slot) =>
    found.storageProof.find(({ key }) => BigInt(key) === BigInt(slot)),
  );
  return storageProof.includes(undefined) ? undefined : { ...found, storageProof };
}

interface Type<T> {
  serialize(value: T): Uint8Array;
  toJson(value: T): unknown;
}

const reply = <T>(json: boolean, type: Type<T>, value: T) =>
  json ? { version: "deneb", data: type.toJson(value) } : type.serialize(value);
