/** The known name that a misspelt one is most like; undefined if it is like none. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_CHARACTERS) return undefined;
  const most = Math.max(1, Math.floor(name.length / 3));
  const ranked = known
    .map((other) => ({ other, edits: edits(bare(name), bare(other)) }))
    .filter(({ edits }) => edits <= most)
    .sort((one, another) => one.edits - another.edits);
  return ranked[0]?.other;
}

/** No option has a longer name. */
const MAX_NAME_CHARACTERS = 40;

/** A name without what differs between styles of writing. */
const bare = (name: string) => name.toLowerCase().replace(/[-_]/g, "");

/**
 * The number of characters to insert, delete, replace or exchange with their neighbour in order to turn one text into
 * another.
 *
 * Source: the optimal string alignment distance, after Damerau and Levenshtein.
 */
function edits(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= one.length; row++) {
    const edited = [row];
    rows.push(edited);
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      edited[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isExchanged ? at(row - 2, column - 2) + 1 : Infinity,
      );
    }
  }
  return at(one.length, other.length);
}
