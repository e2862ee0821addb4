//! Ranges, and transfers, which are ranges of a whole tree.

use prooflight_core::Reason;
use prooflight_testkit::amb::proof::{ProofNode, integer};
use prooflight_testkit::amb::prove::{other_leaf, prove};
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;
use prooflight_testkit::amb::tree::NodeRecord;
use serde_json::json;

use crate::generate::amb::lies::{AmbLies, COUNT_LIMIT};
use crate::generate::amb::{count, long, range, reversed, transfer};

pub(super) fn ranges(lies: &mut AmbLies<'_>) {
    let (newest, old) = (range("", None, 5), range("", None, 2));
    let comment = "a live entry in the middle is closed";
    lies.close(comment, &newest, "e", Reason::NodeNotExpanded);
    lies.close("an entry that was deleted later is closed", &old, "d", Reason::NodeNotExpanded);
    let comment = "a tombstone opened that must stay closed";
    lies.changed(comment, &newest, Reason::NodeNotVisited, |proof, state| {
        *proof.on_path(b"d", 3) =
            ProofNode::Leaf(other_leaf(5, 9, b"d", &state.entries[&b"d"[..]]));
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
        let dead = NodeRecord { live: 0, dead: record.live + record.dead, ..record };
        proof.root = ProofNode::closed(&dead, 5, true);
    });
}

pub(super) fn cuts(lies: &mut AmbLies<'_>) {
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
    let page =
        |state: &AmbModel, query: &Query, cut: &str| prove(state, query, Some(cut.as_bytes()));
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

pub(super) fn counting(lies: &mut AmbLies<'_>) {
    let (all, part) = (count("", None), count("ab", Some("m")));
    let (of_all, of_part) = (lies.honest(&all).encode(), lies.honest(&part).encode());
    lies.refused("the count of all for a part", &part, &of_all);
    lies.refused("the count of a part for all", &all, &of_part);
    let comment = "the whole tree closed, as if it lay in the range";
    lies.changed(comment, &part, Reason::NodeNotExpanded, |proof, state| {
        proof.root = ProofNode::closed(&state.tree().expect("a tree").record, 5, true);
    });
    let comment = "dead entries counted as live";
    lies.changed(comment, &all, Reason::RootMismatch, |proof, _| {
        let ProofNode::Closed { live, dead, .. } = &mut proof.root else { panic!("closed") };
        *live += std::mem::take(dead);
    });
    for (comment, most, reason) in [
        ("the number of all raised by one", None, Reason::RootMismatch),
        ("all of 2^56 entries", Some(COUNT_LIMIT - 1), Reason::CountOutOfRange),
    ] {
        lies.changed(comment, &all, reason, |proof, _| {
            let ProofNode::Closed { live, .. } = &mut proof.root else { panic!("closed") };
            *live = most.unwrap_or(*live + 1);
        });
    }
}

pub(super) fn transfers(lies: &mut AmbLies<'_>) {
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

/// The bytes of a cut.
fn cut_at(cut: &[u8]) -> Vec<u8> {
    let mut flag = vec![1];
    integer(&mut flag, cut.len() as u64);
    [&flag, cut].concat()
}
