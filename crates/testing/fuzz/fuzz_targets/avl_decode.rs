//! Arbitrary bytes as digest, operations and proof.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::avl::targets::avl_decode;

fuzz_target!(|data: &[u8]| -> Corpus {
    match avl_decode(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
