//! Proofs of keys in layered tries: changed ones, those of other keys and layers, and arbitrary bytes.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::lmpt::targets::lmpt_proof;

fuzz_target!(|data: &[u8]| -> Corpus {
    match lmpt_proof(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
