import { Arguments, invalid, itemsOf, readHash, readHex } from "../arguments.js";
import { fromHex, type Hex, parseQuantity, type Quantity, toHex, toQuantity } from "../bytes.js";
import { describe, refuse } from "../error.js";
import { hasLoneSurrogate, Utf8Encoder } from "../platform.js";
import { Writer } from "../wire.js";

/**
 * A header that the application trusts, with the whole configuration of its chain, as JSON.
 *
 * Ship it with the application, or save the result of {@link LightClient.exportCheckpoint}; never take
 * it from a server. The command `prooflight-node checkpoint` prints one.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#6-checkpoint-in-json | The specification, chain 6}
 * @see {@link https://github.com/prooflight/prooflight/blob/main/docs/guide/follow-a-chain.md | Follow a chain}
 */
export interface Checkpoint {
  config: ChainConfig;
  /** The height of the trusted header. */
  height: Quantity;
  /** The hash of the trusted header, 32 bytes. */
  headerHash: Hex;
}

/**
 * Everything about a chain that never changes.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#6-checkpoint-in-json | The specification, chain 6}
 */
export interface ChainConfig {
  version: number;
  /** A human-readable name; two chains may share it. */
  chainId: string;
  /** The schemes that the chain keeps, ascending by id. */
  schemes: SchemeConfig[];
  /** The Ed25519 public keys that sign headers, 32 bytes each. */
  authorities: Hex[];
  /** The number of authorities that must sign a header. */
  quorum: number;
  limits: ChainLimits;
  /** The genesis header's timestamp, in milliseconds since 1970. */
  genesisTimestampMs: Quantity;
}

/** A scheme that a chain keeps. */
export interface SchemeConfig {
  /** The id of the scheme. */
  id: number;
  /** The scheme's parameters, encoded; `0x` if it has none. */
  params: Hex;
}

/** Limits of a block. */
export interface ChainLimits {
  /** The longest key, in bytes. */
  maxKey: number;
  /** The longest value, in bytes. */
  maxValue: number;
  /** The most operations in a block. */
  maxOps: number;
}

/** A checkpoint whose form was checked, with its decoded height and hash. */
export interface Pinned {
  readonly json: Checkpoint;
  readonly height: bigint;
  readonly headerHash: Uint8Array;
}

/**
 * Reads a checkpoint from its JSON text.
 *
 * Throws `invalid_input` / `invalid_argument` if the text does not have exactly the members of a {@link Checkpoint}.
 * The functions that take the checkpoint check that its configuration is valid.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/chain.md#6-checkpoint-in-json | The specification, chain 6}
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { LightClient, parseCheckpoint } from "prooflight";
 *
 * const checkpoint = parseCheckpoint(readFileSync("checkpoint.json", "utf8"));
 * const client = await LightClient.connect({ urls: ["https://node.example"], checkpoint });
 * ```
 */
export function parseCheckpoint(text: string): Checkpoint {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw refuse("invalid_argument", "text to be a checkpoint in JSON", describe(text), { cause });
  }
  return readCheckpoint(json).json;
}

/** Checks the form of a checkpoint, and copies it. */
export function readCheckpoint(given: unknown, path = "checkpoint"): Pinned {
  const members = new Arguments(undefined, given, ["config", "height", "headerHash"], path);
  const config = readConfig(members.unchecked("config"), `${path}.config`);
  const height = quantity(members.unchecked("height"), `${path}.height`);
  const headerHash = readHash(members.unchecked("headerHash"), `${path}.headerHash`);
  const json = { config, height: toQuantity(height), headerHash: toHex(headerHash) as Hex };
  return { json, height, headerHash };
}

/** Writes the configuration, height and header hash. */
export function writeCheckpoint(writer: Writer, { json, height, headerHash }: Pinned): void {
  writeConfig(writer, json.config);
  writer.u64(height);
  writer.array(headerHash);
}

/** Writes `ChainLimits`. */
export function writeLimits(writer: Writer, { maxKey, maxValue, maxOps }: ChainLimits): void {
  writer.u16(maxKey);
  writer.u32(maxValue);
  writer.u32(maxOps);
}

/** Checks the form of a chain's limits. */
export function readLimits(given: unknown, path: string): ChainLimits {
  const members = new Arguments(undefined, given, ["maxKey", "maxValue", "maxOps"], path);
  return {
    maxKey: number(members.unchecked("maxKey"), 16, `${path}.maxKey`),
    maxValue: number(members.unchecked("maxValue"), 32, `${path}.maxValue`),
    maxOps: number(members.unchecked("maxOps"), 32, `${path}.maxOps`),
  };
}

const CONFIG = [
  "version",
  "chainId",
  "schemes",
  "authorities",
  "quorum",
  "limits",
  "genesisTimestampMs",
] as const satisfies readonly (keyof ChainConfig)[];

/** Checks the form of a configuration, and copies it. */
export function readConfig(given: unknown, path: string): ChainConfig {
  const members = new Arguments(undefined, given, CONFIG, path);
  const at = (name: (typeof CONFIG)[number]) =>
    [members.unchecked(name), `${path}.${name}`] as const;
  return {
    version: number(members.unchecked("version"), 8, `${path}.version`),
    chainId: name(...at("chainId")),
    schemes: list(...at("schemes"), readScheme),
    authorities: list(...at("authorities"), (key, path) => toHex(readHash(key, path)) as Hex),
    quorum: number(members.unchecked("quorum"), 16, `${path}.quorum`),
    limits: readLimits(...at("limits")),
    genesisTimestampMs: toQuantity(quantity(...at("genesisTimestampMs"))),
  };
}

function readScheme(given: unknown, path: string): SchemeConfig {
  const members = new Arguments(undefined, given, ["id", "params"], path);
  const params = readHex(undefined, members.unchecked("params"), `${path}.params`);
  return { id: number(members.unchecked("id"), 8, `${path}.id`), params: toHex(params) as Hex };
}

/** Writes the bytes of an encoded `ChainConfig`. */
export function writeConfig(request: Writer, config: ChainConfig): void {
  const writer = new Writer();
  writer.u8(config.version);
  writer.bytes(new Utf8Encoder().encode(config.chainId));
  writer.sequence(config.schemes, ({ id, params }) => {
    writer.u8(id);
    writer.bytes(fromHex(params));
  });
  writer.sequence(config.authorities, (key) => {
    writer.array(fromHex(key));
  });
  writer.u16(config.quorum);
  writeLimits(writer, config.limits);
  writer.u64(BigInt(config.genesisTimestampMs));
  request.bytes(writer.finish());
}

function list<T>(given: unknown, path: string, read: (item: unknown, path: string) => T): T[] {
  return itemsOf(undefined, given, path).map((item, index) => read(item, `${path}[${index}]`));
}

function number(given: unknown, bits: 8 | 16 | 32, path: string): number {
  if (Number.isInteger(given) && (given as number) >= 0 && (given as number) < 2 ** bits) {
    return given as number;
  }
  throw invalid(undefined, path, `an integer of 0 to 2^${bits} - 1`, describe(given));
}

function quantity(given: unknown, path: string): bigint {
  const number = parseQuantity(given);
  if (number !== undefined) return number;
  throw invalid(undefined, path, "a 64-bit quantity, 0x and digits", describe(given));
}

function name(given: unknown, path: string): string {
  // Half of a surrogate pair has no UTF-8, so two such names would have one encoding.
  if (typeof given === "string" && !hasLoneSurrogate(given)) return given;
  throw invalid(undefined, path, "a string of whole characters", describe(given));
}
