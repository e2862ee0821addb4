//! Building tables from a setup.

use std::sync::atomic::{AtomicU64, Ordering};
use std::vec::Vec;

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ff::{AdditiveGroup, Field};
use prooflight_core::Result;
use rayon::prelude::*;

use super::fixed_base::FixedBase;
use super::group::{ADDITION_BATCH, add_batch};
use super::index::child;
use super::known_tau::KnownTau;
use super::setup::{ProverSetup, TauPowers};
use super::tables::{BuiltRows, RowSource, TableParts, Tables};
use super::transform::{transform, transform_cosets};
use crate::domain::Domain;
use crate::scalar::{SLOTS, VERSION_BITS};

/// Called with the number of steps done and the total, from several threads.
pub type BuildProgress<'a> = &'a (dyn Fn(u64, u64) + Sync);

impl Tables {
    /// Builds tables in memory, on all threads.
    ///
    /// For 2^16 entries and trees of arity 4 this takes seconds with the development setup and
    /// minutes with any other. `invalid_argument` if the arity of the trees does not fit.
    pub fn build(
        setup: &ProverSetup,
        parts: TableParts,
        progress: BuildProgress<'_>,
    ) -> Result<Self> {
        let mut tables = Self::new(
            setup.verifying_key().clone(),
            parts,
            RowSource::Built(BuiltRows::default()),
        )?;
        let domain = setup.domain();
        let depth = parts
            .tree
            .map_or(0, |log_arity| u64::from(domain.log_n / log_arity) * ((1 << log_arity) - 1));
        let total = u64::from(domain.n()) * (1 + u64::from(parts.single) + depth);
        let steps = StepCounter { done: AtomicU64::new(0), total, progress };
        let built = match &setup.powers {
            TauPowers::Known(tau) => from_tau(KnownTau::new(domain, *tau), domain, parts, &steps),
            TauPowers::Points(powers) => from_powers(powers, domain, parts, &steps),
        };
        tables.rows = RowSource::Built(built);
        Ok(tables)
    }
}

/// Counts finished points.
struct StepCounter<'a> {
    done: AtomicU64,
    total: u64,
    progress: BuildProgress<'a>,
}

impl StepCounter<'_> {
    fn add(&self, points: usize) {
        let done = self.done.fetch_add(points as u64, Ordering::Relaxed) + points as u64;
        (self.progress)(done, self.total);
    }
}

/// Computes all rows as multiples of the generator.
fn from_tau(
    known: KnownTau,
    domain: Domain,
    parts: TableParts,
    steps: &StepCounter<'_>,
) -> BuiltRows {
    let indices: Vec<_> = (0..domain.n()).collect();
    let rows = |scalars: &(dyn Fn(&[u32]) -> Vec<Fr> + Sync)| -> Vec<G1Affine> {
        let chunks: Vec<_> = indices
            .par_chunks(ADDITION_BATCH)
            .map(|indices| {
                let points = FixedBase::shared().multiples(&scalars(indices));
                steps.add(points.len());
                points
            })
            .collect();
        chunks.concat()
    };
    let lagrange = rows(&|indices| known.lagrange(indices));
    BuiltRows {
        lagrange: shifted(&lagrange),
        single: if parts.single { rows(&|indices| known.single(indices)) } else { Vec::new() },
        tree: parts.tree.map_or_else(Vec::new, |log_arity| {
            let levels = 0..domain.log_n / log_arity;
            rows(&|indices| known.tree(log_arity, levels.clone(), indices))
        }),
    }
}

/// Computes all rows as Fourier transforms of the powers of tau.
///
/// With `x = x_t`: `I_t = [1/n sum_j x^-j tau^j]_1`, `K_t = [1/n sum_j (n - j) x^-j tau^(j-1)]_1`, j from 1, and
/// `P_{d,t,k} = [1/(M m) sum_l x^-l g(M - floor(l / m)) tau^(l - m)]_1`, l from m to `M m - 1`, with `g(e) = sum_{i < e} r^i`
/// and r as for known tau: there is one transform for each of the M values of r.
fn from_powers(
    powers: &[G1Affine],
    domain: Domain,
    parts: TableParts,
    steps: &StepCounter<'_>,
) -> BuiltRows {
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
    BuiltRows { lagrange: shifted(&lagrange), single, tree }
}

