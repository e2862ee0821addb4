//! Small changes of bytes, the same for every scheme.

use std::collections::BTreeSet;

use prooflight_json::HexBytes;
use serde_json::{Value, json};

use super::builder::FileBuilder;

/// Adds the refused inputs among small changes of the bytes at a place of an honest input; only the code is pinned.
///
/// The bytes end early, or one of them is deleted, inserted, swapped with the next, or has one of two bits flipped.
/// `of` begins the comments. A change that is still accepted with the same answer is not a test: some numbers do
/// not matter.
pub(crate) fn damaged(file: &mut FileBuilder, of: &str, honest: &Value, place: &str) {
    let pointer = format!("/{place}");
    let text = honest.pointer(&pointer).and_then(Value::as_str).expect("bytes at the place");
    let HexBytes(bytes) = text.parse().expect("bytes");
    let answer = file.answer(honest);
    let mut seen = BTreeSet::from([bytes.clone()]);
    let mut add = |flag: &str, what: String, changed: Vec<u8>| {
        // Deleting either of two equal neighbours gives the same bytes.
        if !seen.insert(changed.clone()) {
            return;
        }
        let mut input = honest.clone();
        *input.pointer_mut(&pointer).expect("it is there") = json!(HexBytes(changed));
        match file.answer(&input) {
            Err(_) => file.refused(&[flag], format!("{of}{what}"), &input),
            same => assert_eq!(same, answer, "{what}"),
        }
    };
    for at in 0..bytes.len() {
        add("Truncated", format!("the first {at} of {} bytes", bytes.len()), bytes[..at].to_vec());
    }
    for at in 0..bytes.len() {
        let mut splice = |what: String, cut: usize, put: &[u8]| {
            add("Mutated", what, [&bytes[..at], put, &bytes[at + cut..]].concat());
        };
        for bit in [at * 5 % 8, (at * 5 + 4) % 8] {
            splice(format!("bit {bit} of byte {at} flipped"), 1, &[bytes[at] ^ 1 << bit]);
        }
        splice(format!("byte {at} deleted"), 1, &[]);
        splice(format!("a byte inserted before byte {at}"), 0, &[0x10]);
        if let [this, next, ..] = bytes[at..] {
            splice(format!("bytes {at} and {} swapped", at + 1), 2, &[next, this]);
        }
    }
}
