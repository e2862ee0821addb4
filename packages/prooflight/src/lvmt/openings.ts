import { Arguments, invalid } from "../arguments.js";
import { BYTES, viewOf } from "../bytes.js";
import { describe } from "../error.js";
import { lvmt } from "../wasm/lvmt.js";
import { Writer } from "../wire.js";
import { type Setup, SETUP, u8, writeSetup } from "./setup.js";

/** The claim that a vector has a value at an index, and the points that prove it. */
export interface AmtOpening {
  /** The commitment of the vector, a compressed point of 32 bytes. */
  commitment: Uint8Array;
  /** The index of the entry, below `2^logN`. */
  index: number;
  /** The value of the entry: a number below the order of the group, 32 bytes, little-endian. */
  value: Uint8Array;
  /**
   * How the entry is opened: along a tree of arity `2^logArity`; left out, by a single point.
   */
  logArity?: number | undefined;
  /** The points, compressed, 32 bytes each: `logN / logArity` of them, or one. */
  points: readonly Uint8Array[];
}

/** What {@link verifyAmtOpenings} takes. */
export interface AmtOpeningsInput extends Setup {
  /** The openings, of any vectors and kinds. */
  openings: readonly AmtOpening[];
}

const OPENING = ["commitment", "index", "value", "logArity", "points"] as const;

/**
 * Verifies openings of vector commitments, all of them together.
 *
 * Throws a `VerifyError`: `malformed` for bytes that are no point or number, `mismatch` if one opening or
 * more do not hold, `unsupported` for a setup that is not accepted or not known, `invalid_input` for
 * wrong arguments. Source: `test-vectors/SPEC.md`, section "Vector commitments".
 */
export function verifyAmtOpenings(input: AmtOpeningsInput): void {
  const given = new Arguments("lvmt", input, [...SETUP, "openings"]);
  const request = new Writer(1024);
  writeSetup(request, given);
  const openings = given.list("openings");
  request.u32(openings.length);
  openings.forEach((opening, index) => {
    writeOpening(request, opening, `openings[${index}]`);
  });
  const packed = request.finish();
  lvmt.call("lvmt", (wasm) => {
    wasm.amtVerifyOpenings(packed);
  });
}

function writeOpening(request: Writer, opening: unknown, path: string): void {
  const given = new Arguments("lvmt", opening, OPENING, path);
  request.array(given.array("commitment", 32));
  request.u32(given.u32("index"));
  request.array(given.array("value", 32));
  const single = given.unchecked("logArity") === undefined;
  request.u8(single ? SINGLE : logArity(given));
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

/** What crosses as the arity of an opening by a single point. */
const SINGLE = 0;

function logArity(given: Arguments<(typeof OPENING)[number]>): number {
  const value = u8(given, "logArity");
  if (value !== SINGLE) return value;
  throw invalid("lvmt", "logArity", "at least 1, or left out", "the number 0");
}
