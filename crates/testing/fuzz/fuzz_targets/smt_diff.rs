//! Diffs: changed ones, those of other ranges, and arbitrary bytes.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::smt::targets::smt_diff;

fuzz_target!(|data: &[u8]| -> Corpus {
    match smt_diff(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
