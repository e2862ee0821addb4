//! An authority's signed statement that it does not sign a proposal.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use prooflight_core::{Error, Hash, Reason, Result, blake2b256};

use crate::chain::proposal::AttemptId;

/// The refusal of one proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The hash of the chain's configuration.
    pub chain: Hash,
    /// The height and the number of the proposal.
    pub attempt: AttemptId,
    /// The hash of the proposal's bytes.
    pub id: Hash,
    /// Whether the authority judged the block invalid; otherwise it cannot sign it for now, or at all.
    pub invalid: bool,
}

/// The domain tag. A header's hash has another tag, so that a signed refusal is never a signed header.
const REFUSAL_TAG: &[u8] = b"prooflight/refusal/v1";

impl Refusal {
    fn hash(&self) -> Hash {
        let AttemptId { height, number } = self.attempt;
        blake2b256(&[
            REFUSAL_TAG,
            &self.chain,
            &height.to_be_bytes(),
            &number.to_be_bytes(),
            &self.id,
            &[self.invalid.into()],
        ])
    }

    /// Signs the refusal.
    pub fn sign(&self, key: &SigningKey) -> [u8; 64] {
        key.sign(&self.hash()).to_bytes()
    }

    /// Checks that an authority signed the refusal; otherwise `invalid_signature`.
    pub fn check(&self, authority: &[u8; 32], signature: &[u8; 64]) -> Result<()> {
        check_signature(authority, &self.hash(), signature)
    }
}

/// Checks a signature by strict Ed25519; `invalid_signature` if the signature is not the key's.
pub(crate) fn check_signature(key: &[u8; 32], hash: &Hash, signature: &[u8; 64]) -> Result<()> {
    let signature = Signature::from_bytes(signature);
    let valid =
        VerifyingKey::from_bytes(key).is_ok_and(|key| key.verify_strict(hash, &signature).is_ok());
    if valid {
        return Ok(());
    }
    Err(Error::new(Reason::InvalidSignature, "a signature of the authority", "another"))
}
