// Reads CLASSES.md, and says what of it does not hold for the vectors.

/** The folders of vectors, each a scheme or what belongs to none. */
export const SCHEMES = ["avl", "mpt", "lmpt", "amt", "lvmt", "smt", "amb", "chain"];

/**
 * The classes of a text, each with its group and an entry for each scheme.
 *
 * Under `## Classes` the groups are headings and their classes a list. Each scheme's heading has a table
 * whose rows name a class, or a group in bold, and its entry: that of a group is of all its classes that
 * have none of their own.
 */
export function readClasses(text) {
  const classes = new Map();
  const groups = new Map();
  const problems = [];
  const tables = new Map();
  let section;
  let group;
  for (const [index, line] of text.split("\n").entries()) {
    const problem = (what) => problems.push(`line ${index + 1}: ${what}: ${line}`);
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading) {
      section = heading;
      if (SCHEMES.includes(section)) tables.set(section, new Map());
      continue;
    }
    if (section === "Classes") {
      group = /^### (.+)$/.exec(line)?.[1] ?? group;
      const name = /^\* (.+?)(?:\. .+)?$/.exec(line)?.[1];
      if (line.startsWith("###")) groups.set(group, { name: group });
      if (name && classes.has(name)) problem("a class twice");
      if (name) classes.set(name, { name, group: groups.get(group) });
      continue;
    }
    if (!line.startsWith("|") || /^\|[-|]+$|^\| class \|/.test(line)) continue;
    const row = /^\| (?:\*\*(.+)\*\*|(.+?)) \| (.*)\|$/.exec(line);
    const name = row?.[1] ?? row?.[2];
    const known = row?.[1] ? groups : classes;
    const table = tables.get(section);
    if (!table) problem("no scheme's table");
    else if (!known.has(name)) problem("no class");
    else if (table.has(known.get(name))) problem("a row twice");
    else table.set(known.get(name), row[3].trim());
  }
  for (const one of classes.values()) {
    const entries = [...tables].map(([scheme, rows]) => [
      scheme,
      rows.get(one) ?? (rows.get(one.group) || undefined),
    ]);
    one.entries = new Map(entries.filter(([, entry]) => entry !== undefined));
  }
  return { classes: [...classes.values()], problems };
}

/**
 * How many vectors each class has by scheme, null where it does not fit, and what is wrong.
 *
 * `files` are the vector files by their paths. What an entry has in backquotes are names of its scheme's
 * files, each followed by what the comments of vectors are, where `*` stands for anything.
 * An entry without any says why the class does not fit.
 */
export function countClasses({ classes, problems: before }, files) {
  const problems = [...before];
  const counts = classes.map(({ name, group, entries }) => {
    const count = { name, group: group.name, schemes: {} };
    for (const scheme of SCHEMES) {
      const place = `${group.name}, ${name}, ${scheme}`;
      const found = new Set();
      let tests;
      const entry = entries.get(scheme);
      if (entry === undefined) problems.push(`${place}: nothing is said`);
      const quoted = [...(entry ?? "").matchAll(/`([^`]+)`/g)].map(([, text]) => text);
      for (const text of quoted) {
        const file = files.get(`${scheme}/${text}.json`);
        if (file) {
          tests = file.testGroups.flatMap((group) => group.tests);
          continue;
        }
        const matching = tests?.filter(({ comment }) => pattern(text).test(comment)) ?? [];
        if (matching.length === 0) problems.push(`${place}: no vector: ${text}`);
        for (const test of matching) {
          if (test.result === "invalid") found.add(test);
          else problems.push(`${place}: ${text}: this one is valid: ${test.comment}`);
        }
      }
      if (quoted.length > 0 && found.size === 0) problems.push(`${place}: no vector at all`);
      count.schemes[scheme] = quoted.length > 0 ? found.size : null;
    }
    return count;
  });
  return { counts, problems };
}

/** Of a whole comment. */
function pattern(text) {
  const parts = text.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}
