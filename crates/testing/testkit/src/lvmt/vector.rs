//! Vector commitments with a known tau: evaluates polynomials, and multiplies the generator by the result.

use ark_bn254::{Fr, G1Projective};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{FftField, Field, PrimeField};
use ark_serialize::CanonicalSerialize;
use blake2::{Blake2b512, Digest};

/// The entries of a vector that are not 0, by index.
pub type VectorEntries = [(u32, [u64; 6])];

/// The development setup for vectors of `2^log_n` entries.
#[derive(Clone, Copy, Debug)]
pub struct DevSetup {
    pub log_n: u8,
    tau: Fr,
    w: Fr,
}

impl DevSetup {
    pub fn new(log_n: u8) -> Self {
        let tau = Blake2b512::digest("prooflight/amt/dev-tau/v1");
        let w = Fr::get_root_of_unity(1 << log_n).unwrap();
        Self { log_n, tau: Fr::from_le_bytes_mod_order(&tau), w }
    }

    pub fn commitment(&self, values: &VectorEntries) -> [u8; 32] {
        point(self.remainder(values, 0, 0))
    }

    pub fn single_opening(&self, values: &VectorEntries, t: u32) -> [u8; 32] {
        let value = self.remainder(values, t, self.log_n);
        point((self.remainder(values, t, 0) - value) / (self.tau - self.x(t)))
    }

    pub fn tree_opening(&self, values: &VectorEntries, t: u32, log_arity: u8) -> Vec<[u8; 32]> {
        let quotient = |bits: u8| {
            let above = self.remainder(values, t, bits - log_arity);
            point((above - self.remainder(values, t, bits)) / self.divisor(t, bits))
        };
        (log_arity..=self.log_n).step_by(log_arity.into()).map(quotient).collect()
    }

    /// `X^m - x_t^m` at tau, with `m = 2^(log_n - bits)`.
    fn divisor(&self, t: u32, bits: u8) -> Fr {
        let m = 1u64 << (self.log_n - bits);
        self.tau.pow([m]) - self.x(t).pow([m])
    }

    /// The vector's polynomial modulo `X^m - x_t^m` at tau, with `m = 2^(log_n - bits)`: it has the vector's
    /// values at the roots of that divisor.
    fn remainder(&self, values: &VectorEntries, t: u32, bits: u8) -> Fr {
        let m = 1u64 << (self.log_n - bits);
        let c = self.x(t).pow([m]);
        let divisor = self.tau.pow([m]) - c;
        let terms = values.iter().filter(|(s, _)| s % (1 << bits) == t % (1 << bits));
        let term = |(s, versions): &(u32, [u64; 6])| {
            let x = self.x(*s);
            value(versions) * x * divisor / (Fr::from(m) * c * (self.tau - x))
        };
        terms.map(term).sum()
    }

    fn x(&self, t: u32) -> Fr {
        self.w.pow([u64::from(t)])
    }
}

fn value(versions: &[u64; 6]) -> Fr {
    versions
        .iter()
        .rev()
        .fold(Fr::from(0), |sum, &version| sum * Fr::from(1u64 << 40) + Fr::from(version))
}

fn point(scalar: Fr) -> [u8; 32] {
    let mut bytes = Vec::new();
    let point = (G1Projective::generator() * scalar).into_affine();
    point.serialize_compressed(&mut bytes).unwrap();
    bytes.try_into().unwrap()
}
