/** `AmtOpening` and `LvmtProof` of `test-vectors/spec/vectors.md`. */

import { Arguments, invalid } from "../arguments.js";
import { type Bytes, parseQuantity, toHex } from "../bytes.js";
import { describe } from "../error.js";
import type { Limits } from "../limits.js";
import { type AmtOpening as Opening, verifyAmtOpenings } from "../lvmt/openings.js";
import { verifyLvmtProof } from "../lvmt/proof.js";
import { init } from "../wasm/lvmt.js";
import { stateJson } from "./answer.js";
import { hexItems, hexMember, type Kind, optionalHex, quantity, there } from "./json.js";

/** Openings of vector commitments. */
export const AmtOpening: Kind = {
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
  asked: ["allowInsecureSetup", "verifyingKey"],
  ownKey: "setup",
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments("lvmt", input, [
      "setup",
      "logN",
      "paramsId",
      "allowInsecureSetup",
      "openings",
    ]);
    const setup = given.unchecked("setup");
    const id = verifyAmtOpenings({
      setup: setup === "dev" || setup === "ppot" ? setup : hexMember("lvmt", given, "setup"),
      logN: given.optionalU32("logN"),
      paramsId: optionalHex("lvmt", given, "paramsId"),
      allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
      openings: given.list("openings").map(opening),
    });
    return { paramsId: toHex(id) };
  },
};

function opening(opening: unknown, index: number): Opening {
  const path = `openings[${index}]`;
  const given = new Arguments(
    "lvmt",
    opening,
    ["kind", "logArity", "commitment", "index", "value", "versions", "points"],
    path,
  );
  const has = (name: "value" | "versions") => given.unchecked(name) !== undefined;
  // verifyAmtOpenings checks that an opening has exactly the members of its kind.
  return {
    kind: given.unchecked("kind") as "tree",
    logArity: given.unchecked("logArity") as number,
    commitment: hexMember("lvmt", given, "commitment"),
    index: given.unchecked("index") as number,
    ...(has("value") && { value: hexMember("lvmt", given, "value") }),
    ...(has("versions") && { versions: given.list("versions").map(version) }),
    points: hexItems("lvmt", given.list("points"), "points"),
  };
}

function version(version: unknown): bigint {
  const number = parseQuantity(version);
  if (number !== undefined) return number;
  throw invalid("lvmt", "versions", "64-bit quantities", describe(version));
}

/** A proof about keys. */
export const LvmtProof: Kind = {
  scheme: "lvmt",
  trusted: ({ paramsId, logN, logArity, allowInsecureSetup, verifyingKey, roots, limits }) =>
    there({ paramsId, logN, logArity, allowInsecureSetup, verifyingKey, roots, limits }),
  question: ({ keys }) => there({ keys }),
  asked: ["allowInsecureSetup", "verifyingKey"],
  ownKey: "verifyingKey",
  subjects: (input) => (input as { keys: string[] }).keys,
  init,
  verify(input) {
    const given = new Arguments("lvmt", input, [
      "paramsId",
      "logN",
      "logArity",
      "allowInsecureSetup",
      "verifyingKey",
      "roots",
      "keys",
      "proof",
      "limits",
    ]);
    const results = verifyLvmtProof({
      paramsId: hexMember("lvmt", given, "paramsId"),
      logN: given.u32("logN"),
      logArity: given.u32("logArity"),
      allowInsecureSetup: given.optionalBoolean("allowInsecureSetup"),
      verifyingKey: optionalHex("lvmt", given, "verifyingKey"),
      ...roots(given.unchecked("roots")),
      keys: hexItems("lvmt", given.list("keys"), "keys"),
      proof: hexMember("lvmt", given, "proof"),
      // verifyLvmtProof checks the unchecked members.
      limits: given.unchecked("limits") as Limits | undefined,
    });
    return { results: results.map(stateJson) };
  },
};

function roots(roots: unknown): { root: Bytes; height: bigint } {
  const given = new Arguments("lvmt", roots, ["aroot", "hroot", "height"], "roots");
  const height = quantity("lvmt", given.unchecked("height"), "roots.height");
  const root = new Uint8Array(64);
  root.set(half(given, "aroot"));
  root.set(half(given, "hroot"), 32);
  return { root, height };
}

function half(given: Arguments<"aroot" | "hroot">, name: "aroot" | "hroot"): Bytes {
  const bytes = hexMember("lvmt", given, name);
  if (bytes.length === 32) return bytes;
  throw invalid("lvmt", `roots.${name}`, "32 bytes", `${bytes.length} bytes`);
}
