//! True, changed and arbitrary openings, and arbitrary verifying keys.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::amt::targets::amt_opening;

fuzz_target!(|data: &[u8]| -> Corpus {
    match amt_opening(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
