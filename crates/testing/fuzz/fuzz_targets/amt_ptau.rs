//! Changed setups of snarkjs, and arbitrary bytes.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::amt::targets::amt_ptau;

fuzz_target!(|data: &[u8]| -> Corpus {
    match amt_ptau(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
