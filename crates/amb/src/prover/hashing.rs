//! Hashes several messages at once, where the processor has the vector instructions.

use alloc::vec::Vec;
use core::array;

use blake2b_simd::Params;
use blake2b_simd::many::{HashManyJob, hash_many};
use prooflight_core::Hash;

use crate::message::{HashMessage as _, VALUE_TAG};

/// The number of messages hashed at once.
const HASH_BATCH: usize = 8;

/// The hash of each value, as entries have it.
pub(super) fn hash_values<'v>(values: impl IntoIterator<Item = &'v [u8]>) -> Vec<Hash> {
    hash_all(values, |message, value| {
        message.push(VALUE_TAG);
        message.put(value);
    })
}

/// The BLAKE2b-256 of a message for each item, which `put` writes.
pub(super) fn hash_all<T>(
    items: impl IntoIterator<Item = T>,
    put: impl Fn(&mut Vec<u8>, T),
) -> Vec<Hash> {
    let mut params = Params::new();
    params.hash_length(32);
    let mut messages = [const { Vec::new() }; HASH_BATCH];
    let mut items = items.into_iter();
    let mut hashes = Vec::with_capacity(items.size_hint().0);
    loop {
        let mut count = 0;
        for (message, item) in messages.iter_mut().zip(&mut items) {
            message.clear();
            put(message, item);
            count += 1;
        }
        if let [message] = &messages[..count] {
            // A single message is hashed directly: the jobs below take longer to make than one hash.
            hashes.extend(params.hash(message).as_bytes().first_chunk().copied());
            return hashes;
        }
        let mut jobs: [_; HASH_BATCH] =
            array::from_fn(|at| HashManyJob::new(&params, &messages[at]));
        hash_many(jobs.iter_mut().take(count));
        let of_job = |job: &HashManyJob<'_>| job.to_hash().as_bytes().first_chunk().copied();
        hashes.extend(jobs.iter().take(count).filter_map(of_job));
        if count < HASH_BATCH {
            return hashes;
        }
    }
}
