import { Arguments, invalid } from "../arguments.js";
import { type Bytes, BYTES, type Hex, viewOf } from "../bytes.js";
import { describe } from "../error.js";
import { lvmt } from "../wasm/lvmt.js";
import { Writer } from "../wire.js";
import { paramsId, u8, verifyingKey } from "./setup.js";

/** The claim that a vector has a value at an index, and the points that prove it. */
export interface AmtOpening {
  /** How the entry is opened: along a tree, or by a single point. */
  kind: "tree" | "single";
  /** The base-2 logarithm of the tree's arity; required if `kind` is `tree`, and only then. */
  logArity?: number | undefined;
  /** The commitment of the vector, a compressed point of 32 bytes. */
  commitment: Uint8Array;
  /** The index of the entry, below `2^logN`. */
  index: number;
  /** The value of the entry: a number below the order of the group, 32 bytes, little-endian. */
  value?: Uint8Array | undefined;
  /** In place of `value`: the six versions of an entry of LVMT. */
  versions?: readonly bigint[] | undefined;
  /** The points, compressed, 32 bytes each: `logN / logArity` of them, or one. */
  points: readonly Uint8Array[];
}

/** The input of {@link verifyAmtOpenings}. */
export interface AmtOpeningsInput {
  /** The development setup, that of the Perpetual Powers of Tau, or the bytes of a verifying key. */
  setup: "dev" | "ppot" | Uint8Array;
  /** The base-2 logarithm of the number of entries of a vector, for a named setup. */
  logN?: number | undefined;
  /** The required id of the setup, 32 bytes. */
  paramsId?: Uint8Array | Hex | undefined;
  /** Whether the development setup is accepted. Default false. */
  allowInsecureSetup?: boolean | undefined;
  /** The openings, of any vectors and kinds. */
  openings: readonly AmtOpening[];
}

const OPENING = ["commitment", "index", "kind", "logArity", "value", "versions", "points"] as const;

/**
 * Verifies openings of vector commitments in one batch. Returns the id of the setup.
 *
 * Throws a `VerifyError`: `malformed` for bytes that are not a point or number, `mismatch` if any opening
 * does not hold, `unsupported` for a setup that is not accepted, `invalid_input` for wrong arguments.
 *
 * @see {@link https://github.com/prooflight/prooflight/blob/main/test-vectors/spec/amt.md#5-verification | The specification, amt 5}
 *
 * @example
 * ```ts
 * import { type AmtOpening, init, verifyAmtOpenings } from "prooflight/lvmt";
 *
 * await init();
 * const entry = { commitment, index: 7, value: new Uint8Array(32) }; // entry 7 of the vector is 0
 * const opening: AmtOpening = { kind: "tree", logArity: 4, ...entry, points };
 * const paramsId = verifyAmtOpenings({ setup: "ppot", logN: 16, openings: [opening] });
 * console.log("holds under the setup", paramsId);
 * ```
 */
export function verifyAmtOpenings(input: AmtOpeningsInput): Bytes {
  const given = new Arguments("lvmt", input, [
    "setup",
    "logN",
    "paramsId",
    "allowInsecureSetup",
    "openings",
  ]);
  const request = new Writer(1024);
  writeNamed(request, given);
  request.bool(given.optionalBoolean("allowInsecureSetup") ?? false);
  const pinned = given.unchecked("paramsId") !== undefined;
  request.bool(pinned);
  if (pinned) request.array(paramsId(given));
  const openings = given.list("openings");
  request.u32(openings.length);
  openings.forEach((opening, index) => {
    writeOpening(request, opening, `openings[${index}]`);
  });
  const packed = request.finish();
  return lvmt.call("lvmt", (wasm) => wasm.amtVerifyOpenings(packed));
}

function writeNamed(request: Writer, given: Arguments<"setup" | "logN">): void {
  if (typeof given.unchecked("setup") === "string") {
    const name = given.optionalChoice("setup", ["dev", "ppot"]);
    request.u8(name === "dev" ? 0 : 1);
    request.u8(u8(given, "logN"));
    return;
  }
  const key = verifyingKey(given, "setup");
  const logN = given.unchecked("logN");
  if (logN !== undefined) {
    throw invalid("lvmt", "logN", "left out beside a verifying key", describe(logN));
  }
  request.u8(2);
  request.bytes(key);
}

function writeOpening(request: Writer, opening: unknown, path: string): void {
  const given = new Arguments("lvmt", opening, OPENING, path);
  const tree = given.optionalChoice("kind", ["tree", "single"]) === "tree";
  if (!tree && given.unchecked("kind") !== "single") {
    throw invalid("lvmt", `${path}.kind`, "tree or single", describe(given.unchecked("kind")));
  }
  request.bool(tree);
  if (tree) request.u8(u8(given, "logArity"));
  else leftOut(given.unchecked("logArity"), `${path}.logArity`);
  request.array(given.array("commitment", 32));
  request.u32(given.u32("index"));
  const versions = given.unchecked("versions") !== undefined;
  request.bool(versions);
  if (versions) {
    leftOut(given.unchecked("value"), `${path}.value`);
    writeVersions(request, given.list("versions"), `${path}.versions`);
  } else {
    request.array(given.array("value", 32));
  }
  const points = given.list("points");
  request.u32(points.length);
  points.forEach((point, index) => {
    const bytes = viewOf(point);
    const name = `${path}.points[${index}]`;
    if (!bytes) throw invalid("lvmt", name, BYTES, describe(point));
    if (bytes.length !== 32) throw invalid("lvmt", name, "32 bytes", `${bytes.length} bytes`);
    request.array(bytes);
  });
}

function writeVersions(request: Writer, versions: readonly unknown[], path: string): void {
  if (versions.length !== 6) throw invalid("lvmt", path, "six versions", `${versions.length}`);
  Array.from(versions, (version, index) => {
    if (typeof version !== "bigint" || version < 0n || version >= 1n << 64n) {
      throw invalid("lvmt", `${path}[${index}]`, "a bigint of 0 to 2^64 - 1", describe(version));
    }
    request.u64(version);
  });
}

function leftOut(value: unknown, path: string): void {
  if (value !== undefined) throw invalid("lvmt", path, "left out", describe(value));
}
