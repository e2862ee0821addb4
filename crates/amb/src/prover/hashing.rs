//! Hashes several messages at once, where the processor has the vector instructions.

use alloc::vec::Vec;
use core::array;

use blake2b_simd::Params;
use blake2b_simd::many::{HashManyJob, hash_many};
use prooflight_core::Hash;

/// The number of messages hashed at once.
const HASH_BATCH: usize = 8;

/// Hashes batches of messages in reused buffers.
pub(super) struct BatchHasher {
    params: Params,
    messages: [Vec<u8>; HASH_BATCH],
}

/// The BLAKE2b-256 of a message for each item, which `put` writes.
pub(super) fn hash_all<T>(
    items: impl IntoIterator<Item = T>,
    put: impl Fn(&mut Vec<u8>, T),
) -> Vec<Hash> {
    let mut hashes = Vec::new();
    BatchHasher::default().hash_all(items, &mut hashes, put);
    hashes
}

impl Default for BatchHasher {
    fn default() -> Self {
        let mut params = Params::new();
        params.hash_length(32);
        Self { params, messages: [const { Vec::new() }; HASH_BATCH] }
    }
}

impl BatchHasher {
    /// Replaces `hashes` by the hash of a message for each item, which `put` writes.
    pub(super) fn hash_all<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        hashes: &mut Vec<Hash>,
        put: impl Fn(&mut Vec<u8>, T),
    ) {
        let Self { params, messages } = self;
        let mut items = items.into_iter();
        hashes.clear();
        hashes.reserve(items.size_hint().0);
        loop {
            let mut count = 0;
            for (message, item) in messages.iter_mut().zip(&mut items) {
                message.clear();
                put(message, item);
                count += 1;
            }
            if let [message] = &messages[..count] {
                // A single message is hashed directly: the jobs below take longer to make than one
                // hash.
                hashes.extend(params.hash(message).as_bytes().first_chunk().copied());
                return;
            }
            let mut jobs: [_; HASH_BATCH] =
                array::from_fn(|at| HashManyJob::new(params, &messages[at]));
            hash_many(jobs.iter_mut().take(count));
            let of_job = |job: &HashManyJob<'_>| job.to_hash().as_bytes().first_chunk().copied();
            hashes.extend(jobs.iter().take(count).filter_map(of_job));
            if count < HASH_BATCH {
                return;
            }
        }
    }
}
