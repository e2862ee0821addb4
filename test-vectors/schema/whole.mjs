// Vector files with every input whole: edits applied, joined values put in (spec/vectors.md, sections 1 and 2).
// For what reads vectors and does not run them; a file that has not this form may give anything.

/** A vector file whose tests all have an `input`. */
export function withInputs(file) {
  const testGroups = file.testGroups.map((group) => {
    const inputs = new Map(group.tests.map(({ tcId, input }) => [tcId, input]));
    const tests = group.tests.map(({ base, edits, ...test }) => ({
      ...test,
      input: edits ? edits.reduce(edited, inputs.get(base)) : test.input,
    }));
    return { ...group, tests };
  });
  return { ...file, testGroups };
}

/** The same with nothing joined. */
export function whole(file) {
  return { ...file, testGroups: joined(withInputs(file).testGroups) };
}

function edited(input, { at, ...edit }) {
  const [step, ...further] = at;
  if (step !== undefined && (further.length > 0 || "put" in edit)) {
    return withItem(input, step, edited(input[step], { at: further, ...edit }));
  }
  if ("set" in edit) return withItem(input, step, edit.set);
  if ("remove" in edit) {
    return Object.fromEntries(Object.entries(input).filter(([name]) => name !== step));
  }
  const { from, cut, put } = edit;
  if (Array.isArray(input)) return [...input.slice(0, from), ...put, ...input.slice(from + cut)];
  return input.slice(0, 2 + 2 * from) + put.slice(2) + input.slice(2 + 2 * (from + cut));
}

function withItem(parent, step, value) {
  if (!Array.isArray(parent)) return { ...parent, [step]: value };
  return parent.map((item, index) => (index === step ? value : item));
}

function joined(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(joined);
  if (!("joined" in value)) {
    return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, joined(it)]));
  }
  const parts = value.joined.map((part) =>
    "times" in Object(part) ? part : { repeat: part, times: 1 },
  );
  if (Array.isArray(parts[0]?.repeat)) {
    return parts.flatMap(({ repeat, times }) => Array.from({ length: times }, () => repeat).flat());
  }
  return `0x${parts.map(({ repeat, times }) => repeat.slice(2).repeat(times)).join("")}`;
}
