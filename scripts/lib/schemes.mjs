// Files generated from the table of schemes, for other languages than Rust.

import { readFileSync } from "node:fs";

import { inside } from "./paths.mjs";

/** The table in `crates/core/src/scheme.rs`, as `npm run vectors` writes it. */
export const readSchemes = () =>
  JSON.parse(readFileSync(inside("test-vectors", "schema", "schemes.json"), "utf8"));

/** The files generated from a table: their paths and contents. */
export function filesOf(schemes) {
  return [
    ["packages/prooflight/src/schemes.ts", typescript(schemes)],
    ["test-vectors/python/prooflight_vectors/schemes.py", python(schemes)],
    ...Object.entries(enums(schemes)).map(([path, names]) => [path, withEnums(path, names)]),
  ];
}

/** The generated files whose contents are out of date, with the right contents. */
export function outdated(schemes) {
  const read = (path) => {
    try {
      return readFileSync(inside(path), "utf8");
    } catch (error) {
      if (error.code === "ENOENT") return undefined;
      throw error;
    }
  };
  return filesOf(schemes).filter(([path, text]) => read(path) !== text);
}

/** The names of the schemes with an ability. */
const proving = (schemes, ability) =>
  schemes.filter(({ abilities }) => abilities.includes(ability)).map(({ name }) => name);

/** For each JSON file, the definitions that list schemes. */
function enums(schemes) {
  const all = schemes.map(({ name }) => name);
  const keys = proving(schemes, "keys");
  return {
    "test-vectors/schema/vectors_v1.json": {
      fileScheme: [...all, "chain"],
      scheme: all,
      stateScheme: keys,
      id: schemes.map(({ id }) => id),
    },
    "crates/node/openrpc.json": { StateScheme: keys },
  };
}

/** The text of a JSON file with the names filled into each definition. */
function withEnums(path, names) {
  let text = readFileSync(inside(path), "utf8");
  for (const [definition, list] of Object.entries(names)) {
    const place = new RegExp(`"${definition}": \\{ "enum": \\[[^\\]]*\\] \\}`, "g");
    if ([...text.matchAll(place)].length !== 1)
      throw new Error(`${path}: not exactly one ${definition}`);
    const items = list.map((item) => JSON.stringify(item)).join(", ");
    text = text.replace(place, `"${definition}": { "enum": [${items}] }`);
  }
  return text;
}

function typescript(schemes) {
  const union = (names) => names.map((name) => `"${name}"`).join(" | ");
  const abilities = [...new Set(schemes.flatMap(({ abilities }) => abilities))];
  const binaries = [...new Set(schemes.flatMap(({ binary }) => binary ?? []))];
  const keys = proving(schemes, "keys");
  return `// Generated from crates/core/src/scheme.rs by \`npm run vectors\`.

/** The authenticated stores. */
export type Scheme = ${union(schemes.map(({ name }) => name))};

/** The schemes that prove values of keys. */
export type StateScheme = ${union(keys)};

/** What a scheme's proofs can prove. */
${aliasOf("Ability", union(abilities))}

/** The properties of a scheme. */
export interface SchemeInfo {
  /** Its id in headers, configurations and envelopes. */
  readonly id: number;
  /** The length of its root in a header, in bytes. */
  readonly rootLength: number;
  /** What its proofs can prove; empty for a scheme that has only an id. */
  readonly abilities: readonly Ability[];
  /** The binary that contains its verifier. */
  readonly binary?: ${union(binaries)};
  /** Whether a chain's configuration has parameters for it. */
  readonly parameters: boolean;
}

/** Every scheme, in the order of the ids. */
export const SCHEMES: Readonly<Record<Scheme, SchemeInfo>> = {
${schemes.map(row).join("\n")}
};

/** The names of the schemes that prove values of keys. */
export const STATE_SCHEMES: readonly StateScheme[] = [${keys.map((name) => `"${name}"`).join(", ")}];
`;
}

/** A type of this name; on two lines if one is too short. */
function aliasOf(name, type) {
  const line = `export type ${name} = ${type};`;
  return line.length <= 100 ? line : `export type ${name} =\n  ${type};`;
}

function row({ name, id, rootLength, abilities, binary, parameters }) {
  const list = abilities.map((ability) => `"${ability}"`).join(", ");
  const members = [`id: ${id}`, `rootLength: ${rootLength}`, `abilities: [${list}]`];
  if (binary !== null) members.push(`binary: "${binary}"`);
  members.push(`parameters: ${parameters}`);
  const line = `  ${name}: { ${members.join(", ")} },`;
  if (line.length <= 100) return line;
  return [`  ${name}: {`, ...members.map((member) => `    ${member},`), "  },"].join("\n");
}

function python(schemes) {
  const list = (names) => names.map((name) => `"${name}"`).join(", ");
  const rows = (member) => schemes.map((scheme) => `    ${member(scheme)},`).join("\n");
  return `"""Generated from crates/core/src/scheme.rs by \`npm run vectors\`."""

IDS = {
${rows(({ name, id }) => `"${name}": ${id}`)}
}

ROOT_LENGTHS = {
${rows(({ id, rootLength }) => `${id}: ${rootLength}`)}
}

WITH_PARAMETERS = frozenset({${schemes
    .filter(({ parameters }) => parameters)
    .map(({ id }) => id)
    .join(", ")}})

# The schemes that prove values of keys.
STATE_SCHEMES = (${list(proving(schemes, "keys"))})
`;
}
