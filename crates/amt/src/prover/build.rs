//! Building tables from a setup.

use std::sync::atomic::{AtomicU64, Ordering};
use std::vec::Vec;

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ff::{AdditiveGroup, Field};
use prooflight_core::Result;
use rayon::prelude::*;

use super::fixed_base::FixedBase;
use super::group::{BATCH, add_batch};
use super::known::KnownTau;
use super::setup::{Powers, Setup};
use super::tables::{Built, Parts, Rows, Tables};
use super::transform::{transform, transform_cosets};
use crate::domain::Domain;
use crate::scalar::{SLOTS, VERSION_BITS};

/// Called with the number of steps done and the total, from several threads.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

impl Tables {
    /// Builds tables in memory, on all threads.
    ///
    /// For 2^16 entries and trees of arity 4 this takes seconds with the development setup and
    /// minutes with any other. `invalid_argument` if the arity of the trees does not fit.
    pub fn build(setup: &Setup, parts: Parts, progress: Progress<'_>) -> Result<Self> {
        let mut tables =
            Self::new(setup.verifying_key().clone(), parts, Rows::Built(Built::default()))?;
        let domain = setup.domain();
        let depth = parts
            .tree
            .map_or(0, |log_arity| u64::from(domain.log_n / log_arity) * ((1 << log_arity) - 1));
        let total = u64::from(domain.n()) * (1 + u64::from(parts.single) + depth);
        let steps = Steps { done: AtomicU64::new(0), total, progress };
        let built = match &setup.powers {
            Powers::Known(tau) => from_tau(KnownTau::new(domain, *tau), domain, parts, &steps),
            Powers::Points(powers) => from_powers(powers, domain, parts, &steps),
        };
        tables.rows = Rows::Built(built);
        Ok(tables)
    }
}

/// Counts finished points.
struct Steps<'a> {
    done: AtomicU64,
    total: u64,
    progress: Progress<'a>,
}

impl Steps<'_> {
    fn add(&self, points: usize) {
        let done = self.done.fetch_add(points as u64, Ordering::Relaxed) + points as u64;
        (self.progress)(done, self.total);
    }
}

/// Computes all rows as multiples of the generator.
fn from_tau(known: KnownTau, domain: Domain, parts: Parts, steps: &Steps<'_>) -> Built {
    let base = FixedBase::new();
    let indices: Vec<_> = (0..domain.n()).collect();
    let rows = |scalars: &(dyn Fn(u32) -> Vec<Fr> + Sync)| -> Vec<G1Affine> {
        let chunks: Vec<_> = indices
            .par_chunks(BATCH)
            .map(|indices| {
                let scalars: Vec<_> = indices.iter().flat_map(|t| scalars(*t)).collect();
                let points = base.multiples(&scalars);
                steps.add(points.len());
                points
            })
            .collect();
        chunks.concat()
    };
    let lagrange = rows(&|t| [known.lagrange(t)].into());
    Built {
        lagrange: shifted(&lagrange),
        single: if parts.single { rows(&|t| [known.single(t)].into()) } else { Vec::new() },
        tree: parts.tree.map_or_else(Vec::new, |log_arity| rows(&|t| known.tree(log_arity, t))),
    }
}

/// Computes all rows as Fourier transforms of the powers of tau.
///
/// With `x = x_t`: `I_t = [1/n sum_j x^-j tau^j]_1`, `K_t = [1/n sum_j (n - j) x^-j tau^(j-1)]_1`, j from 1, and
/// `P_{d,t,i} = [1/(M m) sum_l x^-l tau^(l - (i+1) m)]_1`, l from `(i+1) m` to `M m - 1`.
fn from_powers(powers: &[G1Affine], domain: Domain, parts: Parts, steps: &Steps<'_>) -> Built {
    let n = domain.n() as usize;
    let w_inverse = domain.w.inverse().unwrap_or_default();
    let n_inverse = Fr::from(domain.n()).inverse().unwrap_or_default();
    let lagrange = {
        let scaled = powers.par_iter().map(|power| *power * n_inverse).collect();
        transform(scaled, w_inverse)
    };
    steps.add(n);
    let single = if parts.single {
        let derived = (0..n).into_par_iter().map(|j| match j.checked_sub(1) {
            Some(before) => {
                powers.get(before).copied().unwrap_or_default()
                    * (Fr::from((n - j) as u64) * n_inverse)
            }
            None => G1Projective::ZERO,
        });
        let single = transform(derived.collect(), w_inverse);
        steps.add(n);
        single
    } else {
        Vec::new()
    };
    let tree = parts.tree.map_or_else(Vec::new, |log_arity| {
        tree_from_powers(powers, domain, log_arity, w_inverse, steps)
    });
    Built { lagrange: shifted(&lagrange), single, tree }
}

