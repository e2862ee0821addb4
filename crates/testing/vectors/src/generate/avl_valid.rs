//! `avl/avl_batch.json`: honest batches.

use super::builder::FileBuilder;
use super::dictionary::{
    AvlDictionary, add, insert, insert_or_update, lookup, remove, remove_if_exists, update,
};
use super::rng::Rng;
use crate::answer::VerifierAnswer;
use crate::avl::{AvlBatch, AvlOp, BatchMode};

/// Adds the tests made by code.
pub(super) fn make(file: &mut FileBuilder) {
    file.group("AvlBatch");
    operations(file);
    lengths(file);
    deletions(file);
    empty(file);
    absence(file);
    chains(file);
}

/// A batch in strict mode, and the same in compat mode.
fn both_modes(
    file: &mut FileBuilder,
    flags: &[&str],
    comment: &str,
    (batch, answer): (AvlBatch, VerifierAnswer),
) {
    file.valid(flags, comment, &batch, answer.clone());
    let compat = AvlBatch { mode: BatchMode::Compat, ..batch };
    file.valid(flags, format!("{comment} (compat)"), &compat, answer);
}

fn operations(file: &mut FileBuilder) {
    let mut dictionary = AvlDictionary::random(&mut Rng::new(1), 8, None, 12);
    let long = |n: i64| n.to_be_bytes().to_vec();
    let entries = [
        (1, long(5)),
        (2, long(i64::MAX - 1)),
        (3, long(-3)),
        (4, [long(41), b"tail".to_vec()].concat()),
        (5, b"short".to_vec()),
        (6, Vec::new()),
    ];
    let key = |n: u8| [0x40, 0, 0, 0, 0, 0, 0, n];
    for (n, value) in entries {
        dictionary.apply(&[insert(key(n), value)]);
    }
    let cases: [(&str, AvlOp); 27] = [
        ("Lookup, present", lookup(key(1))),
        ("Lookup, present, empty value", lookup(key(6))),
        ("Lookup, absent", lookup(key(9))),
        ("Insert, absent", insert(key(9), b"new".to_vec())),
        ("Insert of an empty value", insert(key(9), [])),
        ("Update, present", update(key(1), b"new".to_vec())),
        ("Update to an empty value", update(key(1), [])),
        ("Update to the same value", update(key(5), b"short".to_vec())),
        ("InsertOrUpdate, present", insert_or_update(key(1), b"new".to_vec())),
        ("InsertOrUpdate, absent", insert_or_update(key(9), b"new".to_vec())),
        ("Remove, present", remove(key(1))),
        ("RemoveIfExists, present", remove_if_exists(key(1))),
        ("RemoveIfExists, absent", remove_if_exists(key(9))),
        ("UpdateLongBy, 5 + 3", add(key(1), 3)),
        ("UpdateLongBy, 5 - 4", add(key(1), -4)),
        ("UpdateLongBy, 5 - 5 deletes", add(key(1), -5)),
        ("UpdateLongBy, 5 + 0", add(key(1), 0)),
        ("UpdateLongBy, up to the largest value", add(key(2), 1)),
        ("UpdateLongBy, largest value but one down to 1", add(key(2), 2 - i64::MAX)),
        ("UpdateLongBy, -3 + 5", add(key(3), 5)),
        ("UpdateLongBy, -3 + 3 deletes", add(key(3), 3)),
        ("UpdateLongBy, the first 8 of 12 bytes count", add(key(4), 1)),
        ("UpdateLongBy, the first 8 of 12 bytes come to 0", add(key(4), -41)),
        ("UpdateLongBy by 0, a value of 5 bytes stays", add(key(5), 0)),
        ("UpdateLongBy, absent, inserts", add(key(9), 7)),
        ("UpdateLongBy, absent, the largest", add(key(9), i64::MAX)),
        ("UpdateLongBy by 0, absent", add(key(9), 0)),
    ];
    for (comment, op) in cases {
        both_modes(file, &["Operation"], comment, dictionary.prove(&[op]));
    }
}

fn lengths(file: &mut FileBuilder) {
    let mut rng = Rng::new(2);
    for key_length in [1, 8, 20, 32, 64, 255, 256] {
        for value_length in [None, Some(0), Some(8), Some(32)] {
            let dictionary = AvlDictionary::random(&mut rng, key_length, value_length, 20);
            let keys = dictionary.keys();
            let value = dictionary.random_value(&mut rng);
            let new_key = dictionary.absent_key(&mut rng);
            let mut ops = vec![
                lookup(&keys[0][..]),
                lookup(dictionary.absent_key(&mut rng)),
                insert(&new_key[..], &value[..]),
                update(&keys[3][..], &value[..]),
                insert_or_update(&keys[19][..], &value[..]),
                remove(&keys[7][..]),
                insert_or_update(&keys[7][..], &value[..]),
                remove_if_exists(&keys[12][..]),
                remove_if_exists(&keys[12][..]),
            ];
            if value_length.is_none_or(|length| length == 8) {
                let op = |delta| add(&keys[12][..], delta);
                ops.extend([op(0), op(9), op(i64::MAX - 9), op(-5), op(5 - i64::MAX)]);
            }
            let values = value_length
                .map_or("variable values".to_owned(), |n| format!("values of {n} bytes"));
            let comment = format!("keys of {key_length} bytes, {values}");
            both_modes(file, &["Lengths"], &comment, dictionary.prove(&ops));
        }
    }
}

