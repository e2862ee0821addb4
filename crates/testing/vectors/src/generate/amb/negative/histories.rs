//! Versions of keys, and their histories.

use prooflight_core::Reason;
use prooflight_testkit::amb::proof::{HistoryPart, VersionContent};
use prooflight_testkit::amb::prove::content;
use prooflight_testkit::amb::tree::peaks;
use serde_json::json;

use super::hashes;
use crate::generate::amb::lies::AmbLies;
use crate::generate::amb::{get, hist, long};

pub(super) fn versions(lies: &mut AmbLies<'_>) {
    let other = lies.honest(&get(&["c"], 1)).encode();
    let comment = "the answer for block 1 where block 3 was asked";
    lies.refused(comment, &get(&["c"], 3), &other);

    // "c" has "3" since block 0, "33" since block 1, "333" since block 3.
    let later = HistoryPart::Version(4, content(Some(b"33"), false));
    for (comment, at, reason, past) in [
        (
            "the first version where the second one is in force",
            1,
            Reason::WrongVersion,
            [HistoryPart::Integer(1), shown(5, b"3"), later.clone()],
        ),
        (
            "a later version where the first one is in force",
            0,
            Reason::WrongVersion,
            [
                HistoryPart::Integer(2),
                shown(4, b"33"),
                HistoryPart::Hash(hashes(&lies.state, b"c")[0]),
            ],
        ),
        (
            "\"not yet written\" although the first version is not later",
            0,
            Reason::WrongVersion,
            [
                HistoryPart::Integer(0),
                HistoryPart::Version(5, content(Some(b"3"), false)),
                HistoryPart::Hash(hashes(&lies.state, b"c")[1]),
            ],
        ),
        (
            "a version that the key does not have",
            2,
            Reason::IndexOutOfRange,
            [
                HistoryPart::Integer(3),
                shown(4, b"33"),
                HistoryPart::Hash(hashes(&lies.state, b"c")[0]),
            ],
        ),
        (
            "the first version with a later block than it has",
            0,
            Reason::RootMismatch,
            [
                HistoryPart::Integer(0),
                HistoryPart::Version(4, content(Some(b"3"), false)),
                HistoryPart::Hash(hashes(&lies.state, b"c")[1]),
            ],
        ),
        (
            "the versions in force and next exchanged",
            0,
            Reason::RootMismatch,
            [
                HistoryPart::Integer(1),
                shown(5, b"33"),
                HistoryPart::Version(4, content(Some(b"3"), false)),
            ],
        ),
    ] {
        lies.leaf(comment, &get(&["c"], at), "c", reason, |leaf| leaf.past = past.to_vec());
    }
    let comment = "the newest version in force, shown by its hash";
    lies.misread(comment, &get(&["aa"], 5), |proof, _| {
        proof.leaf(b"aa").content = content(Some(b"1"), false);
    });
    let comment = "a number of versions one higher, with the same past";
    let query = get(&["c"], 5);
    lies.leaf(comment, &query, "c", Reason::RootMismatch, |leaf| leaf.versions += 1);
}

/// "x" is written in the blocks 0 to 6, and deleted in block 4.
pub(super) fn histories(lies: &mut AmbLies<'_>) {
    let value = |block: u64| block.to_string().into_bytes();
    let at = |block: u64| HistoryPart::Version(6 - block, VersionContent::Value(value(block)));
    let closed = |block: u64| HistoryPart::Version(6 - block, content(Some(&value(block)), false));
    let hash = |block: usize| HistoryPart::Hash(hashes(&long(6), b"x")[block]);
    let number = HistoryPart::Integer;
    let tombstone = HistoryPart::Version(2, VersionContent::Tombstone);
    let wrong = Reason::WrongVersion;
    let range_error = Reason::IndexOutOfRange;
    let pair = |first: usize| {
        let leaves = hashes(&long(6), b"x");
        HistoryPart::Hash(peaks(&leaves[first..first + 2])[0])
    };
    for (comment, from, to, reason, past) in [
        (
            "without its first change",
            0,
            1,
            wrong,
            vec![number(1), number(2), at(1), closed(2), hash(0), hash(3), pair(4)],
        ),
        (
            "without its last change",
            0,
            1,
            wrong,
            vec![number(0), number(1), at(0), hash(1), pair(2), pair(4)],
        ),
        (
            "with a version before the one on entering",
            2,
            2,
            wrong,
            vec![number(0), number(4), at(0), at(1), at(2), closed(3), pair(4)],
        ),
        ("a window of no versions", 2, 2, range_error, vec![number(1), number(0), hash(0)]),
        (
            "a window that ends behind the last version",
            5,
            6,
            range_error,
            vec![number(4), number(3), tombstone.clone(), at(5), at(6), pair(0), pair(2)],
        ),
        (
            "two versions in each other's order",
            0,
            1,
            Reason::RootMismatch,
            vec![number(0), number(3), at(1), at(0), closed(2), hash(3), pair(4)],
        ),
        (
            "with a version behind the one that follows the range",
            0,
            0,
            wrong,
            vec![number(0), number(3), at(0), closed(1), closed(2), hash(3), pair(4)],
        ),
        (
            "the middle change left out, the others moved together",
            0,
            6,
            wrong,
            vec![number(0), number(5), at(0), at(1), at(3), tombstone.clone(), at(5), hash(2)],
        ),
        (
            "of one change and the one on entering, that is shown alone",
            2,
            2,
            wrong,
            vec![number(1), number(1), at(1), hash(0), pair(2), pair(4)],
        ),
        (
            "whose window begins in the first block asked for, so that no version entered it",
            2,
            2,
            wrong,
            vec![number(2), number(2), at(2), closed(3), pair(0), pair(4)],
        ),
        (
            "whose window ends in the last block asked for",
            2,
            2,
            wrong,
            vec![number(1), number(2), at(1), at(2), hash(0), hash(3), pair(4)],
        ),
    ] {
        lies.leaf(comment, &hist(&["x"], from, to), "x", reason, |leaf| leaf.past = past);
    }
    let limits = json!({ "maxChanges": 2 });
    let query = hist(&["x"], 0, 1);
    lies.limited("more versions than the limit", &query, &limits, Reason::TooManyChanges);
    let other = lies.honest(&hist(&["x"], 1, 2)).encode();
    lies.refused("the history of another range", &hist(&["x"], 3, 4), &other);
}

/// A shown past version.
fn shown(age: u64, value: &[u8]) -> HistoryPart {
    HistoryPart::Version(age, VersionContent::Value(value.to_vec()))
}
