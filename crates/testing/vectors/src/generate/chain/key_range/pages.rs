//! Honest answers about all keys between two bounds, whole or page by page.

use prooflight_json::HexBytes;
use prooflight_json::checkpoint::CheckpointJson;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;
use serde_json::json;

use super::{AmbChain, group};
use crate::generate::amb::{range, reversed};
use crate::generate::builder::FileBuilder;

const FLAG: &str = "Pages";

/// Bounds, and what is between them.
pub(super) const BOUNDS: [(&str, &str, Option<&str>); 12] = [
    ("from a key to before another", "ab", Some("e")),
    ("between bounds that are no keys", "b", Some("kaa15")),
    ("from a key on", "d", None),
    ("up to before a key", "", Some("c")),
    ("one key, up to the first one after it", "c", Some("c\0")),
    ("from one key to behind another", "ab", Some("c\0")),
    ("all keys with a prefix", "kaa", Some("kab")),
    ("all keys with a prefix of one byte", "a", Some("b")),
    ("no key: behind the last one", "n", None),
    ("no key: before the first one", "", Some("a")),
    ("no key: between two", "ac", Some("b")),
    ("no key: before block 2 and after block 3", "d", Some("e")),
];

pub(super) fn make(file: &mut FileBuilder, kept: &AmbChain) {
    let head = kept.head();
    let mut whole = |comment: &str, query: &Query, by| {
        kept.valid(file, FLAG, &format!("range: {comment}"), (query, by), None);
    };
    for at in 0..=5 {
        let comment = format!("all keys after block {at}, by the head 5");
        whole(&comment, &range("", None, at), head);
    }
    for at in [5, 1] {
        let comment = format!("all keys after block {at}, by the head 5, descending");
        whole(&comment, &reversed("", None, at), head);
        for (what, lo, hi) in BOUNDS {
            let comment = format!("{what}, after block {at}");
            whole(&comment, &range(lo, hi, at), head);
        }
        let comment = format!("from a key to before another, after block {at}, descending");
        whole(&comment, &reversed("ab", Some("e"), at), head);
    }
    for (by, at) in [(4, 4), (3, 3), (3, 1), (0, 0)] {
        let comment = format!("all keys after block {at}, by the header of block {by}");
        whole(&comment, &range("", None, at), by);
    }
    walks(file, kept);
    single_pages(file, kept);
    same_head(file, kept);
    let nothing = AmbChain::new(AmbModel { height: 1, ..AmbModel::default() });
    let query = range("", None, 1);
    nothing.valid(file, FLAG, "range: a state without keys", (&query, 1), None);
}

/// The pages of whole ranges, each of which begins where the one before was cut, by one header.
fn walks(file: &mut FileBuilder, kept: &AmbChain) {
    for (what, by, first, cuts) in [
        ("all keys, two by two", 5, range("", None, 5), &["ab\0", "e\0", "kaa2\0"][..]),
        ("all keys, two by two, descending", 5, reversed("", None, 5), &["kaa2", "e", "ab"]),
        // Also opened: `d`, `e`, `kaa1` and `kaa2`, which were written later.
        ("all keys after block 1, by the head 5", 5, range("", None, 1), &["ab\0", "d\0", "kaa2"]),
        ("all keys after block 2, descending", 4, reversed("", None, 2), &["kaa1", "d", "b"]),
    ] {
        let mut query = first;
        let ends = cuts.iter().map(|cut| Some(cut.as_bytes())).chain([None]);
        for (number, cut) in (1..).zip(ends) {
            let comment = format!("range: {what}: page {number}");
            kept.valid(file, FLAG, &comment, (&query, by), cut);
            let (Query::Range { lo, hi, reverse, .. }, Some(cut)) = (&mut query, cut) else {
                break;
            };
            if *reverse {
                *hi = Some(cut.to_vec());
            } else {
                *lo = cut.to_vec();
            }
        }
    }
}

fn single_pages(file: &mut FileBuilder, kept: &AmbChain) {
    let long = [&b"c"[..], &[0x61; 256]].concat();
    for (comment, query, cut) in [
        ("cut at a key, which is not in it", range("", None, 5), &b"c"[..]),
        ("cut at what is no key", range("aa", Some("n"), 5), b"ad"),
        ("cut at a bound of 257 bytes", range("aa", Some("n"), 5), &long),
        ("without a key: cut before the first one", range("", None, 5), b"a"),
        ("without a key: cut behind the last one, descending", reversed("", None, 5), b"n"),
        ("that opens only keys which were written later", range("d", None, 1), b"kaa2"),
        ("that opens only a key which was deleted later", range("d", None, 5), b"d\0"),
    ] {
        let comment = format!("range: a page {comment}");
        kept.valid(file, FLAG, &comment, (&query, 5), Some(cut));
    }
}

/// The same answers, with headers in other places.
fn same_head(file: &mut FileBuilder, kept: &AmbChain) {
    let (head, query) = (kept.head(), range("ab", Some("e"), 3));
    let honest = kept.honest(&query, head);
    let mut given = honest.clone();
    given["header"] = json!(HexBytes(kept.chain.headers[head].encode()));
    given["path"] = json!([]);
    let mut pinned = honest.clone();
    let checkpoint = kept.chain.checkpoint(head);
    pinned["checkpoint"] = json!(CheckpointJson::from(&checkpoint));
    pinned["inclusion"] = json!([]);
    group(file, &honest);
    for (comment, input) in [
        ("range: by the head, which is given as the header too", &given),
        ("range: by the head, which is the checkpoint", &pinned),
    ] {
        let found = kept.expected(&query, head, None);
        file.valid(&["Headers"], comment, input, found);
    }
}
