//! Layers omitted, added, exchanged, or of another state.

use prooflight_core::Reason;
use prooflight_json::HexBytes;
use prooflight_testkit::lmpt::layers::{LayerNodes, StateLayers};

use super::LmptLies;
use crate::generate::lmpt::{ask, key, with};
use crate::lmpt::LmptProof;

pub(super) fn omitted(lies: &mut LmptLies<'_, '_>) {
    let mut without = |comment: &str, number, at: &[usize]| {
        lies.lists("Layers", comment, &[number], Reason::NodeMissing, |lists| {
            for &at in at {
                lists[at].clear();
            }
        });
    };
    without("no delta for a value in the snapshot", 3, &[0]);
    without("no delta for a value in delta", 1, &[0]);
    without("no delta for a value in intermediate", 7, &[0]);
    without("no intermediate for a value in the snapshot", 3, &[1]);
    without("no intermediate for a value in it", 7, &[1]);
    without("no snapshot for a value in it", 3, &[2]);
    without("no snapshot for a key that no layer has", 9, &[2]);
    without("no nodes at all for a value", 3, &[0, 1, 2]);
    without("no nodes at all for an absent key", 9, &[0, 1, 2]);
    without("only the snapshot for a value in it", 3, &[0, 1]);
    without("only the snapshot for an absent key", 9, &[0, 1]);
    for (comment, number, at) in [
        ("the value under a tombstone of delta, from the snapshot alone", 5, 2),
        ("the value under a tombstone of delta, from intermediate alone", 6, 1),
        ("the value under a tombstone of intermediate, from the snapshot alone", 4, 2),
        ("the value under a newer one of delta, from the snapshot alone", 1, 2),
        ("the value under a newer one of intermediate, from the snapshot alone", 0, 2),
    ] {
        let lower = lies.paths(&[number]);
        lies.lists("Layers", comment, &[number], Reason::NodeMissing, |lists| {
            *lists = [vec![], vec![], vec![]];
            lists[at].clone_from(&lower[at]);
        });
    }
}

pub(super) fn superfluous(lies: &mut LmptLies<'_, '_>) {
    for (comment, number, from) in [
        ("a tombstone of delta, then the value in the snapshot", 5, 2),
        ("a tombstone of delta, then the value in intermediate", 6, 1),
        ("a value of delta, then the older one in the snapshot", 1, 2),
        ("a value of delta, then its absence in intermediate", 1, 1),
        ("a tombstone of intermediate, then the value in the snapshot", 4, 2),
        ("a value of intermediate, then the older one in the snapshot", 0, 2),
    ] {
        let lower = lies.paths(&[number]);
        lies.lists("Layers", comment, &[number], Reason::NodeLeftOver, |lists| {
            lists[from].clone_from(&lower[from]);
        });
    }
    let all = lies.paths(&[5]);
    lies.lists(
        "Layers",
        "a tombstone of delta, then every layer",
        &[5],
        Reason::NodeLeftOver,
        |lists| {
            *lists = all;
        },
    );
    lies.lists("Layers", "all nodes in the list of delta", &[3], Reason::NodeLeftOver, |lists| {
        let [delta, intermediate, snapshot] = std::mem::take(lists);
        lists[0] = [delta, intermediate, snapshot].concat();
    });
    // The tombstone is on the path of another key, whose nodes hide it.
    for (number, other) in [(5, 1), (6, 8)] {
        let (of_other, lower) = (lies.paths(&[other]), lies.paths(&[number]));
        let comment =
            format!("the tombstone of key {number} behind the path of key {other}, then its value");
        lies.lists("Layers", &comment, &[number], Reason::NodeMismatch, |lists| {
            *lists = lower;
            lists[0].clone_from(&of_other[0]);
        });
    }
}

