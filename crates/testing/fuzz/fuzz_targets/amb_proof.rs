//! Proofs about ordered keys, of every kind: changed ones, those of other questions, and arbitrary bytes.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::amb::targets::amb_proof;

fuzz_target!(|data: &[u8]| -> Corpus {
    match amb_proof(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
