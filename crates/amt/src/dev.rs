//! The development setup. Anyone can compute its tau.

use ark_bn254::Fr;
use ark_ff::MontFp;

use crate::point::G2Bytes;

/// `BLAKE2b-512("prooflight/amt/dev-tau/v1")` as a little-endian number, modulo the order of the group.
pub(crate) const fn tau() -> Fr {
    MontFp!("6170730966438233053100359098901260228951793120443488243138757508556554699566")
}

/// `[tau]_2`, compressed. Identifies the development setup, whatever name it is given.
pub(crate) const DEV_TAU_G2: G2Bytes = *include_bytes!("../data/dev_tau_g2.bin");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VerifyingKey;
    use ark_ff::PrimeField;
    use blake2::{Blake2b512, Digest};

    #[test]
    fn tau_is_the_hash() {
        let hash = Blake2b512::digest(b"prooflight/amt/dev-tau/v1");
        assert_eq!(tau(), Fr::from_le_bytes_mod_order(&hash));
    }

    #[test]
    fn the_development_setup_is_recognised() {
        assert!(VerifyingKey::dev(1).unwrap().is_insecure());
        assert!(VerifyingKey::dev(5).unwrap().is_insecure());
        assert!(!VerifyingKey::ppot(5).unwrap().is_insecure());
    }
}
