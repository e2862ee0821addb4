/** Lies that are made from honest JSON: each changes or removes one field. */

/** One changed reply. */
export interface Lie {
  /** The path of the field. */
  path: string;
  reply: unknown;
}

/** How many indices of each array are changed, besides the first and the last. */
const MORE = 1;

/**
 * All lies about a reply, as deep as it goes; of the items of an array, the first, the last and a random one.
 *
 * `random` gives numbers of 0 to 1.
 */
export function liesAbout(reply: unknown, random: () => number): Lie[] {
  return leaves(reply, random).flatMap(({ path, value }) => [
    { path: path.join("."), reply: changed(reply, path, other(value)) },
    { path: `${path.join(".")} removed`, reply: changed(reply, path, undefined) },
  ]);
}

interface Leaf {
  path: string[];
  value: unknown;
}

function leaves(value: unknown, random: () => number): Leaf[] {
  if (typeof value !== "object" || value === null) return [{ path: [], value }];
  const names = Array.isArray(value) ? someIndices(value.length, random) : Object.keys(value);
  return names.flatMap((name) =>
    leaves((value as Record<string, unknown>)[name], random).map((leaf) => ({
      ...leaf,
      path: [name, ...leaf.path],
    })),
  );
}

function someIndices(length: number, random: () => number): string[] {
  const more = Array.from({ length: MORE }, () => Math.floor(random() * length));
  const all = [0, length - 1, ...more].filter((index) => index >= 0 && index < length);
  return [...new Set(all)].map(String);
}

/** Another value of the same form. */
function other(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (typeof value !== "string") return "0x1";
  if (value === "0x") return "0x00";
  const last = value.slice(-1);
  return value.slice(0, -1) + (last === "1" ? "2" : "1");
}

/** A copy with another value at a path; `undefined` removes it. */
function changed(value: unknown, [name, ...rest]: string[], to: unknown): unknown {
  if (name === undefined) return to;
  const inner = changed((value as Record<string, unknown>)[name], rest, to);
  if (Array.isArray(value)) {
    const index = Number(name);
    return value.flatMap((item: unknown, at) =>
      at !== index ? [item] : inner === undefined ? [] : [inner],
    );
  }
  return { ...(value as object), [name]: inner };
}

/** Random numbers of 0 to 1, which a run with the printed seed repeats: the generator of Lehmer. */
export function seededRandom(): () => number {
  const seed = Number(process.env["PROOFLIGHT_SEED"] ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (PROOFLIGHT_SEED)`);
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
