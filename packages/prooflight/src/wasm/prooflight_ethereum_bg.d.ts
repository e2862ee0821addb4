/** The functions that wasm-bindgen generates from `bindings/wasm`; the JavaScript is made by the build. */

export function __wbg_set_wasm(exports: WebAssembly.Exports): void;

export function version(): string;

export function beaconStart(request: Uint8Array, bootstrap: Uint8Array): Uint8Array<ArrayBuffer>;
export function beaconResume(request: Uint8Array, state: Uint8Array): Uint8Array<ArrayBuffer>;
export function beaconProcess(
  request: Uint8Array,
  state: Uint8Array,
  updates: Uint8Array,
): Uint8Array<ArrayBuffer>;
export function beaconCheckHead(request: Uint8Array, state: Uint8Array): void;
export function beaconForkVersion(request: Uint8Array, time: bigint): Uint8Array<ArrayBuffer>;

export function ethVerifyHeader(hash: Uint8Array, rlp: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethVerifyAncestor(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethVerifyTransaction(
  request: Uint8Array,
  hash: Uint8Array,
): Uint8Array<ArrayBuffer>;
export function ethVerifyBody(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethVerifyTransactions(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethVerifyPending(hash: Uint8Array, raw: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethDecodeSent(raw: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethFees(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethVerifyReceipts(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethVerifyReceipt(request: Uint8Array, hash: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethCheckCanonical(named: Uint8Array, canonical: Uint8Array): void;
export function ethMayMatch(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethVerifyLogs(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function ethSelector(signature: Uint8Array): Uint8Array<ArrayBuffer>;

export function mptVerifyAnswers(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function mptCanonicalProofs(request: Uint8Array): Uint8Array<ArrayBuffer>;
export function mptVerifyCode(codeHash: Uint8Array, code: Uint8Array): void;
