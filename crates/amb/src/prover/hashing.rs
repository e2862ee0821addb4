//! Hashes several messages at once, where the processor has the vector instructions.

use alloc::vec::Vec;
use core::array;

use blake2b_simd::Params;
use blake2b_simd::many::{HashManyJob, hash_many};
use prooflight_core::Hash;

/// The number of messages hashed at once.
const AT_ONCE: usize = 8;

/// The BLAKE2b-256 of each message.
pub(crate) fn hash_all<M>(
    messages: impl IntoIterator<Item = M>,
    bytes: impl Fn(&M) -> &[u8],
) -> Vec<Hash> {
    let mut params = Params::new();
    params.hash_length(32);
    let mut messages = messages.into_iter();
    let mut hashes = Vec::with_capacity(messages.size_hint().0);
    let mut group = Vec::with_capacity(AT_ONCE);
    loop {
        group.clear();
        group.extend(messages.by_ref().take(AT_ONCE));
        let message = |at: usize| group.get(at).map(&bytes).unwrap_or_default();
        let mut jobs: [_; AT_ONCE] = array::from_fn(|at| HashManyJob::new(&params, message(at)));
        hash_many(jobs.iter_mut().take(group.len()));
        let of_job = |job: &HashManyJob<'_>| job.to_hash().as_bytes().first_chunk().copied();
        hashes.extend(jobs.iter().take(group.len()).filter_map(of_job));
        if group.len() < AT_ONCE {
            return hashes;
        }
    }
}
