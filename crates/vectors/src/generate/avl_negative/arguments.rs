//! Wrong arguments, and more than a limit allows.

use prooflight_core::Reason;

use crate::avl::{Batch, BatchLimits, Op};
use crate::generate::builder::Builder;
use crate::generate::dictionary::{
    Dictionary, add as add_to, insert, insert_or_update, lookup, remove, remove_if_exists, update,
};
use crate::generate::forge::{compat, eight_keys, with_digest, with_ops};
use crate::generate::padded::{MOST, padded};

pub(super) fn add(file: &mut Builder) {
    sentinels(file);
    lengths(file);
    limits(file);
}

/// An operation on a key of one byte.
type Make = fn(u8) -> Op;

/// The proofs lead to the sentinel's leaf or to the last one.
fn sentinels(file: &mut Builder) {
    let dictionary = eight_keys();
    let first = dictionary.prove(&[lookup([0x01])]).0;
    let last = dictionary.prove(&[lookup([0xfe])]).0;
    let kinds: [(&str, Make); 7] = [
        ("Lookup", |key| lookup([key])),
        ("Insert", |key| insert([key], [])),
        ("Update", |key| update([key], [])),
        ("InsertOrUpdate", |key| insert_or_update([key], [])),
        ("Remove", |key| remove([key])),
        ("RemoveIfExists", |key| remove_if_exists([key])),
        ("UpdateLongBy", |key| add_to([key], 1)),
    ];
    for (name, make) in kinds {
        for (key, honest) in [(0x00, &first), (0xff, &last)] {
            let batch = with_ops(honest, &[make(key)]);
            let comment = format!("{name} of the sentinel {key:02x}");
            file.invalid(&["Argument"], &comment[..], &batch, Reason::KeyOutOfRange);
            let comment = format!("{comment}, compat");
            let flags = ["Argument", "Compat"];
            file.invalid(&flags, comment, &compat(&batch), Reason::KeyOutOfRange);
        }
    }
}

fn lengths(file: &mut Builder) {
    let mut dictionary = Dictionary::new(8, Some(4));
    dictionary.apply(&[insert([0x20; 8], [1; 4])]);
    let honest = dictionary.prove(&[lookup([0x20; 8])]).0;
    let mut refuse = |comment: &str, batch: &Batch, reason| {
        file.invalid(&["Argument"], comment, batch, reason);
        let comment = format!("{comment}, compat");
        file.invalid(&["Argument", "Compat"], comment, &compat(batch), reason);
    };
    for length in [0, 7, 9, 16] {
        let batch = with_ops(&honest, &[lookup(vec![0x20; length])]);
        let comment = format!("a key of {length} bytes where all have 8");
        refuse(&comment, &batch, Reason::KeyLength);
    }
    for length in [0, 3, 5, 8] {
        let ops = [
            insert([0x30; 8], vec![1; length]),
            update([0x20; 8], vec![1; length]),
            insert_or_update([0x20; 8], vec![1; length]),
        ];
        for op in ops {
            let name = op.borrow().name();
            let comment = format!("{name} of a value of {length} bytes where all have 4");
            refuse(&comment, &with_ops(&honest, &[op]), Reason::ValueLength);
        }
    }
    for key_length in [0, 257, 65_536] {
        let batch = Batch { key_length, ..honest.clone() };
        let comment = format!("a key length of {key_length}");
        refuse(&comment, &batch, Reason::InvalidArgument);
    }
    for key_length in [7, 9] {
        let batch = Batch { key_length, ..honest.clone() };
        let comment = format!("a key length of {key_length} for keys of 8 bytes");
        refuse(&comment, &batch, Reason::KeyLength);
    }
    let digest = &honest.digest.0;
    for (comment, digest) in [
        ("an empty digest", vec![]),
        ("a digest without height", digest[..32].to_vec()),
        ("a digest of 34 bytes", [&digest[..], &[0]].concat()),
        ("two digests", [&digest[..], digest].concat()),
    ] {
        refuse(comment, &with_digest(&honest, digest), Reason::DigestLength);
    }
    let batch = with_ops(&honest, &[lookup([0x20; 8]), lookup([0x20; 7])]);
    refuse("the second of two keys is short", &batch, Reason::KeyLength);
}

fn limits(file: &mut Builder) {
    let dictionary = eight_keys();
    let ops = [remove([0x20]), add_to([0x35], 1), lookup([0x60]), update([0x50], [0; 9])];
    let honest = dictionary.prove(&ops).0;
    let mut refuse = |comment: &str, limits: BatchLimits, reason| {
        let batch = Batch { limits: Some(limits), ..honest.clone() };
        file.invalid(&["Limit"], comment, &batch, reason);
        let comment = format!("{comment}, compat");
        file.invalid(&["Limit", "Compat"], comment, &compat(&batch), reason);
    };
    let none = BatchLimits::default();
    refuse(
        "four operations where the limit is three",
        BatchLimits { max_operations: Some(3), ..none },
        Reason::TooManyOperations,
    );
    refuse(
        "two operations that may delete where the limit is one",
        BatchLimits { max_deletes: Some(1), ..none },
        Reason::TooManyDeletes,
    );
    refuse(
        "a proof one byte larger than the limit",
        BatchLimits { max_proof_bytes: Some(honest.proof.0.len() - 1), ..none },
        Reason::ProofTooLarge,
    );
    refuse(
        "a new value of 9 bytes where the limit is 8",
        BatchLimits { max_value_bytes: Some(8), ..none },
        Reason::ValueLength,
    );
    refuse(
        "any proof where the limit is 0 bytes",
        BatchLimits { max_proof_bytes: Some(0), ..none },
        Reason::ProofTooLarge,
    );
    let proof = |length| Batch { proof: padded(&honest.proof, length), ..honest.clone() };
    let comment = "a proof with zeros after it, 8 MiB together";
    file.invalid(&["Limit"], comment, &proof(MOST), Reason::DirectionsLeftOver);
    let larger = proof(MOST + 1);
    for (comment, batch) in [
        ("a proof with zeros after it, over 8 MiB together", larger.clone()),
        ("a proof with zeros after it, over 8 MiB together, compat", compat(&larger)),
    ] {
        file.invalid(&["Limit"], comment, &batch, Reason::ProofTooLarge);
    }
    // Fewer operations that may not delete than the limit: who counts those instead accepts.
    let deleting = dictionary.prove(&[remove([0x20]), lookup([0x60]), remove([0x50])]).0;
    let limits = Some(BatchLimits { max_deletes: Some(1), ..none });
    let comment = "two operations that may delete and one that may not, where the limit is one";
    let batch = Batch { limits, ..deleting };
    file.invalid(&["Limit"], comment, &batch, Reason::TooManyDeletes);
    let too_long = dictionary.prove(&vec![lookup([0x40]); 4097]).0;
    let comment = "4,097 operations, one more than the default limit";
    file.invalid(&["Limit"], comment, &too_long, Reason::TooManyOperations);
    let mut too_large = dictionary.prove(&[lookup([0x40])]).0;
    too_large.ops = vec![update([0x40], vec![0; 65_537])];
    let comment = "a new value of 65,537 bytes, one more than the default limit";
    file.invalid(&["Limit"], comment, &too_large, Reason::ValueLength);
}
