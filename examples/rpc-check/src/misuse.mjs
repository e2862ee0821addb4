/** A mistake that the caller of the program has to fix. */
export class Misuse extends Error {}
