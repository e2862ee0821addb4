//! `avl/avl_batch.json`: honest batches.

use std::collections::BTreeSet;

use super::anatomy::Proof;
use super::builder::Builder;
use super::dictionary::{
    Dictionary, add, insert, insert_or_update, lookup, remove, remove_if_exists, update,
};
use super::rng::Rng;
use super::trace::Event;
use crate::answer::Answer;
use crate::avl::{Batch, BatchLimits, BatchMode, Op};

const FLAGS: &[(&str, &str)] = &[
    ("Absence", "lookups and other operations of absent keys, with the keys on both sides"),
    ("Chain", "batches on one dictionary, one after the other: each begins at the digest before"),
    ("Deletion", "one deletion; the comment says which cases of avl 10 it goes through"),
    ("Empty", "an empty dictionary or an empty batch"),
    ("Insertion", "one insertion; the comment says which cases of avl 9 it goes through"),
    ("Lengths", "every kind of operation in dictionaries of all key and value lengths"),
    ("Limits", "the batch is as large as the limits allow"),
    ("Operation", "one operation of each kind, on a present and on an absent key"),
    ("Sequence", "operations that build on each other within one batch"),
    ("Values", "values that could be taken for something else"),
];

/// The file's bytes.
pub(super) fn file() -> String {
    let mut file = Builder::new("avl", FLAGS);
    file.group("AvlBatch");
    operations(&mut file);
    lengths(&mut file);
    insertions(&mut file);
    deletions(&mut file);
    empty(&mut file);
    absence(&mut file);
    sequences(&mut file);
    values(&mut file);
    chains(&mut file);
    limits(&mut file);
    file.finish()
}

/// A batch in strict mode, and the same in compat mode.
fn both_modes(file: &mut Builder, flags: &[&str], comment: &str, (batch, answer): (Batch, Answer)) {
    file.valid(flags, comment, &batch, answer.clone());
    let compat = Batch { mode: BatchMode::Compat, ..batch };
    file.valid(flags, format!("{comment} (compat)"), &compat, answer);
}

