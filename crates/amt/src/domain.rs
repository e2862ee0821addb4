//! The evaluation domain: a vector's polynomial takes the value of entry t at `x_t = w^t`.

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, FftField, Field};
use prooflight_core::{Error, Reason, Result};

/// Largest `log_n`: `r - 1`, with r the order of the group, is divisible by `2^28` and no larger
/// power of two.
pub const MAX_LOG_N: u8 = 28;

/// `n = 2^log_n` points, the powers of a primitive n-th root of unity in natural order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Domain {
    pub(crate) log_n: u8,
    /// A primitive n-th root of unity.
    pub(crate) w: Fr,
}

impl Domain {
    /// The domain of `2^log_n` points; `invalid_argument` unless `1 <= log_n <= 28`.
    pub(crate) fn new(log_n: u8) -> Result<Self> {
        if !(1..=MAX_LOG_N).contains(&log_n) {
            return Err(Error::new(Reason::InvalidArgument, "a log_n from 1 to 28", log_n));
        }
        let mut w = Fr::TWO_ADIC_ROOT_OF_UNITY;
        for _ in log_n..MAX_LOG_N {
            w.square_in_place();
        }
        Ok(Self { log_n, w })
    }

    /// Returns the number of points.
    pub(crate) const fn n(self) -> u32 {
        1 << self.log_n
    }

    /// `x_t`.
    pub(crate) fn x(self, t: u32) -> Fr {
        self.w.pow([u64::from(t)])
    }

    /// The powers of a primitive root of unity of order `2^log`, starting with 1; `log` is at most `log_n`.
    #[cfg(feature = "prover")]
    pub(crate) fn roots(self, log: u8) -> alloc::vec::Vec<Fr> {
        let root = self.x(self.n() >> log);
        core::iter::successors(Some(Fr::ONE), |power| Some(*power * root)).take(1 << log).collect()
    }

    /// `x_t^(2^j)` for j from 0 to `log_n`; the last one is 1.
    pub(crate) fn squares(self, t: u32) -> [Fr; MAX_LOG_N as usize + 1] {
        let mut squares = [Fr::ZERO; MAX_LOG_N as usize + 1];
        let mut x = self.x(t);
        for square in squares.iter_mut().take(usize::from(self.log_n) + 1) {
            *square = x;
            x.square_in_place();
        }
        squares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::MontFp;

    #[test]
    fn the_root_of_unity_is_the_one_of_the_specification() {
        let w: Fr = MontFp!(
            "19103219067921713944291392827692070036145651957329286315305642004821462161904"
        );
        assert_eq!(Domain::new(28).unwrap().w, w);
        assert_eq!(Domain::new(1).unwrap().w, -Fr::ONE);
        assert_eq!(Domain::new(16).unwrap().squares(1)[16], Fr::ONE);
        assert!(Domain::new(0).is_err() && Domain::new(29).is_err());
    }
}
