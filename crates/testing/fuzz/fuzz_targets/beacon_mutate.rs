//! Changed light-client messages: if still accepted, they must lead to the honest heads.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::beacon::targets::beacon_mutate;

fuzz_target!(|data: &[u8]| -> Corpus {
    match beacon_mutate(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
