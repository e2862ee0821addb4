//! Honest proofs for other operations or another digest, and operations that fail.

use prooflight_core::Reason;

use crate::avl::{Batch, Op};
use crate::generate::anatomy::assemble;
use crate::generate::builder::Builder;
use crate::generate::dictionary::{
    Dictionary, add as add_to, insert, lookup, remove, remove_if_exists, update,
};
use crate::generate::forge::{
    LEFT, compat, eight_keys, taken_apart, with_digest, with_ops, with_proof,
};

pub(super) fn add(file: &mut Builder) {
    failing(file);
    failing_within_a_batch(file);
    sums_of_fixed_length(file);
    other_operations(file);
    other_digests(file);
    spliced(file);
}

fn in_both_modes(file: &mut Builder, flag: &str, comment: &str, batch: &Batch, reason: Reason) {
    file.invalid(&[flag], comment, batch, reason);
    let comment = format!("{comment}, compat");
    file.invalid(&[flag, "Compat"], comment, &compat(batch), reason);
}

/// The proof of a Lookup shows all that an operation needs in order to fail.
fn failing(file: &mut Builder) {
    let mut dictionary = eight_keys();
    let long = |n: i64| n.to_be_bytes().to_vec();
    let entries = [
        (0x41, long(5)),
        (0x42, long(i64::MAX)),
        (0x43, long(-3)),
        (0x44, long(i64::MIN)),
        (0x45, vec![1; 7]),
        (0x46, vec![]),
        (0x48, long(-1)),
        (0x49, long(-2)),
    ];
    for (key, value) in entries {
        dictionary.apply(&[insert([key], value)]);
    }
    let cases: [(&str, Op, Reason); 18] = [
        ("Insert of a present key", insert([0x40], []), Reason::KeyExists),
        ("Insert of a present key with its own value", insert([0x40], [0x40]), Reason::KeyExists),
        ("Update of an absent key", update([0x47], []), Reason::KeyAbsent),
        ("Remove of an absent key", remove([0x47]), Reason::KeyAbsent),
        ("Remove of a key before the first", remove([0x05]), Reason::KeyAbsent),
        ("Remove of a key after the last", remove([0x95]), Reason::KeyAbsent),
        ("UpdateLongBy, a value of 7 bytes", add_to([0x45], 1), Reason::ValueNotLong),
        ("UpdateLongBy, an empty value", add_to([0x46], 1), Reason::ValueNotLong),
        ("UpdateLongBy, 5 - 6", add_to([0x41], -6), Reason::ValueNegative),
        ("UpdateLongBy, -3 + 2", add_to([0x43], 2), Reason::ValueNegative),
        ("UpdateLongBy, -3 - 1", add_to([0x43], -1), Reason::ValueNegative),
        ("UpdateLongBy, down to the smallest", add_to([0x48], -i64::MAX), Reason::ValueNegative),
        ("UpdateLongBy, below the smallest", add_to([0x49], -i64::MAX), Reason::ValueOverflow),
        ("UpdateLongBy, largest + 1", add_to([0x42], 1), Reason::ValueOverflow),
        ("UpdateLongBy, largest + largest", add_to([0x42], i64::MAX), Reason::ValueOverflow),
        ("UpdateLongBy, smallest - 1", add_to([0x44], -1), Reason::ValueOverflow),
        ("UpdateLongBy, absent, -1", add_to([0x47], -1), Reason::ValueNegative),
        ("UpdateLongBy, absent, smallest", add_to([0x47], i64::MIN), Reason::ValueNegative),
    ];
    for (comment, op, reason) in cases {
        let honest = dictionary.prove(&[lookup(op.borrow().key())]).0;
        in_both_modes(file, "OperationFails", comment, &with_ops(&honest, &[op]), reason);
    }
}

fn failing_within_a_batch(file: &mut Builder) {
    let dictionary = eight_keys();
    let cases: [(&str, [Op; 3], usize, Op, Reason); 4] = [
        (
            "the second of three operations fails",
            [lookup([0x20]), lookup([0x40]), lookup([0x60])],
            1,
            insert([0x40], []),
            Reason::KeyExists,
        ),
        (
            "a key inserted twice",
            [lookup([0x20]), insert([0x45], []), lookup([0x45])],
            2,
            insert([0x45], []),
            Reason::KeyExists,
        ),
        (
            "a key removed twice",
            [lookup([0x20]), remove([0x40]), lookup([0x40])],
            2,
            remove([0x40]),
            Reason::KeyAbsent,
        ),
        (
            "an update of a key that the batch has removed",
            [remove([0x40]), lookup([0x20]), remove_if_exists([0x40])],
            2,
            update([0x40], []),
            Reason::KeyAbsent,
        ),
    ];
    for (comment, ops, index, failing, reason) in cases {
        let mut batch = dictionary.prove(&ops).0;
        batch.ops[index] = failing;
        in_both_modes(file, "OperationFails", comment, &batch, reason);
    }
}

