//! So many points that a verifier may add up their multiples in another way than those of a few.

use std::collections::BTreeSet;

use prooflight_core::Reason;

use super::valid::valid;
use super::{Vector, dev};
use crate::amt::OpeningInput;
use crate::generate::builder::Builder;

const LOG_N: u8 = 12;

/// Openings of entries whose indices differ in their last seven bits, and so in all points but the first levels'.
fn openings() -> Vec<OpeningInput> {
    let indices = (0..90).map(|i| i * 61 % (1 << LOG_N));
    let entry = |i: u32| (i, [u64::from(i) + 1, 0, u64::from(i % 5), 0, 0, 1]);
    let vector = Vector::new(LOG_N, 1, &indices.clone().map(entry).collect::<Vec<_>>());
    let openings: Vec<_> = indices.map(|i| vector.tree(i)).collect();
    let points: BTreeSet<_> = openings.iter().flat_map(|o| &o.points).map(|p| p.0).collect();
    assert!(points.len() > 512, "{} points", points.len());
    openings
}

const COMMENT: &str = "90 openings of entries of 4,096, with more than 512 different points";

pub(super) fn right(file: &mut Builder) {
    valid(file, &["Batch", "Tree"], COMMENT, &dev(LOG_N.into(), openings()));
}

pub(super) fn wrong(file: &mut Builder) {
    let mut openings = openings();
    let value = openings.last_mut().and_then(|last| last.value.as_mut()).expect("a value");
    value.0[0] ^= 1;
    let comment = format!("{COMMENT}; the last one's first version off by one");
    file.invalid(&["Value"], comment, &dev(LOG_N.into(), openings), Reason::OpeningMismatch);
}
