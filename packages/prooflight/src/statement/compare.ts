/** `HeaderWanted` and `HeaderRelation` of `test-vectors/spec/vectors.md`. */

import { invalid, readHash } from "../arguments.js";
import { type BlockSelector, checkRequested, type HeaderId, relation } from "../chain/compare.js";
import { decodeHeader } from "../chain/header.js";
import { answer } from "./chain.js";
import { JsonMembers, kind } from "./json.js";

const WANTED = ["newest", "height", "hash"] as const;

/** Whether a header is that of the requested block. */
export const HeaderWanted = kind({
  scheme: "chain",
  trusted: WANTED,
  question: ["header"],
  evidence: [],
  verify(given) {
    const header = given.hex("header");
    checkRequested(wanted(given), header);
    return answer(decodeHeader(header));
  },
});

/** The relation of one header to another. */
export const HeaderRelation = kind({
  scheme: "chain",
  trusted: ["one", "other"],
  question: [],
  evidence: [],
  verify: (given) => ({ relation: relation(known(given, "one"), known(given, "other")) }),
});

function wanted(given: JsonMembers<(typeof WANTED)[number]>): BlockSelector {
  const [name, ...more] = WANTED.filter((name) => given.unchecked(name) !== undefined);
  if (name === undefined || more.length > 0) {
    throw invalid(undefined, WANTED.join(", "), "one of them", name ? "several" : "none");
  }
  if (name === "hash") return { by: name, hash: readHash(given.unchecked(name), name) };
  return { by: name, height: given.quantity(name) };
}

function known<Name extends string>(given: JsonMembers<Name>, name: Name): HeaderId {
  const members = new JsonMembers(undefined, given.unchecked(name), ["height", "headerHash"], name);
  const hash = readHash(members.unchecked("headerHash"), `${name}.headerHash`);
  return { height: members.quantity("height"), hash };
}
