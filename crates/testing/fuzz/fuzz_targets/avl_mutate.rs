//! Changed statements about an honest dictionary: if still accepted, they must be true.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::avl::targets::avl_mutate;

fuzz_target!(|data: &[u8]| -> Corpus {
    match avl_mutate(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
