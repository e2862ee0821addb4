//! Openings that must be accepted.

use prooflight_amt::VerifyingKey;
use prooflight_json::Hash32;
use serde_json::json;

use super::{SampleVector, dev};
use crate::amt::AmtOpening;
use crate::generate::builder::{FileBuilder, expected};

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("AmtOpening");
    for (log_n, log_arity, indices) in [
        (1, 1, &[0, 1][..]),
        (4, 1, &[0, 1, 15]),
        (4, 2, &[0, 2, 9]),
        (4, 4, &[0, 3, 14]),
        (6, 2, &[1, 33, 63]),
        (6, 3, &[40]),
        (8, 4, &[0, 100, 255]),
    ] {
        alone(file, log_n, log_arity, indices);
    }
    batches(file);
}

fn valid(file: &mut FileBuilder, flags: &[&str], comment: impl Into<String>, input: &AmtOpening) {
    let log_n = input.log_n.and_then(|log_n| u8::try_from(log_n).ok());
    let key = VerifyingKey::dev(log_n.expect("at most 28")).expect("a key");
    let id = Hash32(key.params_id());
    file.valid(flags, comment, input, expected(json!({ "paramsId": id })));
}

fn alone(file: &mut FileBuilder, log_n: u8, log_arity: u8, indices: &[u32]) {
    let vector = SampleVector::sample(log_n, log_arity);
    let (n, arity) = (1_u32 << log_n, 1_u32 << log_arity);
    for index in indices {
        let of = format!("entry {index} of {n}");
        let input = dev(usize::from(log_n), vec![vector.tree(*index)]);
        valid(file, &["Tree"], format!("{of}, arity {arity}"), &input);
        if log_arity == 1 || log_n != 4 {
            let input = dev(usize::from(log_n), vec![vector.single(*index)]);
            valid(file, &["Single"], format!("{of}, beside a tree of arity {arity}"), &input);
        }
    }
}

fn batches(file: &mut FileBuilder) {
    let vector = SampleVector::sample(4, 2);
    let other = SampleVector::new(4, 1, &[(3, [0, 1, 0, 0, 0, 0]), (9, [5; 6])]);
    valid(file, &["Batch"], "no opening at all", &dev(4, vec![]));
    let all = |vector: &SampleVector| (0..16).map(|index| vector.tree(index)).collect();
    valid(file, &["Batch", "Tree"], "all entries of a vector", &dev(4, all(&vector)));
    let twice = vec![vector.tree(2), vector.tree(2)];
    valid(file, &["Batch", "Tree"], "one opening twice", &dev(4, twice));
    let both = vec![vector.single(2), vector.tree(2)];
    valid(file, &["Batch", "Single", "Tree"], "one entry by both kinds", &dev(4, both));
    let mixed = vec![
        other.single(9),
        vector.tree(6),
        SampleVector::sample(4, 4).tree(6),
        other.tree(3),
        other.tree(4),
        vector.single(1),
    ];
    let flags = &["Batch", "Single", "Tree"];
    valid(file, flags, "kinds, arities and commitments mixed", &dev(4, mixed));
    for versions in [[0; 6], [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 9], [(1 << 40) - 1; 6]] {
        let vector = SampleVector::new(4, 2, &[(5, versions), (6, [1; 6])]);
        let opening = vector.single(5).with_versions(versions);
        let comment = format!("the versions {versions:?}");
        valid(file, &["Single", "Versions"], comment, &dev(4, vec![opening]));
    }
}