fn tree_from_powers(
    powers: &[G1Affine],
    domain: Domain,
    log_arity: u8,
    w_inverse: Fr,
    steps: &StepCounter<'_>,
) -> Vec<G1Affine> {
    let (n, arity) = (domain.n() as usize, 1_usize << log_arity);
    let depth = domain.log_n / log_arity;
    let roots = domain.roots(log_arity);
    let mut columns = Vec::with_capacity(usize::from(depth) * arity);
    for level in 0..depth {
        // M m
        let size = n >> (log_arity * level);
        let m = size >> log_arity;
        let scale = Fr::from(size as u64).inverse().unwrap_or_default();
        let scaled: Vec<_> = powers.par_iter().take(size - m).map(|power| *power * scale).collect();
        for from_own in 0..arity {
            // g(M), ..., g(1) for this power of the root of unity.
            let power = |i: usize| roots.get(i * from_own % arity).copied().unwrap_or_default();
            let sums = (0..arity).scan(Fr::ZERO, |sum, i| {
                *sum += power(i);
                Some(*sum)
            });
            let sums: Vec<_> = sums.collect();
            let factor = |l: usize| sums.get(arity - 2 - l / m).copied().unwrap_or_default();
            let mut coefficients = std::vec![G1Projective::ZERO; m];
            coefficients.par_extend(
                scaled.par_iter().enumerate().map(|(l, point)| times(*point, factor(l))),
            );
            columns.push(transform_cosets(&coefficients, n, w_inverse));
            // One transform is for the child that the state does not have; it does not count as a step.
            steps.add(if from_own > 0 { n } else { 0 });
        }
    }
    let indices: Vec<_> = (0..domain.n()).collect();
    let rows = indices.par_iter().flat_map_iter(|t| {
        let columns = &columns;
        (0..depth).flat_map(move |level| {
            let own = child(*t, log_arity, level);
            (0..arity - 1).map(move |k| {
                let column = arity * usize::from(level) + (arity + k - own) % arity;
                let points = columns.get(column).and_then(|column| column.get(*t as usize));
                points.copied().unwrap_or_default()
            })
        })
    });
    rows.collect()
}

/// `factor point`; the factors 0 and 1 are frequent and cost nothing.
fn times(point: G1Projective, factor: Fr) -> G1Projective {
    if factor == Fr::ZERO || factor == Fr::ONE {
        return if factor == Fr::ZERO { G1Projective::ZERO } else { point };
    }
    point * factor
}

/// Returns `2^(40 s)` times each point, s from 0 to 5, all multiples of one point before those of
/// the next.
fn shifted(points: &[G1Affine]) -> Vec<G1Affine> {
    let chunks: Vec<_> = points
        .par_chunks(ADDITION_BATCH)
        .map(|points| {
            let mut shifts = std::vec![points.to_vec()];
            for _ in 1..SLOTS {
                let mut shifted = shifts.last().cloned().unwrap_or_default();
                for _ in 0..VERSION_BITS {
                    let points = shifted.clone();
                    add_batch(&mut shifted, &points);
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
    use crate::prover::{EntryChange, IndexClass, Point, TreeState};
    use crate::scalar::Scalar;

    #[test]
    fn tables_do_not_depend_on_how_tau_is_known() {
        for (log_n, log_arity) in [(1, 1), (4, 1), (4, 2), (4, 4), (6, 3)] {
            let parts = TableParts { single: true, tree: Some(log_arity) };
            let done = AtomicU64::new(0);
            let progress = |step, total| {
                assert!(step <= total);
                done.fetch_max(step, Ordering::Relaxed);
            };
            let setups = [ProverSetup::dev(log_n), ProverSetup::points_of_dev(log_n)];
            let [known, points] =
                setups.map(|setup| Tables::build(&setup.unwrap(), parts, &progress).unwrap());
            let (RowSource::Built(known), RowSource::Built(points)) = (&known.rows, &points.rows)
            else {
                panic!("tables that are not built");
            };
            assert!(known.lagrange == points.lagrange, "{log_n} {log_arity}");
            assert!(known.single == points.single, "{log_n} {log_arity}");
            assert!(known.tree == points.tree, "{log_n} {log_arity}");
            let lazy = Tables::dev(log_n, parts).unwrap();
            let state = TreeState::new(log_n, log_arity, IndexClass::ALL).unwrap();
            let built =
                Tables::build(&ProverSetup::points_of_dev(log_n).unwrap(), parts, &|_, _| ());
            let built = built.unwrap();
            for t in 0..1 << log_n {
                for slot in 0..6 {
                    let mut sum = [Point::ZERO];
                    lazy.update(&mut sum, &[(0, EntryChange::version(t, slot, 1))]).unwrap();
                    assert_eq!(sum[0].0, points.lagrange[6 * t as usize + usize::from(slot)]);
                }
                let single = lazy.open_single(&[(t, Scalar::from(1))], t);
                assert_eq!(single, Ok(Point(points.single[t as usize]).to_bytes()));
                let changes = [EntryChange::version(t, 2, 3), EntryChange::version(0, 2, -1)];
                assert_eq!(state.draft(&lazy, &changes), state.draft(&built, &changes));
            }
            assert_ne!(done.into_inner(), 0);
        }
    }
}
