// Finds modules that grew compared with the table of sizes in the guide.

/** The growth of a module that needs no reason. */
const TOLERANCE = 1.01;

/** KiB, in the format of the table. */
export const kib = (bytes) => (bytes / 1024).toFixed(1);

/** The rows, `{ module, cells }` with bytes, that are more than 1 % above their line of `table`. A new module has no line yet. */
export function grown(rows, table) {
  return rows.filter(({ module, cells }) => {
    const before = recorded(module, table);
    return before?.some((size, column) => kib(cells[column]) > size * TOLERANCE);
  });
}

/** The rows that are missing in `table`. */
export const missing = (rows, table) => rows.filter(({ module }) => !recorded(module, table));

function recorded(module, table) {
  const line = table.split("\n").find((line) => line.startsWith(`| \`${module}\` |`));
  return line?.split("|").slice(2, -1).map(Number);
}

/** The lines with the reasons for growth, those of `table` first. */
export function reasons(rows, table, reason) {
  const lines = table.split("\n").filter((line) => line.startsWith("* "));
  const names = grown(rows, table).map(({ module }) => `\`${module}\``);
  if (names.length > 0) lines.push(`* ${names.join(", ")} grew: ${reason}`);
  return lines;
}
