//! `amb/proof_negative.json`: the attacks that the design lists, one by one. Each changes an honest proof such that only
//! the check under test stands between it and acceptance.

use prooflight_core::Reason;
use prooflight_testkit::amb::proof::{Content, Item, Leaf, Part, integer};
use prooflight_testkit::amb::prove::{content, other_leaf, prove};
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::State;
use prooflight_testkit::amb::tree::{Record, past_hashes, peaks};
use serde_json::json;

use super::lies::{LIMIT_OF_COUNTS, Lies, node};
use super::more;
use super::{
    count, delete, get, hist, input, long, nested, owned, part, range, reversed, set, small,
    transfer, update, update_input,
};
use crate::generate::builder::Builder;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut Builder) {
    file.group("AmbProof");
    envelopes(&mut Lies::new(file, "Envelope", small()));
    roots(&mut Lies::new(file, "Roots", small()));
    values(&mut Lies::new(file, "Values", small()));
    leaves(&mut Lies::new(file, "Leaves", small()));
    branches(&mut Lies::new(file, "Branches", small()));
    counts(&mut Lies::new(file, "Counts", small()));
    versions(&mut Lies::new(file, "Versions", small()));
    histories(&mut Lies::new(file, "Histories", long(6)));
    ranges(&mut Lies::new(file, "Ranges", small()));
    cuts(&mut Lies::new(file, "Ranges", small()));
    counting(&mut Lies::new(file, "Counting", small()));
    transfers(&mut Lies::new(file, "Transfers", small()));
    updates(&mut Lies::new(file, "Updates", small()));
    arguments(&mut Lies::new(file, "Arguments", small()));
    more::make(file);
}

fn envelopes(lies: &mut Lies<'_>) {
    let query = get(&["aa"], 5);
    let honest = lies.honest(&query).encode();
    let with = |from: usize, cut: usize, put: &[u8]| {
        let mut bytes = honest.clone();
        bytes.splice(from..from + cut, put.iter().copied());
        bytes
    };
    let length = honest.len();
    for (comment, bytes, reason) in [
        ("an empty message", vec![], Reason::Truncated),
        ("the envelope alone", honest[..3].to_vec(), Reason::Truncated),
        ("the last byte is missing", with(length - 1, 1, &[]), Reason::Truncated),
        ("a byte after the end", with(length, 0, &[0]), Reason::TrailingBytes),
        ("version 2 of the envelope", with(0, 1, &[2]), Reason::UnknownVersion),
        ("the scheme id of smt", with(1, 1, &[3]), Reason::UnknownScheme),
        ("the kind of a range where a get was asked", with(2, 1, &[3]), Reason::UnknownKind),
        ("kind 0", with(2, 1, &[0]), Reason::UnknownKind),
    ] {
        lies.bytes(comment, &query, &bytes, reason);
    }
    let comment = "a proof one byte longer than the limit";
    lies.limited(comment, &query, &json!({ "maxProofBytes": length - 1 }), Reason::ProofTooLarge);
    let tag = honest[3] | 0x80;
    let bytes = with(3, 1, &[tag, 0]);
    lies.bytes("an integer with a needless last byte", &query, &bytes, Reason::InvalidEncoding);
    let nine = [tag, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0];
    lies.bytes("an integer of nine bytes", &query, &with(3, 1, &nine), Reason::InvalidEncoding);
}

