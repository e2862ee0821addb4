//! Arbitrary bytes as headers and receipts: bytes that decode must be their unique encoding.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::ethereum::targets::ethereum_decode;

fuzz_target!(|data: &[u8]| -> Corpus {
    match ethereum_decode(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
