//! The answer of a verifier to the input of a test.

use serde_json::{Map, Value};

/// The answer of a verifier to an input: the members that `expected` may have.
pub type VerifierAnswer = Map<String, Value>;