fn tree_from_powers(
    powers: &[G1Affine],
    domain: Domain,
    log_arity: u8,
    w_inverse: Fr,
    steps: &Steps<'_>,
) -> Vec<G1Affine> {
    let n = domain.n() as usize;
    let width = (1_usize << log_arity) - 1;
    let depth = usize::from(domain.log_n / log_arity);
    let mut columns = Vec::with_capacity(depth * width);
    for level in 0..depth {
        // M m
        let size = n >> (usize::from(log_arity) * level);
        let m = size >> log_arity;
        let scale = Fr::from(size as u64).inverse().unwrap_or_default();
        let scaled: Vec<_> = powers.par_iter().take(size - m).map(|power| *power * scale).collect();
        for i in 0..width {
            let start = (i + 1) * m;
            let mut coefficients = std::vec![G1Projective::ZERO; start];
            coefficients.extend(scaled.iter().take(size - start));
            columns.push(transform_cosets(&coefficients, n, w_inverse));
            steps.add(n);
        }
    }
    let indices: Vec<_> = (0..n).collect();
    let rows = indices.par_iter().flat_map_iter(|t| {
        columns.iter().map(|column| column.get(*t).copied().unwrap_or_default())
    });
    rows.collect()
}

/// Returns `2^(40 s)` times each point, s from 0 to 5, all multiples of one point before those of
/// the next.
fn shifted(points: &[G1Affine]) -> Vec<G1Affine> {
    let chunks: Vec<_> = points
        .par_chunks(BATCH)
        .map(|points| {
            let mut shifts = std::vec![points.to_vec()];
            for _ in 1..SLOTS {
                let mut shifted = shifts.last().cloned().unwrap_or_default();
                for _ in 0..VERSION_BITS {
                    let pairs: Vec<_> = shifted.iter().map(|point| (*point, *point)).collect();
                    shifted = add_batch(&pairs);
                }
                shifts.push(shifted);
            }
            let row = |t: usize| {
                shifts.iter().map(move |shift| shift.get(t).copied().unwrap_or_default())
            };
            (0..points.len()).flat_map(row).collect::<Vec<_>>()
        })
        .collect();
    chunks.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_do_not_depend_on_how_tau_is_known() {
        for (log_n, log_arity) in [(1, 1), (4, 1), (4, 2), (4, 4), (6, 3)] {
            let parts = Parts { single: true, tree: Some(log_arity) };
            let done = AtomicU64::new(0);
            let progress = |step, total| {
                assert!(step <= total);
                done.fetch_max(step, Ordering::Relaxed);
            };
            let setups = [Setup::dev(log_n), Setup::points_of_dev(log_n)];
            let [known, points] =
                setups.map(|setup| Tables::build(&setup.unwrap(), parts, &progress).unwrap());
            let (Rows::Built(known), Rows::Built(points)) = (&known.rows, &points.rows) else {
                panic!("tables that are not built");
            };
            assert!(known.lagrange == points.lagrange, "{log_n} {log_arity}");
            assert!(known.single == points.single, "{log_n} {log_arity}");
            assert!(known.tree == points.tree, "{log_n} {log_arity}");
            let lazy = Tables::dev(log_n, parts).unwrap();
            for t in 0..1 << log_n {
                let row = |slot| points.lagrange[6 * t as usize + usize::from(slot)];
                assert!((0..6).all(|slot| lazy.lagrange_row(t, slot) == row(slot)));
                assert_eq!(lazy.single_row(t), Ok(points.single[t as usize]));
                let rows = lazy.tree_rows(log_arity, t).into_owned();
                assert_eq!(rows, points.tree[rows.len() * t as usize..][..rows.len()]);
            }
            assert_ne!(done.into_inner(), 0);
        }
    }
}
