//! Opens an entry of a sparse vector with a single point.

use std::vec::Vec;

use ark_bn254::Fr;
use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, batch_inversion};
use prooflight_core::Result;

use super::tables::{Tables, check_index};
use crate::msm::Multiples;
use crate::point::{PointBytes, encode};
use crate::scalar::Scalar;

impl Tables {
    /// Computes the point that opens an entry of a vector, given the vector's nonzero entries.
    ///
    /// Linear in the number of entries; entries with the same index are added up. Errors:
    /// `index_out_of_range` for an index outside the vector, `invalid_argument` if the tables lack
    /// this part.
    pub fn open_single(&self, entries: &[(u32, Scalar)], index: u32) -> Result<PointBytes> {
        let domain = self.domain();
        check_index(domain, index)?;
        let x = domain.x(index);
        let mut rows = Vec::from([self.single_row(index)?, self.lagrange_row(index, 0)]);
        let mut denominators = Vec::new();
        let mut values = Vec::new();
        let mut own = Fr::ZERO;
        for (i, value) in entries {
            check_index(domain, *i)?;
            if *i == index {
                own += value.0;
            } else if !value.is_zero() {
                let x_i = domain.x(*i);
                rows.push(self.lagrange_row(*i, 0));
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
        let point = Multiples::new(&rows).sum(&terms);
        Ok(encode(&point.into_affine()))
    }
}
