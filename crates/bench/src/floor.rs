//! What hashing alone costs: the same number of single compressions as the verifier needs.

use std::hint::black_box;
use std::time::Duration;

use blake2::Blake2b;
use blake2::digest::{Digest as _, consts::U32};
use blake2b_simd::Params;
use blake2b_simd::many::{HashManyJob, hash_many};

use crate::report::timed;

/// The input of an internal node's label.
type Input = [u8; 66];

/// Messages that are hashed side by side in one call.
const CHUNK: usize = 16;

/// Inputs for a number of compressions, all different.
pub(crate) struct Floor(Vec<Input>);

impl Floor {
    pub(crate) fn new(compressions: usize) -> Self {
        let input = |n: usize| {
            let mut input = [1; 66];
            input[2..10].copy_from_slice(&n.to_le_bytes());
            input
        };
        Self((0..compressions).map(input).collect())
    }

    /// One after the other, with the crate that ours and the peer use.
    pub(crate) fn one_by_one(&self) -> Duration {
        timed(|| {
            for input in &self.0 {
                black_box(Blake2b::<U32>::digest(input));
            }
        })
        .1
    }

    /// Several at once, as if none depended on another.
    pub(crate) fn many_at_once(&self) -> Duration {
        let mut params = Params::new();
        params.hash_length(32);
        timed(|| {
            for chunk in self.0.chunks(CHUNK) {
                let job = |n: usize| HashManyJob::new(&params, chunk.get(n).map_or(&[], |i| &i[..]));
                let mut jobs: [HashManyJob<'_>; CHUNK] = core::array::from_fn(job);
                hash_many(jobs[..chunk.len()].iter_mut());
                black_box(&jobs);
            }
        })
        .1
    }
}
