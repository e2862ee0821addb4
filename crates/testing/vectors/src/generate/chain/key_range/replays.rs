//! Right proofs of something else.

use prooflight_core::Reason;
use prooflight_json::HexBytes;
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;
use serde_json::json;

use super::{AmbChain, invalid, refused};
use crate::generate::amb::{count, get, range, reversed, small, transfer};
use crate::generate::builder::FileBuilder;

const FLAG: &str = "Replay";

pub(super) fn make(file: &mut FileBuilder, kept: &AmbChain) {
    let (part, counted) = (range("ab", Some("m"), 3), count("ab", Some("m")));
    messages(file, kept, "range", &part, &counted);
    messages(file, kept, "count", &counted, &part);
    pages(file, kept, &part);
    let numbers = [
        ("of all keys", count("", None)),
        ("of fewer keys", count("ab", Some("e"))),
        ("of the keys from the upper bound on", count("m", None)),
    ];
    for (what, query) in numbers {
        let input = kept.proven(&counted, 5, &prove(&small(), &query, None).encode());
        refused(file, FLAG, &format!("count: the number {what}"), &input);
    }
}

/// Proofs of another kind, state or block.
fn messages(file: &mut FileBuilder, kept: &AmbChain, of: &str, query: &Query, other: &Query) {
    let honest = prove(&small(), query, None).encode();
    let mut case = |comment: &str, proof: &[u8], reason| {
        let input = kept.proven(query, 5, proof);
        invalid(file, FLAG, &format!("{of}: {comment}"), &input, reason);
    };
    let of_other = prove(&small(), other, None).encode();
    let name = if let Query::Range { .. } = query { "count" } else { "range" };
    let kind = Reason::UnknownKind;
    case(&format!("the proof of a {name}"), &of_other, kind);
    let transferred = prove(&small(), &transfer("ab", Some("m"), None), None).encode();
    case("the proof of a transfer", &transferred, kind);
    let keys = prove(&small(), &get(&["ab", "c", "e"], 3), None).encode();
    case("the proof of keys", &keys, kind);
    let renamed = [&honest[..2], &of_other[2..3], &honest[3..]].concat();
    case(&format!("its proof as that of a {name}"), &renamed, kind);
    let with = |at: usize, byte| {
        let mut proof = honest.clone();
        proof[at] = byte;
        proof
    };
    case("a proof of version 2", &with(0, 2), Reason::UnknownVersion);
    case("a proof of smt", &with(1, 3), Reason::UnknownScheme);
    case("no proof", &[], Reason::Truncated);
    let short = &honest[..honest.len() - 1];
    case("without the last byte of the proof", short, Reason::Truncated);
    case("a byte after the proof", &[&honest[..], &[0]].concat(), Reason::TrailingBytes);
    // A state in which block 4 never wrote `ab`.
    let mut fork = small();
    fork.entries.get_mut(&b"ab"[..]).expect("a key").pop();
    let forked = prove(&fork, query, None).encode();
    case("the proof of a fork without a change", &forked, Reason::RootMismatch);
    let mut hidden = small();
    hidden.entries.remove(&b"c"[..]);
    let hidden = prove(&hidden, query, None).encode();
    case("the proof of a fork without a key", &hidden, Reason::RootMismatch);
    let nothing = prove(&AmbModel { height: 5, ..AmbModel::default() }, query, None).encode();
    case("the proof of a state without keys", &nothing, Reason::RootMismatch);
    let before = prove(&kept.after(4), query, None).encode();
    let input = kept.proven(query, 5, &before);
    let comment = format!("{of}: the proof by the header before, whose root is the same");
    refused(file, FLAG, &comment, &input);
    let input = kept.proven(query, 4, &honest);
    refused(file, FLAG, &format!("{of}: the proof by the head, with the header before it"), &input);
    let input = kept.proven(query, 3, &honest);
    refused(file, FLAG, &format!("{of}: the proof by the head, with an older header"), &input);
}

/// Pages of another block, of other bounds, or in the other order.
fn pages(file: &mut FileBuilder, kept: &AmbChain, part: &Query) {
    let mut case = |comment: &str, asked: &Query, proved: &Query, cut: Option<&[u8]>| {
        let input = kept.proven(asked, 5, &prove(&small(), proved, cut).encode());
        refused(file, FLAG, &format!("range: {comment}"), &input);
    };
    case("the proof after block 5, for block 3", part, &range("ab", Some("m"), 5), None);
    case("the proof after block 2, for block 3", part, &range("ab", Some("m"), 2), None);
    case("the proof after block 0, for block 3", part, &range("ab", Some("m"), 0), None);
    case("the proof of all keys", part, &range("", None, 3), None);
    case("the proof of fewer keys", part, &range("ab", Some("e"), 3), None);
    let (all, back) = (range("", None, 5), reversed("", None, 5));
    case("the first page from the end, for one from the beginning", &all, &back, Some(b"e"));
    case("the first page from the beginning, for one from the end", &back, &all, Some(b"e"));
    let second = range("e\0", None, 5);
    case("the first page again, for the second", &second, &all, Some(b"kaa2\0"));
    let third = range("kaa2", None, 5);
    case("the third page, for the second", &second, &third, None);
    case("the second page, for the first", &all, &second, Some(b"kaa2\0"));
    let later = kept.proven(&second, 5, &prove(&kept.after(4), &second, None).encode());
    let comment = "range: the second page by the header before that of the first page";
    invalid(file, FLAG, comment, &later, Reason::RootMismatch);
    let mut turned = kept.proven(&all, 5, &prove(&small(), &all, Some(b"e")).encode());
    turned["reverse"] = json!(true);
    refused(file, FLAG, "range: a page whose order is the other", &turned);
    turned["reverse"] = json!(false);
    turned["proof"] = json!(HexBytes(prove(&small(), &back, Some(b"e")).encode()));
    refused(file, FLAG, "range: a page from the end whose order is the other", &turned);
}
