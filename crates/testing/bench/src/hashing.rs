//! The cost of hashing alone: the number of compressions that a verifier needs, and nothing else.

use core::array;
use core::hint::black_box;

use blake2::Blake2b;
use blake2::digest::{Digest as _, consts::U32};
use blake2b_simd::Params;
use blake2b_simd::many::{HashManyJob, hash_many};

/// The input of an internal node's label, which takes one compression.
type LabelInput = [u8; 66];

/// Messages hashed per call.
const HASH_BATCH: usize = 16;

/// Distinct inputs for a number of compressions.
#[derive(Default)]
pub struct HashInputs(Vec<LabelInput>);

impl HashInputs {
    /// Makes the inputs.
    pub fn new(compressions: usize) -> Self {
        let input = |n: usize| {
            let mut input = [1; 66];
            input[2..][..size_of::<usize>()].copy_from_slice(&n.to_le_bytes());
            input
        };
        Self((0..compressions).map(input).collect())
    }

    /// Hashes one input after another, with the crate that the peer uses.
    pub fn one_by_one(&self) {
        for input in &self.0 {
            black_box(Blake2b::<U32>::digest(input));
        }
    }

    /// Hashes several inputs at once, as if no label depended on another.
    pub fn many_at_once(&self) {
        let mut params = Params::new();
        params.hash_length(32);
        for chunk in self.0.chunks(HASH_BATCH) {
            let input = |n: usize| chunk.get(n).map_or(&[][..], LabelInput::as_slice);
            let mut jobs: [_; HASH_BATCH] = array::from_fn(|n| HashManyJob::new(&params, input(n)));
            hash_many(&mut jobs[..chunk.len()]);
            black_box(&jobs);
        }
    }
}
