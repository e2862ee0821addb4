/** `HeaderWanted` and `HeaderRelation` of `test-vectors/spec/vectors.md`. */

import { Arguments, invalid, readHash } from "../arguments.js";
import { type BlockSelector, checkRequested, type HeaderId, relation } from "../chain/compare.js";
import { decodeHeader } from "../chain/header.js";
import { init } from "../wasm/hash.js";
import { answer } from "./chain.js";
import { hexMember, type Kind, quantity, there } from "./json.js";

const WANTED = ["newest", "height", "hash"] as const;

/** Whether a header is that of the requested block. */
export const HeaderWanted: Kind = {
  scheme: "chain",
  trusted: ({ newest, height, hash }) => there({ newest, height, hash }),
  question: ({ header }) => there({ header }),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments(undefined, input, ["header", ...WANTED]);
    const header = hexMember(undefined, given, "header");
    checkRequested(wanted(given), header);
    return answer(decodeHeader(header));
  },
};

/** The relation of one header to another. */
export const HeaderRelation: Kind = {
  scheme: "chain",
  trusted: ({ one, other }) => there({ one, other }),
  question: () => ({}),
  asked: [],
  subjects: () => [],
  init,
  verify(input) {
    const given = new Arguments(undefined, input, ["one", "other"]);
    return { relation: relation(known(given, "one"), known(given, "other")) };
  },
};

function wanted(given: Arguments<(typeof WANTED)[number]>): BlockSelector {
  const [name, ...more] = WANTED.filter((name) => given.unchecked(name) !== undefined);
  if (name === undefined || more.length > 0) {
    throw invalid(undefined, WANTED.join(", "), "one of them", name ? "several" : "none");
  }
  if (name === "hash") return { by: name, hash: readHash(given.unchecked(name), name) };
  return { by: name, height: quantity(undefined, given.unchecked(name), name) };
}

function known<Name extends string>(given: Arguments<Name>, name: Name): HeaderId {
  const members = new Arguments(undefined, given.unchecked(name), ["height", "headerHash"], name);
  const hash = readHash(members.unchecked("headerHash"), `${name}.headerHash`);
  return { height: quantity(undefined, members.unchecked("height"), `${name}.height`), hash };
}
