//! What is wrong with the bytes of a proof.

use prooflight_core::Reason;

use crate::avl::{Batch, BatchLimits};
use crate::generate::anatomy::assemble;
use crate::generate::builder::Builder;
use crate::generate::dictionary::{Dictionary, insert, lookup};
use crate::generate::forge::{compat, eight_keys, mixed_batch, taken_apart, with_proof};

pub(super) fn add(file: &mut Builder) {
    truncated(file);
    trailing(file);
    mutated_bytes(file);
    value_lengths(file);
}

fn truncated(file: &mut Builder) {
    let batch = mixed_batch();
    let proof = &batch.proof.0;
    let end = proof.len() - taken_apart(&batch).directions.len();
    for n in 0..proof.len() {
        let cut = with_proof(&batch, proof[..n].to_vec());
        let reason = if n < end { Reason::Truncated } else { Reason::DirectionsExhausted };
        let comment = format!("the first {n} of {} bytes", proof.len());
        file.invalid(&["Truncated"], &comment[..], &cut, reason);
        let comment = format!("{comment}, compat");
        file.invalid(&["Truncated", "Compat"], comment, &compat(&cut), reason);
    }
    let dictionary = eight_keys();
    for (key, bits) in [(0xfe, "zeros, all to the right"), (0x01, "ones, all to the left")] {
        let batch = dictionary.prove(&[lookup([key])]).0;
        let cut = with_proof(&batch, assemble(&taken_apart(&batch).tokens(), &[]));
        let comment = format!("no directions, which would be {bits}");
        file.invalid(&["Truncated"], &comment[..], &cut, Reason::DirectionsExhausted);
        let comment = format!("{comment}, compat");
        let flags = ["Truncated", "Compat"];
        file.invalid(&flags, comment, &compat(&cut), Reason::DirectionsExhausted);
    }
}

fn trailing(file: &mut Builder) {
    let batch = mixed_batch();
    let proof = &batch.proof.0;
    let tails: [(&str, &[u8]); 6] = [
        ("a zero byte after the directions", &[0]),
        ("a byte ff after the directions", &[0xff]),
        ("a second end mark after the directions", &[4]),
        ("32 zero bytes after the directions", &[0; 32]),
        ("a label after the directions", &[3, 1, 2, 3]),
        ("the whole proof twice", proof),
    ];
    for (comment, tail) in tails {
        let longer = with_proof(&batch, [proof, tail].concat());
        file.invalid(&["TrailingBytes"], comment, &longer, Reason::DirectionsLeftOver);
    }
    let dictionary = Dictionary::of_bytes([0x20, 0x40]);
    let (empty, _) = dictionary.prove(&[]);
    let longer = with_proof(&empty, [&empty.proof.0[..], &[0]].concat());
    let comment = "a byte of directions for a batch without operations";
    file.invalid(&["TrailingBytes"], comment, &longer, Reason::DirectionsLeftOver);

    let (batch, _) = dictionary.prove(&[lookup([0x40])]);
    let proof = taken_apart(&batch);
    for bit in proof.way(0).len()..8 {
        let directions = [proof.directions[0] | 1 << bit];
        let padded = with_proof(&batch, assemble(&proof.tokens(), &directions));
        let comment = format!("padding bit {bit} of the directions is set");
        file.invalid(&["Directions"], comment, &padded, Reason::DirectionsPadding);
    }
}

/// Each byte changed, deleted, swapped with the next one, and preceded by another.
fn mutated_bytes(file: &mut Builder) {
    let batch = mixed_batch();
    let proof = &batch.proof.0;
    let mut refuse = |comment: String, bytes: Vec<u8>| {
        file.refused(&["Mutated"], comment, &with_proof(&batch, bytes));
    };
    for at in 0..proof.len() {
        let (before, rest) = proof.split_at(at);
        let bit = at * 5 % 8;
        refuse(
            format!("bit {bit} of byte {at} flipped"),
            [before, &[rest[0] ^ 1 << bit], &rest[1..]].concat(),
        );
        refuse(format!("byte {at} deleted"), [before, &rest[1..]].concat());
        refuse(format!("a byte inserted before byte {at}"), [before, &[0x5a], rest].concat());
        if rest.len() > 1 && rest[0] != rest[1] {
            let swapped = [before, &[rest[1], rest[0]], &rest[2..]].concat();
            refuse(format!("bytes {at} and {} swapped", at + 1), swapped);
        }
    }
}