fn sums_of_fixed_length(file: &mut Builder) {
    let cases = [
        (4, 0x20, "present, values of 4 bytes", Reason::ValueNotLong),
        (4, 0x30, "absent, values of 4 bytes", Reason::ValueLength),
        (9, 0x20, "present, values of 9 bytes", Reason::ValueLength),
        (9, 0x30, "absent, values of 9 bytes", Reason::ValueLength),
    ];
    for (value_length, key, what, reason) in cases {
        let mut dictionary = Dictionary::new(1, Some(value_length));
        dictionary.apply(&[insert([0x20], vec![1; value_length])]);
        let honest = dictionary.prove(&[lookup([key])]).0;
        let batch = with_ops(&honest, &[add_to([key], 1)]);
        in_both_modes(file, "OperationFails", &format!("UpdateLongBy, {what}"), &batch, reason);
    }
}

fn other_operations(file: &mut Builder) {
    let dictionary = eight_keys();
    let ops = [lookup([0x20]), insert([0x45], [1]), remove([0x70]), lookup([0x15])];
    let batch = dictionary.prove(&ops).0;
    let mut refuse = |comment: String, ops: &[Op]| {
        file.refused(&["Operation"], comment, &with_ops(&batch, ops));
    };
    for (index, op) in ops.iter().enumerate() {
        let (before, rest) = ops.split_at(index);
        let name = op.borrow().name();
        refuse(format!("operation {index} ({name}) left out"), &[before, &rest[1..]].concat());
        refuse(format!("operation {index} ({name}) twice"), &[before, &rest[..1], rest].concat());
        if rest.len() > 1 {
            let swapped = [before, &[rest[1].clone(), rest[0].clone()], &rest[2..]].concat();
            refuse(format!("operations {index} and {} exchanged", index + 1), &swapped);
        }
        let mut elsewhere = ops.to_vec();
        match &mut elsewhere[index] {
            Op::Lookup { key } | Op::Insert { key, .. } | Op::Remove { key } => key.0[0] ^= 0x80,
            other => panic!("{other:?} is not in the batch"),
        }
        refuse(format!("operation {index} ({name}) with another key"), &elsewhere);
    }
    refuse("no operation".to_owned(), &[]);
    refuse("the operations backwards".to_owned(), &ops.iter().rev().cloned().collect::<Vec<_>>());
    let lookups = ops.iter().map(|op| lookup(op.borrow().key())).collect::<Vec<_>>();
    refuse("Lookups of the same keys".to_owned(), &lookups);

    let honest = dictionary.prove(&[lookup([0x40])]).0;
    let batch = with_ops(&honest, &[lookup([0x51])]);
    let comment = "a Lookup of a key after the leaf that is shown";
    in_both_modes(file, "Operation", comment, &batch, Reason::KeyNotInLeaf);
    let batch = with_ops(&honest, &[lookup([0x3f])]);
    let comment = "a Lookup of a key just before the leaf that is shown";
    in_both_modes(file, "Operation", comment, &batch, Reason::KeyNotInLeaf);
}

fn other_digests(file: &mut Builder) {
    let mut dictionary = eight_keys();
    let (first, _) = dictionary.apply(&[update([0x40], [1])]);
    let (second, _) = dictionary.apply(&[update([0x40], [2])]);
    for at in 0..32 {
        let mut digest = second.digest.0.clone();
        digest[at] ^= 1 << (at % 8);
        let comment = format!("bit {} of byte {at} of the digest flipped", at % 8);
        file.invalid(&["Digest"], comment, &with_digest(&second, digest), Reason::RootMismatch);
    }
    let height = second.digest.0[32];
    let other = {
        let mut other = eight_keys();
        other.apply(&[update([0x80], [1])]);
        other.digest().0
    };
    let cases = [
        ("the digest before the batch before", first.digest.0.clone()),
        ("the digest after the batch", dictionary.digest().0),
        ("the digest of another dictionary of the same shape", other),
        ("a digest of zeros", [&[0; 32][..], &[height]].concat()),
        ("a digest of ff", [&[0xff; 32][..], &[height]].concat()),
        ("the label of the root's left child as the root", {
            let root = taken_apart(&second).root;
            [&root.at(&[LEFT]).label()[..], &[height]].concat()
        }),
        ("the root's bytes backwards", {
            let mut digest = second.digest.0.clone();
            digest[..32].reverse();
            digest
        }),
    ];
    for (comment, digest) in cases {
        let batch = with_digest(&second, digest);
        in_both_modes(file, "Digest", comment, &batch, Reason::RootMismatch);
    }
    let batch = with_proof(&second, first.proof.0);
    let comment = "a stale proof: the same operation, proved one batch before";
    in_both_modes(file, "Digest", comment, &batch, Reason::RootMismatch);
}

/// The tree of one proof with the directions of another.
fn spliced(file: &mut Builder) {
    let dictionary = eight_keys();
    let batches = [
        dictionary.prove(&[lookup([0x10]), lookup([0x50])]).0,
        dictionary.prove(&[lookup([0x50]), lookup([0x80])]).0,
    ];
    for (tree, other) in [(0, 1), (1, 0)] {
        let tokens = taken_apart(&batches[tree]).tokens();
        let directions = taken_apart(&batches[other]).directions;
        for (ops, whose) in [(tree, "the tree"), (other, "the directions")] {
            let spliced = with_proof(&batches[ops], assemble(&tokens, &directions));
            let comment = format!(
                "the tree of proof {tree} and the directions of proof {other}, for the operations of {whose}"
            );
            file.refused(&["Operation"], comment, &spliced);
        }
    }
}