/// Deletions until the dictionary is empty.
fn deletions(file: &mut FileBuilder) {
    let keys = (1..=12).map(|n| n * 20).collect::<Vec<u8>>();
    let dictionary = AvlDictionary::of_bytes(keys.iter().copied());
    for (order, keys) in
        [("ascending", keys.clone()), ("descending", keys.into_iter().rev().collect())]
    {
        let ops = keys.into_iter().map(|key| remove([key])).collect::<Vec<_>>();
        let comment = format!("every key is removed, {order}");
        both_modes(file, &["Deletion"], &comment, dictionary.prove(&ops));
    }
}

fn empty(file: &mut FileBuilder) {
    for (key_length, value_length) in [(1, None), (32, None), (32, Some(0)), (8, Some(8))] {
        let dictionary = AvlDictionary::new(key_length, value_length);
        let key = vec![0x5a; key_length];
        let value = vec![0x77; value_length.unwrap_or(3)];
        let cases: [(&str, &[AvlOp]); 4] = [
            ("no operation", &[]),
            ("a lookup", &[lookup(&key[..])]),
            ("the first key", &[insert(&key[..], &value[..])]),
            ("a removal of nothing", &[remove_if_exists(&key[..])]),
        ];
        let values = value_length.map_or("variable".to_owned(), |n| n.to_string());
        for (comment, ops) in cases {
            let comment = format!("empty dictionary, k = {key_length}, V = {values}: {comment}");
            both_modes(file, &["Empty"], &comment, dictionary.prove(ops));
        }
    }
    let mut dictionary = AvlDictionary::random(&mut Rng::new(5), 32, None, 9);
    both_modes(file, &["Empty"], "no operation on nine keys", dictionary.prove(&[]));
    for key in dictionary.keys() {
        dictionary.apply(&[remove(key)]);
    }
    let comment = "a lookup after every key was removed: the digest is that of a new dictionary";
    both_modes(file, &["Empty"], comment, dictionary.prove(&[lookup([0x11; 32])]));
}

fn absence(file: &mut FileBuilder) {
    let dictionary = AvlDictionary::of_bytes([0x10, 0x20, 0x30, 0x40, 0x50, 0x60]);
    let cases = [
        ("before the first key", 0x01),
        ("just before the first key", 0x0f),
        ("just after the first key", 0x11),
        ("in the middle", 0x38),
        ("just before the last key", 0x5f),
        ("just after the last key", 0x61),
        ("after the last key", 0xfe),
    ];
    for (comment, key) in cases {
        let comment = format!("lookup {comment}");
        both_modes(file, &["Absence"], &comment, dictionary.prove(&[lookup([key])]));
    }
    let ends = AvlDictionary::of_bytes([0x01, 0xfe]);
    let batch = ends.prove(&[lookup([0x01]), lookup([0x02]), lookup([0xfd]), lookup([0xfe])]);
    both_modes(file, &["Absence"], "the smallest and the largest key there can be", batch);
    let all = (1..=0xfe).map(|key| lookup([key])).collect::<Vec<_>>();
    let comment = "a lookup of every key there can be: the whole tree, no label";
    let (batch, answer) = dictionary.prove(&all);
    file.valid(&["Absence"], comment, &batch, answer);
}

fn chains(file: &mut FileBuilder) {
    let mut rng = Rng::new(7);
    for (mode, value_length) in [(BatchMode::Strict, None), (BatchMode::Compat, Some(8))] {
        let mut dictionary = AvlDictionary::new(32, value_length);
        for step in 1..=6 {
            let keys = dictionary.keys();
            let mut ops = (0..8)
                .map(|_| insert(rng.key(32), dictionary.random_value(&mut rng)))
                .collect::<Vec<_>>();
            for _ in 0..keys.len().min(9) {
                let key = &keys[rng.below(keys.len())][..];
                ops.push(match rng.below(4) {
                    0 => lookup(key),
                    1 => insert_or_update(key, dictionary.random_value(&mut rng)),
                    2 => remove_if_exists(key),
                    _ => lookup(rng.key(32)),
                });
            }
            rng.shuffle(&mut ops);
            let (batch, answer) = dictionary.apply(&ops);
            let name = if mode == BatchMode::Strict { "strict" } else { "compat" };
            let comment = format!("batch {step} of a chain, {name}");
            file.valid(&["Chain"], comment, &AvlBatch { mode, ..batch }, answer);
        }
    }
}
