// The wasm binaries: which schemes each has, and how large it may be.

/** A scheme's cargo feature in `bindings/wasm` is its name. The budget is in bytes after brotli. */
export const BINARIES = [{ name: "hash", schemes: ["avl"], budget: 120 * 1024 }];
