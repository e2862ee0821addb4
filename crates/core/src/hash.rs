//! The hash functions that several schemes share.

use blake2::Blake2b;
use blake2::digest::consts::U32;
use sha3::{Digest as _, Keccak256};

/// A hash of 32 bytes.
pub type Hash = [u8; 32];

/// BLAKE2b with a 32-byte digest, over the concatenated parts.
// Not inlined, or folded over the parts, AVL+ batches take 10 to 25 % longer in wasm.
#[expect(clippy::inline_always, reason = "measured: `npm run bench`, WebAssembly in Node")]
#[inline(always)]
pub fn blake2b256(parts: &[&[u8]]) -> Hash {
    let mut hash = Blake2b::<U32>::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// Keccak-256 over the concatenated parts.
///
/// The variant that Ethereum uses: the original submission, with other padding than FIPS 202.
pub fn keccak256(parts: &[&[u8]]) -> Hash {
    let mut hash = Keccak256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hex;
    use alloc::string::ToString;

    #[test]
    fn hashes_are_those_of_the_joined_parts() {
        let abc: &[&[u8]] = &[b"a", b"", b"bc"];
        assert_eq!(
            Hex(&blake2b256(abc)).to_string(),
            "0xbddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"
        );
        assert_eq!(
            Hex(&keccak256(abc)).to_string(),
            "0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"
        );
    }
}
