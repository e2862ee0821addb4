//! What a verifier is willing to read.

/// Upper bounds that every decoder checks before it allocates; a caller may lower them.
///
/// The defaults are those of `test-vectors/spec/conventions.md`, section 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one proof. Default 8 MiB.
    pub max_proof_bytes: usize,
    /// Keys of one proof, or operations of one batch. Default 4,096.
    pub max_keys: usize,
    /// Bytes of one value. Default 65,536.
    pub max_value_bytes: usize,
    /// Changes of one history. Default 100,000.
    pub max_changes: usize,
}

impl Limits {
    /// The limits of the specification.
    pub const DEFAULT: Self = Self {
        max_proof_bytes: 8 << 20,
        max_keys: 4096,
        max_value_bytes: 65_536,
        max_changes: 100_000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
