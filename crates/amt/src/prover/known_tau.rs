//! The rows of the tables, computed from a known tau.
//!
//! `x = x_t`, `m = m_d = n / M^d`, with M the arity:
//! * `I_t = [L_t(tau)]_1`, `L_t(X) = (X^n - 1) x / (n (X - x))`, the polynomial that is 1 at x and 0 at
//!   the other points;
//! * `K_t = [(L_t(tau) - 1) / (tau - x)]_1`;
//! * `P_{d,t,k} = [x^-m / (M m) * sum_{i < M-1} r^i sum_{l < (M-1-i) m} (tau / x)^l]_1`, with `r = c_k / x^m` for the
//!   child k: the M-th root of unity to the power of k less the number of the child that leads to t.

use core::ops::Range;
use std::vec::Vec;

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, Field, serial_batch_inversion_and_mul};

use super::index::child;
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

    /// Returns `L_t(tau)` for each index.
    pub(super) fn lagrange(&self, indices: &[u32]) -> Vec<Fr> {
        let (xs, inverses) = self.inverses(indices);
        xs.into_iter().zip(inverses).map(|(x, inverse)| self.lead * x * inverse).collect()
    }

    /// Returns `(L_t(tau) - 1) / (tau - x)` for each index.
    pub(super) fn single(&self, indices: &[u32]) -> Vec<Fr> {
        let (xs, inverses) = self.inverses(indices);
        let row = |(x, inverse): (Fr, Fr)| (self.lead * x * inverse - Fr::ONE) * inverse;
        xs.into_iter().zip(inverses).map(row).collect()
    }

    /// Returns the scalars of `P_{d,t,k}` for each index and the levels `d - 1`: by d, then by k from 0 to M - 2.
    pub(super) fn tree(&self, log_arity: u8, levels: Range<u8>, indices: &[u32]) -> Vec<Fr> {
        if levels.is_empty() {
            return Vec::new();
        }
        let (depth, arity) = (usize::from(self.domain.log_n / log_arity), 1_usize << log_arity);
        let roots = self.domain.roots(log_arity);
        let root = |power: usize| roots.get(power % arity).copied().unwrap_or_default();
        // w^(n - t) = 1 / x_t
        let x_inverse = |t: &u32| self.domain.x(self.domain.n() - t);
        let bases: Vec<_> = indices.iter().map(x_inverse).map(|x| (x, self.tau * x)).collect();
        // Geometric series: (ratio^length - 1) / (ratio - 1).
        let mut denominators: Vec<_> = bases.iter().map(|(_, ratio)| *ratio - Fr::ONE).collect();
        serial_batch_inversion_and_mul(&mut denominators, &self.n_inverse);
        let mut rows = Vec::with_capacity(indices.len() * levels.len() * (arity - 1));
        for ((t, (x_inverse, ratio)), denominator) in indices.iter().zip(bases).zip(denominators) {
            // `x^-m` and `ratio^m` for m_D = 1 up to m_1.
            let next = |(x_m, ratio_m): &(Fr, Fr)| {
                Some((power_of_two(*x_m, log_arity), power_of_two(*ratio_m, log_arity)))
            };
            let bases: Vec<_> = core::iter::successors(Some((x_inverse, ratio)), next)
                .take(depth - usize::from(levels.start))
                .collect();
            // 1 / (M m) = M^(d - 1) / n
            let mut scale = denominator * Fr::from(1_u64 << (log_arity * levels.start));
            for (level, (x_m, ratio_m)) in levels.clone().zip(bases.into_iter().rev()) {
                // The largest last: the one for i = 0.
                let sums: Vec<_> =
                    powers(ratio_m).skip(1).take(arity - 1).map(|it| it - Fr::ONE).collect();
                let own = child(*t, log_arity, level);
                rows.extend((0..arity - 1).map(|k| {
                    let from_own = arity + k - own;
                    let terms = sums.iter().rev().enumerate();
                    terms.map(|(i, sum)| root(i * from_own) * sum).sum::<Fr>() * x_m * scale
                }));
                scale *= Fr::from(1_u64 << log_arity);
            }
        }
        rows
    }

    /// Returns the scalar of the point that opens an entry of a vector: `(f(tau) - a_t) / (tau - x_t)`, with f the
    /// polynomial that has the entries as values.
    pub(super) fn open(&self, entries: &[(u32, Fr)], index: u32) -> Fr {
        let mut indices: Vec<_> = entries.iter().map(|entry| entry.0).collect();
        indices.push(index);
        let (xs, inverses) = self.inverses(&indices);
        let mut value = Fr::ZERO;
        for (((t, a), x), inverse) in entries.iter().zip(xs).zip(&inverses) {
            value += self.lead * x * inverse * a;
            if *t == index {
                value -= a;
            }
        }
        value * inverses.last().copied().unwrap_or_default()
    }

    /// Returns `x` and `1 / (tau - x)` for each index.
    fn inverses(&self, indices: &[u32]) -> (Vec<Fr>, Vec<Fr>) {
        let xs: Vec<_> = indices.iter().map(|t| self.domain.x(*t)).collect();
        let mut inverses: Vec<_> = xs.iter().map(|x| self.tau - x).collect();
        serial_batch_inversion_and_mul(&mut inverses, &Fr::ONE);
        (xs, inverses)
    }
}

/// Returns the powers of a number, starting with 1.
fn powers(base: Fr) -> impl Iterator<Item = Fr> {
    core::iter::successors(Some(Fr::ONE), move |power| Some(*power * base))
}

/// `base^(2^log)`.
fn power_of_two(mut base: Fr, log: u8) -> Fr {
    for _ in 0..log {
        base.square_in_place();
    }
    base
}
