// Reads CLASSES.md, and says what of it does not hold for the vectors.

/** The folders of vectors, each a scheme or what belongs to none. */
export const SCHEMES = ["avl", "mpt", "amt", "lvmt", "smt", "chain"];

/**
 * The classes of a text: the `###` headings, each in the group of the `##` heading above it, with an entry
 * for each scheme. Entries are lines `- avl, mpt: …`; those above the first class of a group are of
 * all its classes that have none of their own.
 */
export function readClasses(text) {
  const classes = [];
  const problems = [];
  let group;
  let at;
  for (const [index, line] of text.split("\n").entries()) {
    const heading = /^(##+) (.+)$/.exec(line);
    if (heading?.[1] === "##") at = group = { name: heading[2], entries: new Map() };
    else if (heading?.[1] === "###") {
      at = { name: heading[2], entries: new Map(), group };
      classes.push(at);
    }
    const entry = /^- ((?:\w+, )*\w+): (.+)$/.exec(line);
    const schemes = entry?.[1].split(", ") ?? [];
    if (!schemes.some((scheme) => SCHEMES.includes(scheme))) {
      if (line.startsWith("- ") && at?.group) problems.push(`line ${index + 1}: no entry: ${line}`);
      continue;
    }
    for (const scheme of schemes) {
      if (!SCHEMES.includes(scheme)) problems.push(`line ${index + 1}: no scheme: ${scheme}`);
      if (at.entries.has(scheme)) problems.push(`line ${index + 1}: ${scheme} twice`);
      at.entries.set(scheme, entry[2]);
    }
  }
  for (const one of classes) one.entries = new Map([...one.group.entries, ...one.entries]);
  return { classes, problems };
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
