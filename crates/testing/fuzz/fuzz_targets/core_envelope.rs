//! Arbitrary bytes as an envelope: bytes that decode must encode to the same bytes.
#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use borsh::{BorshDeserialize, BorshSerialize};
use libfuzzer_sys::fuzz_target;
use prooflight_core::{Code, Envelope, Limits, Scheme};

/// A struct with every kind of borsh type.
#[derive(BorshSerialize, BorshDeserialize, Debug, PartialEq, Eq)]
struct Body {
    hash: [u8; 4],
    number: u64,
    flag: bool,
    name: String,
    maybe: Option<i128>,
    choice: Choice,
    map: BTreeMap<u8, Vec<u16>>,
    set: BTreeSet<Vec<u8>>,
}

#[derive(BorshSerialize, BorshDeserialize, Debug, PartialEq, Eq)]
enum Choice {
    Nothing,
    Pair(u8, i32),
    Named { items: Vec<Vec<u8>> },
}

fuzz_target!(|data: &[u8]| {
    // Mostly the envelope that the bytes name, so that decoding reaches the body.
    let scheme = data.get(1).and_then(|&id| Scheme::from_id(id).ok()).unwrap_or(Scheme::Avl);
    let kind = data.get(2).map_or(0, |&kind| kind.min(200));
    let envelope = Envelope { scheme, kind };
    let limits = Limits { max_proof_bytes: 2048, ..Limits::DEFAULT };
    round_trip::<Body>(envelope, data, &limits);
    round_trip::<Vec<Choice>>(envelope, data, &limits);
    round_trip::<BTreeMap<Vec<u8>, Option<u128>>>(envelope, data, &limits);
    round_trip::<()>(envelope, data, &limits);
});

fn round_trip<T>(envelope: Envelope, data: &[u8], limits: &Limits)
where
    T: BorshSerialize + BorshDeserialize + Debug + PartialEq,
{
    match envelope.decode::<T>(data, limits) {
        Ok(body) => {
            assert_eq!(envelope.encode(&body), data);
            assert!(data.len() <= limits.max_proof_bytes);
        }
        Err(error) => assert_eq!(error.code(), Code::Malformed, "{error}"),
    }
}
