//! What the native and the WebAssembly benchmarks share: cases, and the peer that runs them too.

#![forbid(unsafe_code)]

mod case;
mod peer;

pub use case::{Case, read, write};
pub use peer::{PeerCase, PeerProver, Work, operations};

/// Any error of a benchmark; all of them end it.
pub type Result<T> = core::result::Result<T, Box<dyn core::error::Error + Send + Sync>>;
