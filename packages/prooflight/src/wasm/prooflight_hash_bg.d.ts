/** The functions that wasm-bindgen generates from `bindings/wasm`; the JavaScript is made by the build. */

export function __wbg_set_wasm(exports: WebAssembly.Exports): void;

export function version(): string;

export function avlVerifyBatch(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;
export function avlVerifyErgoAdProofs(
  request: Uint8Array,
  proof: Uint8Array,
): Uint8Array<ArrayBuffer>;

export function avlProverNew(params: Uint8Array): number;
export function avlProverDigest(prover: number): Uint8Array<ArrayBuffer>;
export function avlProverGet(prover: number, key: Uint8Array): Uint8Array<ArrayBuffer> | undefined;
export function avlProverProve(prover: number, operations: Uint8Array): Uint8Array<ArrayBuffer>;
export function avlProverApply(prover: number, operations: Uint8Array): Uint8Array<ArrayBuffer>;
export function avlProverFree(prover: number): void;

export function chainDecodeHeader(signed: Uint8Array): Uint8Array<ArrayBuffer>;
export function chainVerifyHead(request: Uint8Array, head: Uint8Array): Uint8Array<ArrayBuffer>;
export function chainVerifyAncestor(
  request: Uint8Array,
  header: Uint8Array,
): Uint8Array<ArrayBuffer>;
export function chainVerifyAncestors(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function chainCheckWanted(wanted: Uint8Array, signed: Uint8Array): void;
export function chainRelation(one: Uint8Array, other: Uint8Array): number;
export function chainCheckKeys(request: Uint8Array): void;

export function verifyState(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;

export function ambVerify(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;

export function lmptVerify(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;

export function mptVerifyProof(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function mptVerifyAnswers(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function mptCanonicalProofs(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function mptVerifyHeader(hash: Uint8Array, rlp: Uint8Array): Uint8Array<ArrayBuffer>;
export function mptVerifyCode(codeHash: Uint8Array, code: Uint8Array): void;
export function mptVerifyTransaction(
  raw: Uint8Array,
  answered: Uint8Array,
): Uint8Array<ArrayBuffer>;

export function smtVerify(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;
export function smtHistoryBlocks(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;
export function smtVerifyHistory(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;
export function smtTwap(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;
export function smtVerifyDiff(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;
