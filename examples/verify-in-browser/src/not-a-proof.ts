/** Why a file is not a proof file, in a readable sentence. */
export class NotAProof extends Error {}