fn roots(lies: &mut Lies<'_>) {
    let newest = lies.state.clone();
    // No age of its proof is above 3, and no newest version is above block 3.
    let query = get(&["e"], 3);
    let old = prove(&newest, &query, None).encode();
    lies.state = newest.as_of(3);
    lies.bytes("a proof against the root of two blocks before", &query, &old, Reason::RootMismatch);
    lies.state = newest.clone();

    let query = get(&["aa"], 4);
    let before = prove(&newest.as_of(4), &query, None).encode();
    let comment = "a proof made for the block before, whose root is the same (block 5 is empty)";
    lies.bytes(comment, &query, &before, Reason::RootMismatch);

    let record = newest.tree().expect("a tree").record;
    let dead = Record { version: 5, live: 0, dead: 1, hash: record.hash };
    for (comment, record, reason) in [
        ("the empty tree", Record::EMPTY, Reason::RootMismatch),
        ("a hash alone, instead of the tree", record, Reason::NodeNotExpanded),
        ("the empty tree with a dead entry", dead, Reason::NodeNotExpanded),
    ] {
        lies.changed(comment, &query, reason, |proof, _| {
            proof.root = Part::closed(&record, 5, true);
        });
    }

    let query = get(&["a"], 0);
    let one = State::after([&[("a", Some("1"))]]);
    let bytes = prove(&one, &query, None).encode();
    lies.state = State::default();
    lies.bytes("a leaf where there is no entry", &query, &bytes, Reason::RootMismatch);
}

fn values(lies: &mut Lies<'_>) {
    let live = get(&["aa"], 5);
    let deleted = get(&["d"], 5);
    let root = Reason::RootMismatch;
    lies.leaf("another value of the same length", &live, "aa", root, |leaf| {
        leaf.content = Content::Value(b"9".to_vec());
    });
    lies.leaf("a live entry shown as deleted", &live, "aa", root, |leaf| {
        leaf.content = Content::Tombstone;
    });
    lies.leaf("a deleted entry shown as live", &deleted, "d", root, |leaf| {
        leaf.content = Content::Value(b"4".to_vec());
    });
    lies.leaf("a state byte of 2", &live, "aa", Reason::InvalidEncoding, |leaf| {
        leaf.content = Content::Other(vec![2]);
    });
    let comment = "a value one byte longer than the limit";
    lies.limited(comment, &live, &json!({ "maxValueBytes": 0 }), Reason::ValueTooLarge);
    lies.leaf("a value of 65,537 bytes", &live, "aa", Reason::ValueTooLarge, |leaf| {
        leaf.content = Content::Value(vec![b'1'; 65_537]);
    });
    let comment = "an age above R: a version before block 0";
    lies.leaf(comment, &live, "aa", Reason::VersionOutOfRange, |leaf| leaf.age = 6);
    lies.leaf("another age", &live, "aa", root, |leaf| leaf.age = 4);
    let comment = "a number of versions of 0";
    lies.leaf(comment, &live, "aa", Reason::InvalidEncoding, |leaf| leaf.versions = 0);
}

fn leaves(lies: &mut Lies<'_>) {
    let query = get(&["aa"], 5);
    let comment = "the leaf of an asked key shown as another key's, to make it absent";
    lies.leaf(comment, &query, "aa", Reason::LeafOfKey, |leaf| {
        leaf.number = Some(0);
        leaf.rest = b"a".to_vec();
        leaf.content = content(Some(b"1"), false);
    });
    let comment = "an asked key's number that does not exist";
    lies.leaf(comment, &query, "aa", Reason::LeafIndex, |leaf| leaf.number = Some(2));
    let comment =
        "an asked key's number counted over all keys, not over those that begin with the way";
    let two = get(&["aa", "m"], 5);
    lies.leaf(comment, &two, "m", Reason::LeafIndex, |leaf| leaf.number = Some(2));

    // "b" leads to the leaf of "c".
    let absent = get(&["b"], 5);
    let comment = "another key's leaf whose bits differ from the way to it";
    let entry = lies.state.entries[&b"e"[..]].clone();
    lies.leaf(comment, &absent, "b", Reason::LeafOffPath, |leaf| {
        let other = other_leaf(5, 0, b"e", &entry);
        *leaf = Leaf { number: Some(0), ..other };
    });
    let comment = "another key's leaf, its last bit changed";
    lies.leaf(comment, &absent, "b", Reason::LeafOffPath, |leaf| leaf.rest = b"a".to_vec());
    let comment = "a key of 257 bytes";
    lies.leaf(comment, &absent, "b", Reason::InvalidEncoding, |leaf| leaf.rest = vec![b'c'; 257]);

    let comment = "a key of 257 bytes, of which the way has three";
    let absent = get(&["kaa3"], 5);
    lies.leaf(comment, &absent, "kaa3", Reason::InvalidEncoding, |leaf| {
        leaf.rest.resize(254, b'x');
    });

    let small = lies.state.clone();
    lies.state = nested();
    let comment = "a longer key where the way says that the key has ended";
    let all = range("", None, 0);
    lies.leaf(comment, &all, "k", Reason::LeafOffPath, |leaf| leaf.rest = b"x".to_vec());
    lies.state = small;

    let all = range("", None, 5);
    let comment = "two entries in each other's place";
    lies.changed(comment, &all, Reason::LeafOffPath, |proof, _| {
        let first = proof.leaf(b"aa").clone();
        let second = std::mem::replace(proof.leaf(b"ab"), first);
        *proof.leaf(b"aa") = second;
    });
    let comment =
        "one true leaf instead of the whole tree, so that every other key would be absent";
    let query = get(&["aa", "c"], 5);
    lies.changed(comment, &query, Reason::RootMismatch, |proof, _| {
        proof.root = Part::Leaf(proof.leaf(b"aa").clone());
    });
}

