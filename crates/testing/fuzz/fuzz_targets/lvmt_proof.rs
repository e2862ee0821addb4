//! Proofs about keys of two chains: honest ones with changed bytes or members, and arbitrary bytes.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::lvmt::targets::lvmt_proof;

fuzz_target!(|data: &[u8]| -> Corpus {
    match lvmt_proof(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
