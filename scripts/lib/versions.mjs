// The versions of everything that is neither in Cargo.lock nor in package-lock.json. (run.mjs
// checks Node's.)

/** The oldest Python that the independent verifier is written for. */
export const python = [3, 9];

/** Tools that `cargo install` builds. wasm-bindgen must be the version of the crate in Cargo.lock. */
export const cargoTools = {
  "wasm-bindgen": { crate: "wasm-bindgen-cli", version: "0.2.125" },
  "wasm-pack": { crate: "wasm-pack", version: "0.15.1" },
  "cargo-deny": { crate: "cargo-deny", version: "0.20.2" },
  "cargo-fuzz": { crate: "cargo-fuzz", version: "0.13.2" },
};
