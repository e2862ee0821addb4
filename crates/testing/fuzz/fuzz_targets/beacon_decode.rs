//! Arbitrary bytes for every decoder of light-client data: none may panic.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::beacon::targets::beacon_decode;

fuzz_target!(|data: &[u8]| -> Corpus {
    match beacon_decode(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
