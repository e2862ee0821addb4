/** Recorded light-client data: bootstraps and updates, in SSZ and in JSON, told apart by what they contain. */

import { ssz } from "@lodestar/types";

import { hex } from "./beacon-blocks.js";
import { FORKS, type Network } from "./networks.js";

type Hex = `0x${string}`;

/** Slots of a sync committee's period. */
export const PERIOD = 8192;

/** A type of Lodestar, of any fork. */
export interface Type<T> {
  serialize(value: T): Uint8Array;
  deserialize(bytes: Uint8Array): T;
  toJson(value: T): unknown;
  fromJson(json: unknown): T;
}

interface Header {
  beacon: { slot: number };
}

/** A bootstrap, and the root of its block. */
export interface Bootstrap {
  fork: string;
  slot: number;
  root: Hex;
  value: { header: Header };
}

/** An update of a period; `digest` is that of its fork in SSZ. */
export interface Update {
  fork: string;
  slot: number;
  signatureSlot: number;
  digest: Uint8Array | undefined;
  value: { attestedHeader: Header; signatureSlot: number };
}

export interface LightClientData {
  bootstraps: Bootstrap[];
  updates: Update[];
  /** The roots of `finality_checkpoints`. */
  checkpoints: Hex[];
}

/** Lodestar's types of a fork. */
export const typesOf = (fork: string) =>
  ssz[fork as "deneb"] as unknown as Record<
    "LightClientUpdate" | "LightClientFinalityUpdate" | "LightClientOptimisticUpdate",
    Type<Update["value"]>
  > & { LightClientBootstrap: Type<Bootstrap["value"]> };

/** Reads a container of the fork in which its slot is; the encodings of forks differ. */
function inItsFork<T>(
  { forkOf }: Network,
  read: (types: ReturnType<typeof typesOf>) => T,
  slotOf: (value: T) => number,
): { fork: string; slot: number; value: T } | undefined {
  for (const fork of FORKS) {
    try {
      const value = read(typesOf(fork));
      const slot = slotOf(value);
      if (forkOf(slot) === fork) return { fork, slot, value };
    } catch {
      // Of another fork, or no such container.
    }
  }
  return undefined;
}

function bootstrapOf(network: Network, read: (type: Type<Bootstrap["value"]>) => unknown) {
  const found = inItsFork(
    network,
    (types) => read(types.LightClientBootstrap) as Bootstrap["value"],
    ({ header }) => header.beacon.slot,
  );
  if (!found) return undefined;
  const { beacon } = found.value.header;
  const root = hex(ssz.phase0.BeaconBlockHeader.hashTreeRoot(beacon as never));
  return { ...found, root };
}

function updateOf(
  network: Network,
  read: (type: Type<Update["value"]>) => Update["value"],
  digest: Uint8Array | undefined,
): Update | undefined {
  const found = inItsFork(
    network,
    (types) => read(types.LightClientUpdate),
    ({ attestedHeader }) => attestedHeader.beacon.slot,
  );
  return found && { ...found, signatureSlot: found.value.signatureSlot, digest };
}

/** Adds what a file in SSZ contains; false if that is no light-client data. */
export function addSsz(data: LightClientData, network: Network, bytes: Uint8Array): boolean {
  const chunks = chunksOf(bytes);
  if (!chunks) {
    const bootstrap = bootstrapOf(network, (type) => type.deserialize(bytes));
    if (bootstrap) data.bootstraps.push(bootstrap);
    return bootstrap !== undefined;
  }
  const updates = chunks.flatMap((chunk) => {
    const update = updateOf(network, (type) => type.deserialize(chunk.slice(4)), chunk.slice(0, 4));
    return update ? [update] : [];
  });
  data.updates.push(...updates);
  return updates.length > 0;
}

/** A reply of the Beacon API, as far as its form is known. */
interface Reply {
  data?: Record<string, unknown> | null;
}

/** Adds what a reply in JSON contains; false if that is no light-client data. */
export function addJson(data: LightClientData, network: Network, json: unknown): boolean {
  const entries = (Array.isArray(json) ? json : [json]) as (Reply | null)[];
  let added = false;
  for (const entry of entries) {
    const given = entry?.data;
    if (!given) continue;
    if ("finalized" in given) {
      data.checkpoints.push((given["finalized"] as { root: Hex }).root);
    } else if ("current_sync_committee" in given) {
      const bootstrap = bootstrapOf(network, (type) => type.fromJson(given));
      if (!bootstrap) continue;
      data.bootstraps.push(bootstrap);
    } else if ("next_sync_committee" in given) {
      const update = updateOf(network, (type) => type.fromJson(given), undefined);
      if (!update) continue;
      data.updates.push(update);
    } else continue;
    added = true;
  }
  return added;
}

/** The parts of a list of updates, each after its length; undefined if the bytes are no such list. */
function chunksOf(bytes: Uint8Array): Uint8Array[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at + 12 > bytes.length) return undefined;
    const end = BigInt(at + 8) + view.getBigUint64(at, true);
    if (end > BigInt(bytes.length) || end < BigInt(at + 12)) return undefined;
    chunks.push(bytes.slice(at + 8, Number(end)));
    at = Number(end);
  }
  return chunks;
}

/** The committees that lead from a bootstrap to a slot. */
export interface Walk {
  bootstrap: Bootstrap;
  /** By period; of each, the first that is known. */
  updates: Map<number, Update>;
}

/**
 * A checkpoint from which updates lead to the committee of a slot, and the updates that a node knows at that time.
 *
 * Earlier data come first: those of the case itself, then those of others. Undefined if no committee is reachable.
 */
export function walkTo(slot: number, sources: readonly LightClientData[]): Walk | undefined {
  const period = Math.floor(slot / PERIOD);
  const updates = new Map<number, Update>();
  for (const update of sources.flatMap(({ updates }) => updates)) {
    const of = Math.floor(update.slot / PERIOD);
    if (update.signatureSlot <= slot && !updates.has(of)) updates.set(of, update);
  }
  for (const { bootstraps, checkpoints } of sources) {
    const isNamed = ({ root }: Bootstrap) => Number(checkpoints.includes(root));
    const bootstrap = bootstraps
      .filter((bootstrap) => bootstrap.slot < slot)
      .sort((one, other) => isNamed(other) - isNamed(one) || other.slot - one.slot)
      .find((bootstrap) => {
        const first = Math.floor(bootstrap.slot / PERIOD);
        const between = Array.from({ length: period - first }, (_, index) => first + index);
        return between.every((period) => updates.has(period));
      });
    if (bootstrap) return { bootstrap, updates };
  }
  return undefined;
}
