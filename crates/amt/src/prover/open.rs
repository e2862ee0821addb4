//! Opens an entry of a sparse vector with a single point.

use std::vec::Vec;

use ark_bn254::{Fr, G1Affine};
use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, batch_inversion};
use prooflight_core::Result;

use super::fixed_base::FixedBase;
use super::group::Point;
use super::index::check_index;
use super::tables::{BuiltRows, RowSource, Tables};
use crate::domain::Domain;
use crate::msm::OddMultiples;
use crate::point::PointBytes;
use crate::scalar::Scalar;

impl Tables {
    /// Computes the point that opens an entry of a vector, given the vector's nonzero entries.
    ///
    /// Linear in the number of entries; entries with the same index are added up. Errors:
    /// `index_out_of_range` for an index outside the vector, `invalid_argument` if the tables lack
    /// this part.
    pub fn open_single(&self, entries: &[(u32, Scalar)], index: u32) -> Result<PointBytes> {
        self.open_entry(entries, index).map(|point| point.to_bytes())
    }

    /// Like [`open_single`](Self::open_single), without encoding the point.
    pub fn open_entry(&self, entries: &[(u32, Scalar)], index: u32) -> Result<Point> {
        check_index(self.domain(), index)?;
        entries.iter().try_for_each(|(i, _)| check_index(self.domain(), *i))?;
        Ok(Point(match self.single()? {
            RowSource::Known(known) => {
                let entries: Vec<_> = entries.iter().map(|(i, value)| (*i, value.0)).collect();
                FixedBase::shared().multiple(&known.tau.open(&entries, index))
            }
            RowSource::Built(built) => built.open(self.domain(), entries, index),
        }))
    }
}

impl BuiltRows {
    /// The point that opens an entry.
    fn open(&self, domain: Domain, entries: &[(u32, Scalar)], index: u32) -> G1Affine {
        let x = domain.x(index);
        let mut rows = Vec::from([self.single(index), self.lagrange(index, 0)]);
        let mut denominators = Vec::new();
        let mut values = Vec::new();
        let mut own = Fr::ZERO;
        for (i, value) in entries {
            if *i == index {
                own += value.0;
            } else if !value.is_zero() {
                let x_i = domain.x(*i);
                rows.push(self.lagrange(*i, 0));
                denominators.push(x_i - x);
                values.push((value.0, x_i));
            }
        }
        // pi = a_t K_t + sum_i a_i / (x_i - x_t) (I_i - x_i / x_t I_t)
        batch_inversion(&mut denominators);
        let mut sum = Fr::ZERO;
        let mut terms = Vec::from([(0, own)]);
        for (number, ((value, x_i), inverse)) in (2..).zip(values.into_iter().zip(denominators)) {
            let factor = value * inverse;
            sum += factor * x_i;
            terms.push((number, factor));
        }
        terms.push((1, -sum / x));
        OddMultiples::new(&rows).sum(&terms).into_affine()
    }
}