pub(super) fn exchanged(lies: &mut LmptLies<'_, '_>) {
    for (comment, at, with) in [
        ("the lists of delta and intermediate exchanged", 0, 1),
        ("the lists of delta and the snapshot exchanged", 0, 2),
        ("the lists of intermediate and the snapshot exchanged", 1, 2),
    ] {
        lies.lists("Layers", comment, &[3], Reason::RootMismatch, |lists| lists.swap(at, with));
    }
    for (comment, from) in [("intermediate", 1), ("the snapshot", 2)] {
        let comment = format!("the list of {comment} as that of delta, and no other");
        lies.lists("Layers", &comment, &[3], Reason::RootMismatch, |lists| {
            let moved = std::mem::take(&mut lists[from]);
            *lists = [moved, vec![], vec![]];
        });
    }
    let keys = [key(3)];
    let honest = ask(lies.layers, &keys);
    let parts: [&[u8]; 3] = [&honest.root.0[..32], &honest.root.0[32..64], &honest.root.0[64..]];
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let root = HexBytes(order.map(|at| parts[at]).concat());
        let comment = format!("the roots {order:?}, for snapshot, intermediate, delta as 0, 1, 2");
        lies.input("Roots", &comment, &LmptProof { root, ..honest.clone() }, Reason::RootMismatch);
    }
    for (comment, at) in [("the snapshot's", 0), ("intermediate's", 32), ("delta's", 64)] {
        let mut root = honest.root.clone();
        root.0[at..at + 32].copy_from_slice(&prooflight_mpt::EMPTY_ROOT);
        let comment = format!("the root without keys as {comment}");
        let input = LmptProof { root: root.clone(), ..honest.clone() };
        lies.input("Roots", &comment, &input, Reason::NodeLeftOver);
        root.0[at + 31] ^= 1;
        let comment = format!("{comment}, but for a bit");
        lies.input("Roots", &comment, &LmptProof { root, ..honest.clone() }, Reason::RootMismatch);
    }
}

pub(super) fn other_states(lies: &mut LmptLies<'_, '_>, chain: &[StateLayers]) {
    let keys = [key(3)];
    let mut against = |comment: &str, proof: &LayerNodes, height: usize, reason| {
        lies.input("Blocks", comment, &with(&chain[height], &keys, proof), reason);
    };
    let of = |height: usize| chain[height].nodes(&keys);
    against("a proof of the block before", &of(6), 7, Reason::RootMismatch);
    against("a proof of the block after", &of(7), 6, Reason::RootMismatch);
    against("a proof of another era", &of(3), 7, Reason::RootMismatch);
    against(
        "a proof of a block after the era's end, against one before",
        &of(9),
        7,
        Reason::RootMismatch,
    );
    against(
        "a proof from just before the era's end, against its end",
        &of(7),
        8,
        Reason::NodeLeftOver,
    );
    against(
        "a proof of the era's end, against the block before it",
        &of(8),
        7,
        Reason::NodeMissing,
    );
    let [delta, intermediate, snapshot] = of(9);
    let [_, stale, before] = of(7);
    let lists = [delta.clone(), stale.clone(), snapshot.clone()];
    against("the intermediate of the era before", &lists, 9, Reason::RootMismatch);
    let lists = [delta.clone(), intermediate, before.clone()];
    against("the snapshot before the merge", &lists, 9, Reason::RootMismatch);
    against(
        "both lower layers of the era before",
        &[delta, stale, before],
        9,
        Reason::RootMismatch,
    );

    // Layers that have no keys.
    let [delta, intermediate, snapshot] = of(7);
    for (comment, height, at, node) in [
        ("nodes for a delta without keys", 8, 0, &delta[0]),
        ("nodes for an intermediate without keys", 2, 1, &intermediate[0]),
        ("a node of the snapshot for an intermediate without keys", 2, 1, &snapshot[0]),
    ] {
        let mut lists = of(height);
        lists[at].push(node.clone());
        against(comment, &lists, height, Reason::NodeLeftOver);
        lists[at][0] = vec![0x80];
        against(&format!("{comment}: the string 80"), &lists, height, Reason::InvalidNode);
    }
    let (empty, lists) = (StateLayers::default(), [vec![], vec![], vec![vec![0x80]]]);
    lies.input(
        "Empty",
        "80 for a snapshot without keys",
        &with(&empty, &keys, &lists),
        Reason::InvalidNode,
    );
    let lists = [vec![], vec![], of(7)[2].clone()];
    let comment = "nodes for a snapshot without keys";
    lies.input("Empty", comment, &with(&empty, &keys, &lists), Reason::NodeLeftOver);
}
