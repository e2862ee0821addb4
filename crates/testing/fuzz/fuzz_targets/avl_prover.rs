//! Arbitrary batches, compared with the model and the peer.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use prooflight_testkit::avl::targets::avl_prover;

fuzz_target!(|data: &[u8]| -> Corpus {
    match avl_prover(&mut Unstructured::new(data)) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