fn operations(file: &mut Builder) {
    let mut dictionary = Dictionary::random(&mut Rng::new(1), 8, None, 12);
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
    let cases: [(&str, Op); 27] = [
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

fn lengths(file: &mut Builder) {
    let mut rng = Rng::new(2);
    for key_length in [1, 8, 20, 32, 64, 255, 256] {
        for value_length in [None, Some(0), Some(8), Some(32)] {
            let dictionary = Dictionary::random(&mut rng, key_length, value_length, 20);
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

fn insertions(file: &mut Builder) {
    let mut rng = Rng::new(3);
    let mut missing = Event::of_insertions();
    while !missing.is_empty() {
        let dictionary = small(&mut rng);
        let op = insert(dictionary.absent_key(&mut rng), []);
        keep_if_new(file, "Insertion", &dictionary, op, Event::in_insertion, &mut missing);
    }
}

fn deletions(file: &mut Builder) {
    let mut rng = Rng::new(4);
    let mut missing = Event::of_deletions();
    while !missing.is_empty() {
        let dictionary = small(&mut rng);
        for key in dictionary.keys() {
            keep_if_new(
                file,
                "Deletion",
                &dictionary,
                remove(key),
                Event::in_deletion,
                &mut missing,
            );
        }
    }
    // Deletion down to nothing, in three orders.
    let keys = (1..=12).map(|n| n * 20).collect::<Vec<u8>>();
    let mut shuffled = keys.clone();
    rng.shuffle(&mut shuffled);
    let orders = [
        ("ascending", keys.clone()),
        ("descending", keys.iter().rev().copied().collect()),
        ("mixed", shuffled),
    ];
    for (order, to_delete) in orders {
        let dictionary = Dictionary::of_bytes(keys.iter().copied());
        let ops = to_delete.into_iter().map(|key| remove([key])).collect::<Vec<_>>();
        let comment = format!("every key is removed, {order}");
        both_modes(file, &["Deletion"], &comment, dictionary.prove(&ops));
    }
}

/// A dictionary with a few one-byte keys and empty values.
fn small(rng: &mut Rng) -> Dictionary {
    let n = 2 + rng.below(22);
    let mut dictionary = Dictionary::new(1, None);
    for _ in 0..n {
        dictionary.apply(&[insert(dictionary.absent_key(rng), [])]);
    }
    dictionary
}

/// Adds a batch of one operation if something happens in it that has not been shown yet.
fn keep_if_new(
    file: &mut Builder,
    flag: &str,
    dictionary: &Dictionary,
    op: Op,
    trace: fn(&Proof) -> BTreeSet<Event>,
    missing: &mut BTreeSet<Event>,
) {
    let (batch, answer) = dictionary.prove(&[op]);
    let events = trace(&Proof::parse(&batch.proof.0, 1, None));
    if events.is_disjoint(missing) {
        return;
    }
    missing.retain(|event| !events.contains(event));
    let names = events.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let comment =
        format!("{} of {} keys: {names}", batch.ops[0].borrow().name(), dictionary.keys().len());
    file.valid(&[flag], comment, &batch, answer);
}

fn empty(file: &mut Builder) {
    for (key_length, value_length) in [(1, None), (32, None), (32, Some(0)), (8, Some(8))] {
        let dictionary = Dictionary::new(key_length, value_length);
        let key = vec![0x5a; key_length];
        let value = vec![0x77; value_length.unwrap_or(3)];
        let cases: [(&str, &[Op]); 4] = [
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
    let mut dictionary = Dictionary::random(&mut Rng::new(5), 32, None, 9);
    both_modes(file, &["Empty"], "no operation on nine keys", dictionary.prove(&[]));
    for key in dictionary.keys() {
        dictionary.apply(&[remove(key)]);
    }
    let comment = "a lookup after every key was removed: the digest is that of a new dictionary";
    both_modes(file, &["Empty"], comment, dictionary.prove(&[lookup([0x11; 32])]));
}

fn absence(file: &mut Builder) {
    let dictionary = Dictionary::of_bytes([0x10, 0x20, 0x30, 0x40, 0x50, 0x60]);
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
    let ends = Dictionary::of_bytes([0x01, 0xfe]);
    let batch = ends.prove(&[lookup([0x01]), lookup([0x02]), lookup([0xfd]), lookup([0xfe])]);
    both_modes(file, &["Absence"], "the smallest and the largest key there can be", batch);
    let all = (1..=0xfe).map(|key| lookup([key])).collect::<Vec<_>>();
    let comment = "a lookup of every key there can be: the whole tree, no label";
    let (batch, answer) = dictionary.prove(&all);
    file.valid(&["Absence"], comment, &batch, answer);
}

fn sequences(file: &mut Builder) {
    let dictionary = Dictionary::of_bytes([0x20, 0x40, 0x60, 0x80]);
    let cases: [(&str, Vec<Op>); 6] = [
        (
            "one key through a whole life",
            vec![
                insert([0x50], [1]),
                lookup([0x50]),
                update([0x50], [2]),
                insert_or_update([0x50], [3]),
                remove([0x50]),
                lookup([0x50]),
                insert([0x50], [4]),
                remove_if_exists([0x50]),
            ],
        ),
        (
            "the neighbours of an absent key change",
            vec![
                lookup([0x50]),
                insert([0x4f], []),
                lookup([0x50]),
                insert([0x51], []),
                lookup([0x50]),
                remove([0x40]),
                remove([0x4f]),
                lookup([0x50]),
            ],
        ),
        ("the same lookup twice", vec![lookup([0x40]), lookup([0x40])]),
        (
            "the batch ends where it began",
            vec![insert([0x50], [9]), remove([0x50]), remove([0x20]), insert([0x20], [0x20])],
        ),
        ("ascending insertions", (0x21..0x38).map(|key| insert([key], [key])).collect()),
        ("descending insertions", (0x21..0x38).rev().map(|key| insert([key], [key])).collect()),
    ];
    for (comment, ops) in cases {
        both_modes(file, &["Sequence"], comment, dictionary.prove(&ops));
    }
    // 4 keys make 5 leaves at depths 2 to 3, so some number of lookups fills the last byte.
    let full = (1..).find_map(|n| {
        let (batch, answer) = dictionary.prove(&vec![lookup([0x20]); n]);
        let way = Proof::parse(&batch.proof.0, 1, None).way(0);
        (way.len() * n).is_multiple_of(8).then_some((batch, answer))
    });
    let comment = "the directions fill their last byte";
    both_modes(file, &["Sequence"], comment, full.expect("eight lookups do"));
}

fn values(file: &mut Builder) {
    let mut dictionary = Dictionary::random(&mut Rng::new(6), 32, None, 3);
    let key = [0x70; 32];
    let (batch, _) = dictionary.prove(&[lookup([0x71; 32])]);
    let Proof { root, .. } = Proof::parse(&batch.proof.0, 32, None);
    let two_labels = [root.label(), root.label()].concat();
    dictionary.apply(&[insert(key, two_labels)]);
    both_modes(file, &["Values"], "a value of two labels", dictionary.prove(&[lookup(key)]));
    let looks_like_nodes = [&[3][..], &root.label(), &[0, 0xff, 1, 4, 2]].concat();
    let batch = dictionary.prove(&[update(key, looks_like_nodes)]);
    both_modes(file, &["Values"], "a value that reads like nodes and an end", batch);
    let batch = dictionary.prove(&[update(key, [key, key].concat())]);
    both_modes(file, &["Values"], "a value of two keys", batch);
}

fn chains(file: &mut Builder) {
    let mut rng = Rng::new(7);
    for (mode, value_length) in [(BatchMode::Strict, None), (BatchMode::Compat, Some(8))] {
        let mut dictionary = Dictionary::new(32, value_length);
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
            file.valid(&["Chain"], comment, &Batch { mode, ..batch }, answer);
        }
    }
}

fn limits(file: &mut Builder) {
    let dictionary = Dictionary::of_bytes([0x20, 0x40, 0x60]);
    let ops = [remove([0x20]), remove_if_exists([0x30]), add([0x31], 1), lookup([0x60])];
    let (batch, answer) = dictionary.prove(&ops);
    let limits = BatchLimits {
        max_operations: Some(4),
        max_deletes: Some(3),
        max_proof_bytes: Some(batch.proof.0.len()),
        max_value_bytes: Some(8),
    };
    let batch = Batch { limits: Some(limits), ..batch };
    both_modes(file, &["Limits"], "operations, deletes, proof and a new value", (batch, answer));

    let mut dictionary = Dictionary::new(1, None);
    dictionary.apply(&[insert([0x20], [7; 16])]);
    let (batch, answer) = dictionary.prove(&[update([0x20], [8; 16])]);
    let limits = BatchLimits { max_value_bytes: Some(16), ..BatchLimits::default() };
    let batch = Batch { limits: Some(limits), ..batch };
    both_modes(file, &["Limits"], "a value in the proof and one in an operation", (batch, answer));

    let mut fixed = Dictionary::new(1, Some(16));
    fixed.apply(&[insert([0x20], [7; 16])]);
    let (batch, answer) = fixed.prove(&[lookup([0x20]), update([0x20], [8; 16])]);
    let limits = BatchLimits { max_value_bytes: Some(8), ..BatchLimits::default() };
    let batch = Batch { limits: Some(limits), ..batch };
    let comment = "values of a fixed length above the limit of a value, which is for variable ones";
    both_modes(file, &["Limits"], comment, (batch, answer));

    let (batch, answer) = dictionary.prove(&[lookup([0x20])]);
    let largest = Some(u32::MAX as usize);
    let limits = BatchLimits {
        max_operations: largest,
        max_deletes: largest,
        max_proof_bytes: largest,
        max_value_bytes: largest,
    };
    let batch = Batch { limits: Some(limits), ..batch };
    both_modes(file, &["Limits"], "the largest limits that can be said", (batch, answer));

    let (batch, answer) = dictionary.prove(&[lookup([0x20]), update([0x20], [9; 16])]);
    let limits = BatchLimits { max_deletes: Some(0), ..BatchLimits::default() };
    let batch = Batch { limits: Some(limits), ..batch };
    let comment = "two operations that may not delete, where none may";
    both_modes(file, &["Limits"], comment, (batch, answer));

    let digest_of = |(batch, mut answer): (Batch, Answer)| {
        answer.retain(|member, _| member == "digest");
        (batch, answer)
    };
    let (batch, answer) = digest_of(dictionary.prove(&vec![lookup([0x20]); 4096]));
    file.valid(&["Limits"], "4,096 operations", &batch, answer);
    let up_and_down = vec![[add([0x30], 1), add([0x30], -1)]; 2048].concat();
    let (batch, answer) = digest_of(dictionary.prove(&up_and_down));
    let comment = "4,096 operations that may delete, of which every second does";
    file.valid(&["Limits"], comment, &batch, answer);
    let (batch, answer) = digest_of(dictionary.prove(&vec![remove_if_exists([0x30]); 4097]));
    let limits = BatchLimits { max_operations: Some(4097), ..BatchLimits::default() };
    let batch = Batch { limits: Some(limits), ..batch };
    let comment =
        "4,097 operations that may delete: their limit is that of all operations, if left out";
    file.valid(&["Limits"], comment, &batch, answer);
}
