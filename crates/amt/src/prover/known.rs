//! The rows of the tables, computed from a known tau.
//!
//! `x = x_t`, `m = m_d = n / M^d`, with M the arity:
//! * `I_t = [L_t(tau)]_1`, `L_t(X) = (X^n - 1) x / (n (X - x))`, the polynomial that is 1 at x and 0 at
//!   the other points;
//! * `K_t = [(L_t(tau) - 1) / (tau - x)]_1`;
//! * `P_{d,t,i} = [x^(-(i+1) m) / (M m) * sum_{l < (M-1-i) m} (tau / x)^l]_1`.

use std::vec::Vec;

use ark_bn254::Fr;
use ark_ff::{Field, batch_inversion};

use crate::domain::Domain;

/// The discrete logarithms of the rows, for a tau outside the domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownTau {
    domain: Domain,
    tau: Fr,
    /// `(tau^n - 1) / n`.
    lead: Fr,
    n_inverse: Fr,
}

impl KnownTau {
    pub(super) fn new(domain: Domain, tau: Fr) -> Self {
        let n = Fr::from(domain.n());
        let n_inverse = n.inverse().unwrap_or_default();
        let lead = (tau.pow([u64::from(domain.n())]) - Fr::ONE) * n_inverse;
        Self { domain, tau, lead, n_inverse }
    }

    /// `L_t(tau)`.
    pub(super) fn lagrange(&self, t: u32) -> Fr {
        let x = self.domain.x(t);
        self.lead * x * (self.tau - x).inverse().unwrap_or_default()
    }

    /// `(L_t(tau) - 1) / (tau - x)`.
    pub(super) fn single(&self, t: u32) -> Fr {
        let x = self.domain.x(t);
        let inverse = (self.tau - x).inverse().unwrap_or_default();
        (self.lead * x * inverse - Fr::ONE) * inverse
    }

    /// Returns the scalars of `P_{d,t,i}`: by d from 1, then by i from 0 to M - 2.
    pub(super) fn tree(&self, log_arity: u8, t: u32) -> Vec<Fr> {
        let (log_n, arity) = (self.domain.log_n, 1_u64 << log_arity);
        let ratio_inverse = self.domain.x(t);
        let mut x_inverse = [ratio_inverse];
        batch_inversion(&mut x_inverse);
        let [x_inverse] = x_inverse;
        let ratio = self.tau * x_inverse;
        // A geometric series: (ratio^length - 1) / (ratio - 1).
        let denominator = (ratio - Fr::ONE).inverse().unwrap_or_default();
        let mut rows = Vec::new();
        for d in 1..=log_n / log_arity {
            let log_m = log_n - log_arity * d;
            // 1 / (M m) = M^(d - 1) / n
            let scale = Fr::from(1_u64 << (log_arity * (d - 1))) * self.n_inverse * denominator;
            let (ratio_m, x_m) = (power_of_two(ratio, log_m), power_of_two(x_inverse, log_m));
            for i in 0..arity - 1 {
                let sum = ratio_m.pow([arity - 1 - i]) - Fr::ONE;
                rows.push(scale * x_m.pow([i + 1]) * sum);
            }
        }
        rows
    }
}

/// `base^(2^log)`.
fn power_of_two(mut base: Fr, log: u8) -> Fr {
    for _ in 0..log {
        base = base.square();
    }
    base
}
