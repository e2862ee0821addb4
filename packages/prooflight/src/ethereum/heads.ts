/** The heads of the beacon chain; their rules are those of `bindings/wasm/src/beacon/mod.rs`. */

import { type Bytes, type Hex, toHex } from "../bytes.js";
import { ethereum } from "../wasm/ethereum.js";
import { Reader, Writer } from "../wire.js";

/** A beacon block that the committee signed, and the execution block that it shows. */
export interface Head {
  /** Its slot. */
  slot: bigint;
  /** Its root. */
  beaconRoot: Hex;
  /** The hash of the execution block; undefined before Capella. */
  executionBlockHash: Hex | undefined;
  /** The members of the sync committee that signed it; undefined for the checkpoint. */
  participation: { signed: number; of: number } | undefined;
}

/** What questions need of heads: their execution blocks. */
export interface Heads {
  finalized: Pick<Head, "slot" | "executionBlockHash">;
  latest: Pick<Head, "slot" | "executionBlockHash">;
}

/** A source of heads. */
export interface HeadSource {
  /** The newest heads. */
  newest(signal: AbortSignal | undefined): Promise<Heads>;
  /** Throws if no heads can be trusted any more. */
  check(): void;
  /** The fork version of the beacon chain that signatures at a time cover; undefined if no signature shows it. */
  forkVersion(timestamp: bigint): Bytes | undefined;
}

/** The state of the light client, and what it shows. */
export interface BeaconState {
  /** The state, for the next call and for export. */
  state: Bytes;
  finalized: Head;
  latest: Head;
  /** The sync committee period of the finalized head. */
  period: bigint;
  knowsNextCommittee: boolean;
  /** The period of the clock's slot. */
  currentPeriod: bigint;
}

/** The form of a message with updates. `updates` has several, each with its length and fork digest. */
export type Form = "finality" | "optimistic" | "update" | "updates";

/** In the order of their numbers in `bindings/wasm/src/beacon/message.rs`. */
const FORMS: readonly Form[] = ["finality", "optimistic", "update", "updates"];

/** The most updates of one request. */
export const MAX_UPDATES = 16;

/** The network as encoded, and the clock: the time and how far others may be ahead of it, in milliseconds. */
export interface NetworkTime {
  network: Bytes;
  now: bigint;
  maxClockSkew: bigint;
}

/** Starts at a checkpoint; `maxAge` is in seconds. */
export function start(
  time: NetworkTime,
  maxAge: bigint | undefined,
  checkpoint: Uint8Array,
  bootstrap: Bytes,
): BeaconState {
  const request = writeTimeAndAge(time, maxAge);
  request.array(checkpoint);
  const packed = request.finish();
  return read(ethereum.call(undefined, (wasm) => wasm.beaconStart(packed, bootstrap)));
}

/** Continues from a state that the caller trusts. */
export function resume(time: NetworkTime, maxAge: bigint | undefined, state: Bytes): BeaconState {
  const packed = writeTimeAndAge(time, maxAge).finish();
  return read(ethereum.call(undefined, (wasm) => wasm.beaconResume(packed, state)));
}

/**
 * Processes updates; throws without a change if one does not verify.
 *
 * Of several updates, those after one that shows a new committee may be left out.
 */
export function process(time: NetworkTime, state: Bytes, form: Form, ssz: Bytes): BeaconState {
  const request = writeTime(time);
  request.u8(FORMS.indexOf(form));
  if (form === "updates") request.u32(MAX_UPDATES);
  const packed = request.finish();
  return read(ethereum.call(undefined, (wasm) => wasm.beaconProcess(packed, state, ssz)));
}

/** Throws `head_too_old` if the newest head is older than `maxAge` seconds. */
export function checkHead(time: NetworkTime, maxAge: bigint, state: Bytes): void {
  const packed = writeTimeAndAge(time, maxAge).finish();
  ethereum.call(undefined, (wasm) => {
    wasm.beaconCheckHead(packed, state);
  });
}

/** The fork version that signatures of the slot at a time cover. */
export function forkVersion(time: NetworkTime, timestamp: bigint): Bytes {
  const packed = writeTimeAndAge(time, undefined).finish();
  return ethereum.call(undefined, (wasm) => wasm.beaconForkVersion(packed, timestamp));
}

function writeTime({ network, now, maxClockSkew }: NetworkTime): Writer {
  const writer = new Writer();
  writer.array(network);
  writer.u64(now);
  writer.u64(maxClockSkew);
  return writer;
}

function writeTimeAndAge(time: NetworkTime, maxAge: bigint | undefined): Writer {
  const writer = writeTime(time);
  writer.optionalU64(maxAge);
  return writer;
}

function read(response: Bytes): BeaconState {
  const reader = new Reader(response);
  return {
    state: reader.bytes(),
    finalized: readHead(reader),
    latest: readHead(reader),
    period: reader.u64(),
    knowsNextCommittee: reader.u8() !== 0,
    currentPeriod: reader.u64(),
  };
}

const readHead = (reader: Reader): Head => ({
  slot: reader.u64(),
  beaconRoot: toHex(reader.array(32)) as Hex,
  executionBlockHash: reader.u8() === 0 ? undefined : (toHex(reader.array(32)) as Hex),
  participation: reader.u8() === 0 ? undefined : { signed: reader.u32(), of: reader.u32() },
});
