//! Nodes of other keys; nodes missing, left over, moved or changed.

use prooflight_core::{Reason, keccak256};

use super::LmptLies;
use crate::generate::lmpt::{key, with};

pub(super) fn other_keys(lies: &mut LmptLies<'_, '_>) {
    // The hashes of keys 25 and 3 decide which of them comes last.
    let order = |a: u32, b: u32| {
        if keccak256(&[&key(a)]) < keccak256(&[&key(b)]) { (a, b) } else { (b, a) }
    };
    let (first, last) = order(3, 25);
    let two: Vec<_> = [first, last].map(key).to_vec();
    let (both, alone) = (lies.layers.nodes(&two), lies.layers.nodes(&two[..1]));
    let input = with(lies.layers, &two[..1], &both);
    lies.input(
        "Keys",
        "a proof of one key more, whose nodes come last",
        &input,
        Reason::NodeLeftOver,
    );
    let input = with(lies.layers, &two, &alone);
    lies.input(
        "Keys",
        "a proof of one key fewer, whose nodes come last",
        &input,
        Reason::NodeMissing,
    );
    let input = with(lies.layers, &two[1..], &both);
    lies.input(
        "Keys",
        "a proof of one key more, whose nodes come first",
        &input,
        Reason::NodeMismatch,
    );
    let last = lies.layers.nodes(&two[1..]);
    let input = with(lies.layers, &two, &last);
    lies.input(
        "Keys",
        "a proof of one key fewer, whose nodes come first",
        &input,
        Reason::NodeMismatch,
    );
    let input = with(lies.layers, &two[..1], &last);
    lies.input("Keys", "a proof of another key", &input, Reason::NodeMismatch);
    let mut mixed = alone.clone();
    mixed[2].clone_from(&last[2]);
    let input = with(lies.layers, &two[..1], &mixed);
    lies.input("Keys", "another key's list of the snapshot", &input, Reason::NodeMismatch);
    let settled = lies.layers.nodes(&[key(1)]);
    let input = with(lies.layers, &[key(1), key(3)], &settled);
    let comment = "a proof of the key in delta alone, for it and one of the snapshot";
    lies.input(
        "Keys",
        comment,
        &input,
        if last_of(1, 3) == 1 { Reason::NodeMismatch } else { Reason::NodeMissing },
    );
}

/// The key with the greater hash.
fn last_of(a: u32, b: u32) -> u32 {
    if keccak256(&[&key(a)]) < keccak256(&[&key(b)]) { b } else { a }
}

pub(super) fn nodes(lies: &mut LmptLies<'_, '_>) {
    for (layer, number, at) in [("delta", 1, 0), ("intermediate", 7, 1), ("the snapshot", 25, 2)] {
        let mut change = |comment: &str, reason, change: fn(&mut Vec<Vec<u8>>)| {
            let comment = format!("{layer}: {comment}");
            lies.lists("Nodes", &comment, &[number], reason, |lists| change(&mut lists[at]));
        };
        change("the path ends before the leaf", Reason::NodeMissing, |list| drop(list.pop()));
        change("only the first node", Reason::NodeMissing, |list| list.truncate(1));
        change("the last node twice", Reason::NodeLeftOver, |list| {
            list.extend_from_within(list.len() - 1..);
        });
        change("the first node after the last one", Reason::NodeLeftOver, |list| {
            list.extend_from_within(..1);
        });
        change("the first node twice", Reason::NodeMismatch, |list| {
            list.insert(0, list[0].clone());
        });
        change("without the first node", Reason::RootMismatch, |list| drop(list.remove(0)));
        change("in reverse", Reason::RootMismatch, |list| list.reverse());
        change("a bit of the first node flipped in a hash", Reason::RootMismatch, |list| {
            let at = list[0].iter().position(|&byte| byte == 0xa0).expect("a hash") + 9;
            list[0][at] ^= 1;
        });
        change("the value flipped", Reason::NodeMismatch, |list| {
            let last = list.last_mut().expect("a leaf");
            *last.last_mut().expect("a value") ^= 1;
        });
        change("a nibble of the leaf's path flipped", Reason::NodeMismatch, |list| {
            list.last_mut().expect("a leaf")[9] ^= 1;
        });
    }
    // Two keys below different children of the first node.
    for (layer, keys, at) in [("delta", [1, 2], 0), ("the snapshot", [3, 25], 2)] {
        let mut change = |comment: &str, reason, change: fn(&mut Vec<Vec<u8>>)| {
            let comment = format!("two keys of {layer}: {comment}");
            lies.lists("Nodes", &comment, &keys, reason, |lists| change(&mut lists[at]));
        };
        change("the nodes after the first in reverse", Reason::NodeMismatch, |list| {
            list[1..].reverse();
        });
        change("the first node again before the last", Reason::NodeMismatch, |list| {
            list.insert(list.len() - 1, list[0].clone());
        });
        change("without the node after the first", Reason::NodeMismatch, |list| {
            drop(list.remove(1));
        });
    }
}