fn branches(lies: &mut Lies<'_>) {
    let query = get(&["aa"], 5);
    let comment = "the child that the key leads to is closed";
    lies.changed(comment, &query, Reason::NodeNotExpanded, |proof, state| {
        *proof.on_path(b"aa", 2) = Part::closed(&record(state, b"aa", 2), 5, true);
    });
    let all = lies.honest(&get(&["aa", "ab", "c", "e", "m"], 5)).root;
    lies.misread("a child opened that no key leads to", &query, |proof, _| {
        let Part::Branch { children, .. } = &all else { panic!("a branch") };
        children_of(&mut proof.root)[1] = children[1].clone();
    });
    let comment = "a branch at depth 2,304";
    lies.changed(comment, &query, Reason::DepthOutOfRange, |proof, _| {
        *tag_of(&mut proof.root) = 2306;
    });
    let comment = "the unused bits of a label's last byte are not zero";
    lies.changed(comment, &query, Reason::InvalidEncoding, |proof, _| {
        *label_of(&mut proof.root).last_mut().expect("a label") |= 1;
    });
    let comment = "a label whose bits differ from the way to it";
    lies.changed(comment, &query, Reason::LabelOffPath, |proof, _| {
        label_of(proof.on_path(b"aa", 3))[0] ^= 0x40;
    });
    let comment = "a label with other bits, so that the key would be absent";
    lies.changed(comment, &query, Reason::RootMismatch, |proof, state| {
        label_of(&mut proof.root)[0] ^= 0x10;
        close_children(&mut proof.root, state);
    });
    let comment = "a branch one bit deeper, so that the key turns off before it";
    let right = get(&["kaa1"], 5);
    lies.changed(comment, &right, Reason::RootMismatch, |proof, state| {
        *tag_of(&mut proof.root) += 1;
        close_children(&mut proof.root, state);
    });
    lies.misread("the two children exchanged", &query, |proof, _| {
        children_of(&mut proof.root).reverse();
    });
    lies.state = nested();
    let comment = "a branch where the way says that the key has ended";
    let query = get(&["k"], 0);
    lies.changed(comment, &query, Reason::LabelOffPath, |proof, _| {
        let leaf = proof.on_path(b"k", 2).clone();
        let children =
            Box::new([leaf, Part::closed(&Record { live: 1, ..Record::EMPTY }, 0, false)]);
        *proof.on_path(b"k", 2) = Part::Branch { tag: 2, label: vec![], children };
    });
}

