//! Bytes of an opening changed all over, and openings of a vector that has changed since.

use prooflight_core::Reason;

use super::{Vector, dev};
use crate::amt::OpeningInput;
use crate::carrier::Hash32;
use crate::generate::builder::Builder;

pub(super) fn add(file: &mut Builder) {
    bytes(file);
    stale(file);
}

/// A part of an opening.
type Part = fn(&mut OpeningInput) -> &mut [u8; 32];

/// Each byte of a commitment, a value and a point with one bit flipped, and swapped with the next one.
fn bytes(file: &mut Builder) {
    let honest = Vector::sample(4, 2).single(6);
    let parts: [(&str, Part); 3] = [
        ("the commitment", |opening| &mut opening.commitment.0),
        ("the value", |opening| &mut opening.value.as_mut().expect("a value").0),
        ("the point", |opening| &mut opening.points[0].0),
    ];
    for (name, part) in parts {
        let mut refuse = |comment: String, change: &dyn Fn(&mut [u8; 32])| {
            let mut opening = honest.clone();
            change(part(&mut opening));
            if part(&mut opening) != part(&mut honest.clone()) {
                file.refused(&["Mutated"], comment, &dev(4, vec![opening]));
            }
        };
        for at in 0..32 {
            let bit = at * 5 % 8;
            let comment = format!("bit {bit} of byte {at} of {name} flipped");
            refuse(comment, &|bytes| bytes[at] ^= 1 << bit);
            if at % 4 == 0 {
                let comment = format!("bytes {at} and {} of {name} swapped", at + 1);
                refuse(comment, &|bytes| bytes.swap(at, at + 1));
            }
        }
    }
}

/// Parts of an opening from before an entry changed, and parts from after.
fn stale(file: &mut Builder) {
    for (changed, what) in [(6, "the entry"), (9, "another entry")] {
        let older = Vector::sample(4, 2);
        let mut entries = older.entries.clone();
        let entry = entries.iter_mut().find(|entry| entry.0 == changed).expect("it has versions");
        entry.1[0] += 1;
        let newer = Vector::new(4, 2, &entries);
        for (kind, old, new) in [
            ("single", older.single(6), newer.single(6)),
            ("arity 4", older.tree(6), newer.tree(6)),
        ] {
            let mut refuse = |comment: &str, opening: OpeningInput| {
                let comment = format!("{kind}, {what} has changed: {comment}");
                let input = dev(4, vec![opening]);
                file.invalid(&["Stale"], comment, &input, Reason::OpeningMismatch);
            };
            let points = old.points.clone();
            refuse("the older points", OpeningInput { points, ..new.clone() });
            let commitment = old.commitment;
            refuse("the older commitment", OpeningInput { commitment, ..new.clone() });
            let commitment = new.commitment;
            refuse("all but the commitment is older", OpeningInput { commitment, ..old.clone() });
            if old.value != new.value {
                refuse("the older value", OpeningInput { value: old.value, ..new.clone() });
            }
            if let ([first, _], [_, last]) = (&old.points[..], &new.points[..]) {
                let points: Vec<Hash32> = vec![*first, *last];
                refuse("the older first point", OpeningInput { points, ..new.clone() });
            }
        }
    }
}
