//! Changed answers about an honest state: if still accepted, they must be true.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::mpt::targets::mpt_get_proof;

fuzz_target!(|data: &[u8]| -> Corpus {
    match mpt_get_proof(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
