//! A made-up block with changed receipts: refused, or the same logs.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::ethereum::targets::ethereum_logs;

fuzz_target!(|data: &[u8]| -> Corpus {
    match ethereum_logs(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
