/** Why a file is not a proof file, in a sentence for people. */
export class NotAProof extends Error {}
