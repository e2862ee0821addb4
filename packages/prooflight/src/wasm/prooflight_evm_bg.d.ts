/** The functions that wasm-bindgen generates from `bindings/wasm`; the JavaScript is made by the build. */

export function __wbg_set_wasm(exports: WebAssembly.Exports): void;

export function version(): string;

export function evmState(request: Uint8Array): number;
export function evmAddProof(state: number, request: Uint8Array): void;
export function evmAddCode(
  state: number,
  code: Uint8Array,
  expected: Uint8Array,
): Uint8Array<ArrayBuffer>;
export function evmAddAncestor(state: number, header: Uint8Array): void;
export function evmCall(state: number, request: Uint8Array): Uint8Array<ArrayBuffer>;
export function evmEstimate(state: number, request: Uint8Array): Uint8Array<ArrayBuffer>;
export function evmAccessList(state: number, request: Uint8Array): Uint8Array<ArrayBuffer>;
export function evmSimulate(state: number, request: Uint8Array): Uint8Array<ArrayBuffer>;
export function evmFree(state: number): void;