fn value_lengths(file: &mut Builder) {
    let mut dictionary = Dictionary::new(1, None);
    dictionary.apply(&[insert([0x20], [7; 17])]);
    let (batch, _) = dictionary.prove(&[lookup([0x20])]);
    let proof = &batch.proof.0;
    // The leaf 20 is the last node but one, and the proof ends with its parent, the end mark and a
    // byte of directions; so does its value.
    let at = proof.len() - 3 - 17 - 4;
    assert_eq!(proof[at..at + 4], [0, 0, 0, 17], "the length is where it should be");
    let with_length = |length: u32| {
        with_proof(&batch, [&proof[..at], &length.to_be_bytes(), &proof[at + 4..]].concat())
    };
    let too_large = [
        (u32::MAX, "-1 as i32"),
        (u32::MAX - 3, "-4 as i32: a signed reader reads the length again, for ever"),
        (u32::MAX - 5, "-6 as i32: a signed reader goes back to the start of the leaf, for ever"),
        (0x8000_0000, "the smallest i32"),
        (0x7fff_ffff, "the largest i32"),
        (65_537, "one more than the limit"),
    ];
    for (length, what) in too_large {
        let forged = with_length(length);
        let comment = format!("a value of declared length {length}: {what}");
        file.invalid(&["ValueLength"], &comment[..], &forged, Reason::ValueTooLarge);
        let comment = format!("{comment}, compat");
        file.invalid(&["ValueLength", "Compat"], comment, &compat(&forged), Reason::ValueTooLarge);
    }
    let comment = "a value of declared length 65536, the limit, of which 20 bytes are there";
    file.invalid(&["ValueLength"], comment, &with_length(65_536), Reason::Truncated);
    for length in [16, 18] {
        let comment = format!("a value of 17 bytes declared as {length}");
        file.refused(&["ValueLength"], comment, &with_length(length));
    }
    let limits = BatchLimits { max_value_bytes: Some(16), ..BatchLimits::default() };
    let limited = Batch { limits: Some(limits), ..batch.clone() };
    let comment = "a value of 17 bytes where the caller's limit is 16";
    file.invalid(&["Limit"], comment, &limited, Reason::ValueTooLarge);

    let mut fixed = Dictionary::new(1, Some(8));
    fixed.apply(&[insert([0x20], [7; 8])]);
    let (fixed, _) = fixed.prove(&[lookup([0x20])]);
    let (variable, _) = {
        let mut variable = Dictionary::new(1, None);
        variable.apply(&[insert([0x20], [7; 8])]);
        variable.prove(&[lookup([0x20])])
    };
    for (value_length, what, batch) in [
        (Some(7), "of fixed length 8 read as 7", &fixed),
        (Some(9), "of fixed length 8 read as 9", &fixed),
        (Some(0), "of fixed length 8 read as 0", &fixed),
        (Some(usize::from(u16::MAX) + 1), "of fixed length 8 read as 65536", &fixed),
        (Some(u32::MAX as usize), "of fixed length 8 read as 4294967295", &fixed),
        (None, "of fixed length 8 read as variable", &fixed),
        (Some(8), "variable, read as fixed length 8", &variable),
    ] {
        let wrong = Batch { value_length, ..batch.clone() };
        file.refused(&["ValueLength"], format!("values {what}"), &wrong);
        let comment = format!("values {what}, compat");
        file.refused(&["ValueLength", "Compat"], comment, &compat(&wrong));
    }
}
