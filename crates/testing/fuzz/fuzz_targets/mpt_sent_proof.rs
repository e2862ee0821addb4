//! Proofs as nodes send them, changed: if the canonical proof is still accepted, it must be true.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::mpt::targets::mpt_sent_proof;

fuzz_target!(|data: &[u8]| -> Corpus {
    match mpt_sent_proof(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
