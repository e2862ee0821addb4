//! Proofs of keys at a block: changed ones, those of other blocks and keys, and arbitrary bytes.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::smt::targets::smt_proof;

fuzz_target!(|data: &[u8]| -> Corpus {
    match smt_proof(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