fn counts(lies: &mut Lies<'_>) {
    let query = get(&["aa"], 5);
    // The right child of the root: three live entries, the newest of block 4.
    for (comment, reason, change) in [
        (
            "a closed child without entries",
            Reason::InvalidEncoding,
            &|live: &mut u64, _: &mut u64, _: &mut u64| *live = 0,
        ),
        ("a closed child with one live entry more", Reason::RootMismatch, &|live, _, _| *live += 1),
        (
            "a closed child whose live entry is called dead",
            Reason::RootMismatch,
            &|live, dead, _| {
                *live -= 1;
                *dead += 1;
            },
        ),
        ("a closed child with a lower version", Reason::RootMismatch, &|_, _, age| *age += 1),
        ("a closed child with 2^56 entries", Reason::CountOutOfRange, &|live, dead, _| {
            *live = LIMIT_OF_COUNTS - 1;
            *dead = 1;
        }),
        (
            "a branch whose children add up to 2^56 entries",
            Reason::CountOutOfRange,
            &|live, _, _| *live = LIMIT_OF_COUNTS - 1,
        ),
        ("an age of a closed child above R", Reason::VersionOutOfRange, &|_, _, age| *age = 6),
    ]
        as [(&str, Reason, &dyn Fn(&mut u64, &mut u64, &mut u64)); 7]
    {
        lies.changed(comment, &query, reason, |proof, _| {
            let Part::Closed { live, dead, age, .. } = &mut children_of(&mut proof.root)[1] else {
                panic!("closed")
            };
            change(live, dead, age);
        });
    }
    lies.state = State::after([&[("", Some("1")), ("a", Some("2"))]]);
    let comment = "a closed child without entries, one bit below the root";
    lies.changed(comment, &get(&[""], 0), Reason::InvalidEncoding, |proof, _| {
        children_of(&mut proof.root)[1] = Part::closed(&Record::EMPTY, 0, false);
    });
}

