//! Bloom filters, which show the blocks that may have certain logs.

use prooflight_core::keccak256;

/// A Bloom filter over the addresses and topics of logs.
///
/// Source: Ethereum Yellow Paper, section 4.3.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bloom(pub [u8; 256]);

impl Bloom {
    /// Whether an address or topic may be among those of the logs.
    pub fn may_contain(&self, bytes: &[u8]) -> bool {
        let hash = keccak256(&[bytes]);
        hash.as_chunks().0.iter().take(3).all(|pair| {
            let bit = usize::from(u16::from_be_bytes(*pair) & 0x7ff);
            self.0.get(255 - bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
        })
    }
}
