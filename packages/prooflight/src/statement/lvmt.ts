/** `AmtOpening` and `LvmtProof` of `test-vectors/spec/vectors.md`. */

import { invalid } from "../arguments.js";
import { type Bytes, parseQuantity, toHex } from "../bytes.js";
import { describe } from "../error.js";
import type { Limits } from "../limits.js";
import { type AmtOpening as Opening, verifyAmtOpenings } from "../lvmt/openings.js";
import { verifyLvmtProof } from "../lvmt/proof.js";
import { init } from "../wasm/lvmt.js";
import { stateJson } from "./answer.js";
import { JsonMembers, keysOf, kind, there } from "./json.js";

const OPENING = ["kind", "logArity", "commitment", "index", "value", "versions", "points"] as const;

/** Openings of vector commitments. */
export const AmtOpening = kind({
  scheme: "lvmt",
  trusted: ({ setup, logN, allowInsecureSetup, openings }) =>
    there({
      ...{ setup, logN, allowInsecureSetup },
      commitments: (openings as { commitment: string }[]).map(({ commitment }) => commitment),
    }),
  question: ({ openings }) => ({
    openings: (openings as Record<string, unknown>[]).map(({ kind, index, value, versions }) =>
      there({ kind, index, value, versions }),
    ),
  }),
  evidence: ["setup", "logN", "paramsId", "allowInsecureSetup", "openings"],
  asked: ["allowInsecureSetup", "verifyingKey"],
  ownKey: "setup",
  init,
  verify(given) {
    const setup = given.unchecked("setup");
    const id = verifyAmtOpenings({
      setup: setup === "dev" || setup === "ppot" ? setup : given.hex("setup"),
      logN: given.optionalU32("logN"),
      paramsId: given.optionalHex("paramsId"),
      allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
      openings: given.objects("openings", OPENING).map(opening),
    });
    return { paramsId: toHex(id) };
  },
});

function opening(given: JsonMembers<(typeof OPENING)[number]>): Opening {
  const value = given.optionalHex("value");
  const hasVersions = given.unchecked("versions") !== undefined;
  // verifyAmtOpenings checks that an opening has exactly the members of its kind.
  return {
    kind: given.unchecked("kind") as "tree",
    logArity: given.unchecked("logArity") as number,
    commitment: given.hex("commitment"),
    index: given.unchecked("index") as number,
    ...(value && { value }),
    ...(hasVersions && { versions: given.list("versions").map(version) }),
    points: given.hexList("points"),
  };
}

function version(version: unknown): bigint {
  const number = parseQuantity(version);
  if (number !== undefined) return number;
  throw invalid("lvmt", "versions", "64-bit quantities", describe(version));
}

/** A proof about keys. */
export const LvmtProof = kind({
  scheme: "lvmt",
  trusted: [
    "paramsId",
    "logN",
    "logArity",
    "allowInsecureSetup",
    "verifyingKey",
    "roots",
    "limits",
  ],
  question: ["keys"],
  evidence: ["proof"],
  asked: ["allowInsecureSetup", "verifyingKey"],
  ownKey: "verifyingKey",
  subjects: keysOf,
  init,
  verify(given) {
    const results = verifyLvmtProof({
      paramsId: given.hex("paramsId"),
      logN: given.u32("logN"),
      logArity: given.u32("logArity"),
      allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
      verifyingKey: given.optionalHex("verifyingKey"),
      ...roots(given.unchecked("roots")),
      keys: given.hexList("keys"),
      proof: given.hex("proof"),
      // verifyLvmtProof checks the unchecked members.
      limits: given.unchecked("limits") as Limits | undefined,
    });
    return { results: results.map(stateJson) };
  },
});

function roots(roots: unknown): { root: Bytes; height: bigint } {
  const given = new JsonMembers("lvmt", roots, ["aroot", "hroot", "height"], "roots");
  const height = given.quantity("height");
  const root = new Uint8Array(64);
  root.set(half(given, "aroot"));
  root.set(half(given, "hroot"), 32);
  return { root, height };
}

function half(given: JsonMembers<"aroot" | "hroot">, name: "aroot" | "hroot"): Bytes {
  const bytes = given.hex(name);
  if (bytes.length === 32) return bytes;
  throw invalid("lvmt", `roots.${name}`, "32 bytes", `${bytes.length} bytes`);
}
