/** A vector file whose tests all have an `input`. */
export function withInputs<File>(file: File): File;

/** The same with nothing joined. */
export function whole<File>(file: File): File;
