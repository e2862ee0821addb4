//! Proofs in one trie: changed ones, forged ones under their own root, and arbitrary bytes.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::mpt::targets::mpt_proof;

fuzz_target!(|data: &[u8]| -> Corpus {
    match mpt_proof(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
