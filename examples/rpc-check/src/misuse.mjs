/** What whoever calls the program has to mend. */
export class Misuse extends Error {}
