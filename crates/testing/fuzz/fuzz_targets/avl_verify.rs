//! A tree of any shape under a digest that matches it.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::avl::targets::avl_verify;

fuzz_target!(|data: &[u8]| -> Corpus {
    match avl_verify(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