fn versions(lies: &mut Lies<'_>) {
    let other = lies.honest(&get(&["c"], 1)).encode();
    let comment = "the answer for block 1 where block 3 was asked";
    lies.refused(comment, &get(&["c"], 3), &other);

    // "c" has "3" since block 0, "33" since block 1, "333" since block 3.
    let later = Item::Version(4, content(Some(b"33"), false));
    for (comment, at, reason, past) in [
        (
            "the first version where the second one is in force",
            1,
            Reason::WrongVersion,
            [Item::Integer(1), shown(5, b"3"), later.clone()],
        ),
        (
            "a later version where the first one is in force",
            0,
            Reason::WrongVersion,
            [Item::Integer(2), shown(4, b"33"), Item::Hash(hashes(&lies.state, b"c")[0])],
        ),
        (
            "\"not yet written\" although the first version is not later",
            0,
            Reason::WrongVersion,
            [
                Item::Integer(0),
                Item::Version(5, content(Some(b"3"), false)),
                Item::Hash(hashes(&lies.state, b"c")[1]),
            ],
        ),
        (
            "a version that the key does not have",
            2,
            Reason::IndexOutOfRange,
            [Item::Integer(3), shown(4, b"33"), Item::Hash(hashes(&lies.state, b"c")[0])],
        ),
        (
            "the first version with a later block than it has",
            0,
            Reason::RootMismatch,
            [
                Item::Integer(0),
                Item::Version(4, content(Some(b"3"), false)),
                Item::Hash(hashes(&lies.state, b"c")[1]),
            ],
        ),
        (
            "the versions in force and next exchanged",
            0,
            Reason::RootMismatch,
            [Item::Integer(1), shown(5, b"33"), Item::Version(4, content(Some(b"3"), false))],
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
fn histories(lies: &mut Lies<'_>) {
    let value = |block: u64| block.to_string().into_bytes();
    let at = |block: u64| Item::Version(6 - block, Content::Value(value(block)));
    let closed = |block: u64| Item::Version(6 - block, content(Some(&value(block)), false));
    let hash = |block: usize| Item::Hash(hashes(&long(6), b"x")[block]);
    let number = Item::Integer;
    let tombstone = Item::Version(2, Content::Tombstone);
    let wrong = Reason::WrongVersion;
    let range_error = Reason::IndexOutOfRange;
    let pair = |first: usize| {
        let leaves = hashes(&long(6), b"x");
        Item::Hash(peaks(&leaves[first..first + 2])[0])
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

fn ranges(lies: &mut Lies<'_>) {
    let (newest, old) = (range("", None, 5), range("", None, 2));
    let comment = "a live entry in the middle is closed";
    lies.close(comment, &newest, "e", Reason::NodeNotExpanded);
    lies.close("an entry that was deleted later is closed", &old, "d", Reason::NodeNotExpanded);
    let comment = "a tombstone opened that must stay closed";
    lies.changed(comment, &newest, Reason::NodeNotVisited, |proof, state| {
        *proof.on_path(b"d", 3) = Part::Leaf(other_leaf(5, 9, b"d", &state.entries[&b"d"[..]]));
    });
    let of_old = lies.honest(&old).encode();
    lies.refused("the proof for block 2, for block 5", &newest, &of_old);
    let of_newest = lies.honest(&newest).encode();
    lies.refused("the proof for block 5, for block 2", &old, &of_newest);
    let limits = json!({ "maxEntries": 6 });
    let comment = "more opened entries than the limit";
    lies.limited(comment, &newest, &limits, Reason::TooManyResults);

    let part = range("ab", Some("m"), 5);
    let shorter = lies.honest(&range("ab", Some("e"), 5)).encode();
    lies.refused("the proof of a shorter range", &part, &shorter);
    lies.refused("the proof of a longer range", &part, &of_newest);
    let comment = "all closed, as if everything were dead";
    lies.changed(comment, &newest, Reason::RootMismatch, |proof, state| {
        let record = state.tree().expect("a tree").record;
        let dead = Record { live: 0, dead: record.live + record.dead, ..record };
        proof.root = Part::closed(&dead, 5, true);
    });
}

fn cuts(lies: &mut Lies<'_>) {
    let part = range("ab", Some("m"), 5);
    for (comment, flag, reason) in [
        ("a page cut at its beginning", cut_at(b"ab"), Reason::PageEnd),
        ("a page cut before its beginning", cut_at(b"aa"), Reason::PageEnd),
        ("a page cut where the range ends", cut_at(b"m"), Reason::PageEnd),
        ("a page cut behind the range", cut_at(b"z"), Reason::PageEnd),
        ("a cut of 258 bytes", cut_at(&[b'c'; 258]), Reason::InvalidEncoding),
        ("a flag of 2 before the cut", vec![2, 1, b'c'], Reason::InvalidEncoding),
    ] {
        lies.changed(comment, &part, reason, |proof, _| proof.cut = flag);
    }
    let page = |state: &State, query: &Query, cut: &str| prove(state, query, Some(cut.as_bytes()));
    let all = range("", None, 5);
    let mut whole = page(&lies.state, &all, "c");
    whole.cut = vec![0];
    lies.refused("a cut page shown as all there is", &all, &whole.encode());
    let mut other = page(&lies.state, &all, "c");
    other.cut = cut_at(b"d");
    lies.refused("a page cut at c said to be cut at d, to hide c", &all, &other.encode());
    let (from_end, from_beginning) = (reversed("", None, 5), all);
    let last = page(&lies.state, &from_end, "e").encode();
    let comment = "a page from the end shown as one from the beginning";
    lies.refused(comment, &from_beginning, &last);
    let first = page(&lies.state, &from_beginning, "e").encode();
    let comment = "a page from the beginning shown as one from the end";
    lies.refused(comment, &from_end, &first);
}

fn counting(lies: &mut Lies<'_>) {
    let (all, part) = (count("", None), count("ab", Some("m")));
    let (of_all, of_part) = (lies.honest(&all).encode(), lies.honest(&part).encode());
    lies.refused("the count of all for a part", &part, &of_all);
    lies.refused("the count of a part for all", &all, &of_part);
    let comment = "the whole tree closed, as if it lay in the range";
    lies.changed(comment, &part, Reason::NodeNotExpanded, |proof, state| {
        proof.root = Part::closed(&state.tree().expect("a tree").record, 5, true);
    });
    let comment = "dead entries counted as live";
    lies.changed(comment, &all, Reason::RootMismatch, |proof, _| {
        let Part::Closed { live, dead, .. } = &mut proof.root else { panic!("closed") };
        *live += std::mem::take(dead);
    });
    for (comment, most, reason) in [
        ("the number of all raised by one", None, Reason::RootMismatch),
        ("all of 2^56 entries", Some(LIMIT_OF_COUNTS - 1), Reason::CountOutOfRange),
    ] {
        lies.changed(comment, &all, reason, |proof, _| {
            let Part::Closed { live, .. } = &mut proof.root else { panic!("closed") };
            *live = most.unwrap_or(*live + 1);
        });
    }
}

fn transfers(lies: &mut Lies<'_>) {
    let (all, changes) = (transfer("", None, None), transfer("", None, Some(2)));
    let mut opened = lies.honest(&all);
    let closed = lies.honest(&changes);
    lies.changed(
        "an entry shown that has not changed",
        &changes,
        Reason::NodeNotVisited,
        |proof, _| {
            *proof = opened.clone();
        },
    );
    let comment = "a changed entry closed";
    lies.close(comment, &changes, "ab", Reason::NodeNotExpanded);
    let comment = "the changes since another block";
    lies.refused(comment, &transfer("", None, Some(1)), &closed.encode());
    let comment = "more entries than the limit";
    lies.limited(comment, &all, &json!({ "maxEntries": 7 }), Reason::TooManyResults);
    let part = transfer("ab", Some("m"), None);
    for (comment, flag) in
        [("a page cut where the range ends", b"m"), ("a page cut at its beginning", &b"ab"[..])]
            as [(&str, &[u8]); 2]
    {
        let comment = format!("a transfer: {comment}");
        lies.changed(&comment, &part, Reason::PageEnd, |proof, _| proof.cut = cut_at(flag));
    }
    opened = prove(&long(7), &all, None);
    assert_eq!(opened.leaf(b"x").past.len(), 3);
    lies.state = long(7);
    let comment = "the peaks of a history exchanged";
    lies.leaf(comment, &all, "x", Reason::RootMismatch, |leaf| leaf.past.reverse());
}

fn updates(lies: &mut Lies<'_>) {
    let state = lies.state.clone();
    let few = part(&state, &["aa"]).1;
    let ops = [set("aa", "n"), set("ez", "n")];
    let keys = owned(&["aa", "ez"]);
    lies.rejected("the proof of fewer keys", &update_input(&state, &ops, &[(keys, few)]));

    let query = Query::Update { keys: owned(&["aa"]) };
    let mut proof = lies.honest(&query);
    *proof.on_path(b"aa", 2) = Part::closed(&record(&state, b"aa", 2), 5, true);
    let parts = [(owned(&["aa"]), proof.encode())];
    let input = update_input(&state, &[set("aa", "n")], &parts);
    let comment = "a child closed that an operation needs";
    lies.invalid(comment, &input, Reason::NodeNotExpanded);

    for (comment, op, key, reason) in [
        (
            "an operation on a key that was not asked for",
            set("m", "n"),
            "aa",
            Reason::NodeNotExpanded,
        ),
        (
            "an operation on the neighbour that the proof shows as another key's",
            set("c", "n"),
            "b",
            Reason::NodeNotExpanded,
        ),
        ("the deletion of a key that was never written", delete("b"), "b", Reason::KeyAbsent),
        ("the deletion of a key that is deleted", delete("d"), "d", Reason::KeyAbsent),
    ] {
        lies.invalid(comment, &update(&state, &[op], &[&[key]]), reason);
    }

    let (mut other, c) = (peaks(&hashes(&state, b"c")), Query::Update { keys: owned(&["c"]) });
    other[0][0] ^= 1;
    let mut forgotten = lies.honest(&c);
    forgotten.leaf(b"c").past = other.into_iter().map(Item::Hash).collect();
    let mut fewer = lies.honest(&c);
    fewer.leaf(b"c").versions = 2;
    fewer.leaf(b"c").past = vec![Item::Hash(hashes(&state, b"c")[0])];
    for (comment, proof) in [
        ("peaks of another history, so that the next root would forget it", forgotten),
        ("a number of versions lower by one, with the peaks of that number", fewer),
    ] {
        let parts = [(owned(&["c"]), proof.encode())];
        lies.invalid(
            comment,
            &update_input(&state, &[set("c", "n")], &parts),
            Reason::RootMismatch,
        );
    }
    let parts = [part(&state, &["aa"]), part(&state.as_of(3), &["m"])];
    let input = update_input(&state, &[set("aa", "n"), set("m", "n")], &parts);
    lies.invalid("two parts, one against another root", &input, Reason::RootMismatch);
}

fn arguments(lies: &mut Lies<'_>) {
    let state = lies.state.clone();
    let honest = |query: &Query| input(&state, query, &prove(&state, query, None).encode());
    let one = get(&["aa"], 5);
    let (histories, part) = (hist(&["c"], 0, 5), range("ab", Some("m"), 5));
    let changed = transfer("", None, Some(5));
    let long = "0x".to_owned() + &"61".repeat(257);
    let longer = "0x".to_owned() + &"6d".repeat(258);
    let root = honest(&one)["root"].as_str().map(|root| root[..64].to_owned());
    let argument = Reason::InvalidArgument;
    for (comment, query, place, value, reason) in [
        ("a root of 31 bytes", &one, "root", json!(root), argument),
        ("B above R", &one, "at", json!("0x6"), argument),
        ("R is 2^52", &one, "block", json!("0x10000000000000"), argument),
        (
            "a history from a later block to an earlier one",
            &histories,
            "to",
            json!("0x0"),
            argument,
        ),
        ("a history to a block above R", &histories, "to", json!("0x6"), argument),
        ("a range whose bounds are equal", &part, "hi", json!("0x6162"), argument),
        ("a range whose bounds are in the wrong order", &part, "hi", json!("0x6161"), argument),
        ("a transfer of changes after a block above R", &changed, "after", json!("0x6"), argument),
        ("no key", &one, "keys", json!([]), argument),
        ("a limit of no entries", &part, "limits", json!({ "maxEntries": 0 }), argument),
        (
            "more keys than the limit, repetitions counted",
            &get(&["aa", "aa"], 5),
            "limits",
            json!({ "maxKeys": 1 }),
            Reason::TooManyKeys,
        ),
        (
            "a key of 257 bytes where it is asked for",
            &one,
            "keys",
            json!([long]),
            Reason::KeyLength,
        ),
        ("a bound of 258 bytes", &part, "hi", json!(longer), Reason::KeyLength),
    ] {
        let mut input = honest(query);
        if comment == "a history from a later block to an earlier one" {
            input["from"] = json!("0x5");
        }
        input[place] = value;
        lies.invalid(comment, &input, reason);
    }
}

/// A shown past version.
fn shown(age: u64, value: &[u8]) -> Item {
    Item::Version(age, Content::Value(value.to_vec()))
}

/// The hashes of a key's past versions.
fn hashes(state: &State, key: &[u8]) -> Vec<prooflight_core::Hash> {
    past_hashes(&state.entries[key])
}

/// The record of the node that is so many branches below the root, on the path to a key.
fn record(state: &State, key: &[u8], branches: usize) -> Record {
    node(&state.tree().expect("a tree"), key, branches).record
}

fn children_of(part: &mut Part) -> &mut [Part; 2] {
    match part {
        Part::Branch { children, .. } => children,
        other => panic!("{other:?}"),
    }
}

fn tag_of(part: &mut Part) -> &mut u64 {
    match part {
        Part::Branch { tag, .. } => tag,
        other => panic!("{other:?}"),
    }
}

fn label_of(part: &mut Part) -> &mut Vec<u8> {
    match part {
        Part::Branch { label, .. } => label,
        other => panic!("{other:?}"),
    }
}

/// Closes both children of the root, as nodes to which no key leads.
fn close_children(root: &mut Part, state: &State) {
    let tree = state.tree().expect("a tree");
    for (child, key) in children_of(root).iter_mut().zip([&b"aa"[..], b"m"]) {
        *child = Part::closed(&node(&tree, key, 1).record, state.height, false);
    }
}

/// The bytes of a cut.
fn cut_at(cut: &[u8]) -> Vec<u8> {
    let mut flag = vec![1];
    integer(&mut flag, cut.len() as u64);
    [&flag, cut].concat()
}
