//! What a verifier answers to the input of a test.

use serde_json::{Map, Value};

/// What a verifier answers to an input: the members that `expected` may have.
pub type Answer = Map<String, Value>;
