/** The functions that wasm-bindgen generates from `bindings/wasm`; the JavaScript is made by the build. */

export function __wbg_set_wasm(exports: WebAssembly.Exports): void;

export function version(): string;

export function verifyState(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;

export function lvmtIndexOf(key: Uint8Array, logN: number): number;
export function lvmtVerifyProof(request: Uint8Array, proof: Uint8Array): Uint8Array<ArrayBuffer>;
export function amtVerifyOpenings(request: Uint8Array): Uint8Array<ArrayBuffer>;
