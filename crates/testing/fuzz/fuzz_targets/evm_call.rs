//! Random code over a random state: what is proven beforehand, and a changed proof, make no difference.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::evm::targets::evm_call;

fuzz_target!(|data: &[u8]| -> Corpus {
    match evm_call(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
