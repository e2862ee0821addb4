//! `lmpt/proof_negative.json`: every lie about layers, each with the check alone that it fails.

use prooflight_core::Reason::{self, *};
use prooflight_core::keccak256;
use prooflight_json::Hex;
use prooflight_testkit::lmpt::layers::{Layers, Lists, TOMBSTONE, encode, leaf};
use prooflight_testkit::lmpt::trie::Dictionary;
use prooflight_testkit::mpt::rlp::Rlp;

use super::{ask, chain, key, limits, neighbours, with};
use crate::generate::builder::Builder;
use crate::limits::CallerLimits;
use crate::lmpt::LmptProof;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut Builder) {
    file.group("LmptProof");
    let chain = chain();
    let lies = &mut Lies { file, layers: &chain[7] };
    omitted(lies);
    superfluous(lies);
    exchanged(lies);
    other_states(lies, &chain);
    other_keys(lies);
    nodes(lies);
    leaves(lies);
    forged_nodes(lies);
    bytes(lies);
    question(lies);
    order(lies);
}

struct Lies<'a, 'b> {
    file: &'a mut Builder,
    /// The state that most lies are about.
    layers: &'b Layers,
}

impl Lies<'_, '_> {
    fn input(&mut self, flag: &str, comment: &str, input: &LmptProof, reason: Reason) {
        let refused = self.file.answer(&serde_json::to_value(input).expect("plain data"));
        let found = refused.map_err(|error| error.reason()).err();
        assert_eq!(found, Some(reason), "{comment}");
        self.file.invalid(&[flag], comment, input, reason);
    }

    /// Changed nodes of the honest proof of keys.
    fn lists(
        &mut self,
        flag: &str,
        comment: &str,
        keys: &[u32],
        reason: Reason,
        change: impl FnOnce(&mut Lists),
    ) {
        let keys: Vec<_> = keys.iter().copied().map(key).collect();
        let mut lists = self.layers.lists(&keys);
        change(&mut lists);
        self.input(flag, comment, &with(self.layers, &keys, &lists), reason);
    }

    /// The nodes of keys in every layer, as if none of them were settled.
    fn paths(&self, keys: &[u32]) -> Lists {
        let hashes = sorted_hashes(keys);
        self.layers
            .all()
            .map(|layer| prooflight_testkit::lmpt::trie::Trie::new(layer).nodes(&hashes))
    }
}

fn sorted_hashes(keys: &[u32]) -> Vec<[u8; 32]> {
    let mut hashes: Vec<_> = keys.iter().map(|&number| keccak256(&[&key(number)])).collect();
    hashes.sort_unstable();
    hashes
}

fn omitted(lies: &mut Lies<'_, '_>) {
    let mut without = |comment: &str, number, at: &[usize]| {
        lies.lists("Layers", comment, &[number], NodeMissing, |lists| {
            at.iter().for_each(|&at| lists[at].clear());
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
        lies.lists("Layers", comment, &[number], NodeMissing, |lists| {
            *lists = [vec![], vec![], vec![]];
            lists[at].clone_from(&lower[at]);
        });
    }
}

fn superfluous(lies: &mut Lies<'_, '_>) {
    for (comment, number, from) in [
        ("a tombstone of delta, then the value in the snapshot", 5, 2),
        ("a tombstone of delta, then the value in intermediate", 6, 1),
        ("a value of delta, then the older one in the snapshot", 1, 2),
        ("a value of delta, then its absence in intermediate", 1, 1),
        ("a tombstone of intermediate, then the value in the snapshot", 4, 2),
        ("a value of intermediate, then the older one in the snapshot", 0, 2),
    ] {
        let lower = lies.paths(&[number]);
        lies.lists("Layers", comment, &[number], NodeLeftOver, |lists| {
            lists[from].clone_from(&lower[from]);
        });
    }
    let all = lies.paths(&[5]);
    lies.lists("Layers", "a tombstone of delta, then every layer", &[5], NodeLeftOver, |lists| {
        *lists = all;
    });
    lies.lists("Layers", "all nodes in the list of delta", &[3], NodeLeftOver, |lists| {
        let [delta, intermediate, snapshot] = std::mem::take(lists);
        lists[0] = [delta, intermediate, snapshot].concat();
    });
    // The tombstone is on the path of another key, whose nodes hide it.
    for (number, other) in [(5, 1), (6, 8)] {
        let (of_other, lower) = (lies.paths(&[other]), lies.paths(&[number]));
        let comment =
            format!("the tombstone of key {number} behind the path of key {other}, then its value");
        lies.lists("Layers", &comment, &[number], NodeMismatch, |lists| {
            *lists = lower;
            lists[0].clone_from(&of_other[0]);
        });
    }
}

fn exchanged(lies: &mut Lies<'_, '_>) {
    for (comment, at, with) in [
        ("the lists of delta and intermediate exchanged", 0, 1),
        ("the lists of delta and the snapshot exchanged", 0, 2),
        ("the lists of intermediate and the snapshot exchanged", 1, 2),
    ] {
        lies.lists("Layers", comment, &[3], RootMismatch, |lists| lists.swap(at, with));
    }
    for (comment, from) in [("intermediate", 1), ("the snapshot", 2)] {
        let comment = format!("the list of {comment} as that of delta, and no other");
        lies.lists("Layers", &comment, &[3], RootMismatch, |lists| {
            let moved = std::mem::take(&mut lists[from]);
            *lists = [moved, vec![], vec![]];
        });
    }
    let keys = [key(3)];
    let honest = ask(lies.layers, &keys);
    let parts: [&[u8]; 3] = [&honest.root.0[..32], &honest.root.0[32..64], &honest.root.0[64..]];
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let root = Hex(order.map(|at| parts[at]).concat());
        let comment = format!("the roots {order:?}, for snapshot, intermediate, delta as 0, 1, 2");
        lies.input("Roots", &comment, &LmptProof { root, ..honest.clone() }, RootMismatch);
    }
    for (comment, at) in [("the snapshot's", 0), ("intermediate's", 32), ("delta's", 64)] {
        let mut root = honest.root.clone();
        root.0[at..at + 32].copy_from_slice(&prooflight_mpt::EMPTY_ROOT);
        let comment = format!("the root without keys as {comment}");
        let input = LmptProof { root: root.clone(), ..honest.clone() };
        lies.input("Roots", &comment, &input, NodeLeftOver);
        root.0[at + 31] ^= 1;
        let comment = format!("{comment}, but for a bit");
        lies.input("Roots", &comment, &LmptProof { root, ..honest.clone() }, RootMismatch);
    }
}

fn other_states(lies: &mut Lies<'_, '_>, chain: &[Layers]) {
    let keys = [key(3)];
    let mut against = |comment: &str, proof: &Lists, height: usize, reason| {
        lies.input("Blocks", comment, &with(&chain[height], &keys, proof), reason);
    };
    let of = |height: usize| chain[height].lists(&keys);
    against("a proof of the block before", &of(6), 7, RootMismatch);
    against("a proof of the block after", &of(7), 6, RootMismatch);
    against("a proof of another era", &of(3), 7, RootMismatch);
    against("a proof of a block after the era's end, against one before", &of(9), 7, RootMismatch);
    against("a proof from just before the era's end, against its end", &of(7), 8, NodeLeftOver);
    against("a proof of the era's end, against the block before it", &of(8), 7, NodeMissing);
    let [delta, intermediate, snapshot] = of(9);
    let [_, stale, before] = of(7);
    let lists = [delta.clone(), stale.clone(), snapshot.clone()];
    against("the intermediate of the era before", &lists, 9, RootMismatch);
    let lists = [delta.clone(), intermediate, before.clone()];
    against("the snapshot before the merge", &lists, 9, RootMismatch);
    against("both lower layers of the era before", &[delta, stale, before], 9, RootMismatch);

    // Layers that have no keys.
    let [delta, intermediate, snapshot] = of(7);
    for (comment, height, at, node) in [
        ("nodes for a delta without keys", 8, 0, &delta[0]),
        ("nodes for an intermediate without keys", 2, 1, &intermediate[0]),
        ("a node of the snapshot for an intermediate without keys", 2, 1, &snapshot[0]),
    ] {
        let mut lists = of(height);
        lists[at].push(node.clone());
        against(comment, &lists, height, NodeLeftOver);
        lists[at][0] = vec![0x80];
        against(&format!("{comment}: the string 80"), &lists, height, InvalidNode);
    }
    let (empty, lists) = (Layers::default(), [vec![], vec![], vec![vec![0x80]]]);
    lies.input(
        "Empty",
        "80 for a snapshot without keys",
        &with(&empty, &keys, &lists),
        InvalidNode,
    );
    let lists = [vec![], vec![], of(7)[2].clone()];
    let comment = "nodes for a snapshot without keys";
    lies.input("Empty", comment, &with(&empty, &keys, &lists), NodeLeftOver);
}

fn other_keys(lies: &mut Lies<'_, '_>) {
    // The hashes of keys 25 and 3 decide which of them comes last.
    let order = |a: u32, b: u32| {
        if keccak256(&[&key(a)]) < keccak256(&[&key(b)]) { (a, b) } else { (b, a) }
    };
    let (first, last) = order(3, 25);
    let two: Vec<_> = [first, last].map(key).to_vec();
    let (both, alone) = (lies.layers.lists(&two), lies.layers.lists(&two[..1]));
    let input = with(lies.layers, &two[..1], &both);
    lies.input("Keys", "a proof of one key more, whose nodes come last", &input, NodeLeftOver);
    let input = with(lies.layers, &two, &alone);
    lies.input("Keys", "a proof of one key fewer, whose nodes come last", &input, NodeMissing);
    let input = with(lies.layers, &two[1..], &both);
    lies.input("Keys", "a proof of one key more, whose nodes come first", &input, NodeMismatch);
    let last = lies.layers.lists(&two[1..]);
    let input = with(lies.layers, &two, &last);
    lies.input("Keys", "a proof of one key fewer, whose nodes come first", &input, NodeMismatch);
    let input = with(lies.layers, &two[..1], &last);
    lies.input("Keys", "a proof of another key", &input, NodeMismatch);
    let mut mixed = alone.clone();
    mixed[2].clone_from(&last[2]);
    let input = with(lies.layers, &two[..1], &mixed);
    lies.input("Keys", "another key's list of the snapshot", &input, NodeMismatch);
    let settled = lies.layers.lists(&[key(1)]);
    let input = with(lies.layers, &[key(1), key(3)], &settled);
    let comment = "a proof of the key in delta alone, for it and one of the snapshot";
    lies.input(
        "Keys",
        comment,
        &input,
        if last_of(1, 3) == 1 { NodeMismatch } else { NodeMissing },
    );
}

/// The key with the greater hash.
fn last_of(a: u32, b: u32) -> u32 {
    if keccak256(&[&key(a)]) < keccak256(&[&key(b)]) { b } else { a }
}

fn nodes(lies: &mut Lies<'_, '_>) {
    for (layer, number, at) in [("delta", 1, 0), ("intermediate", 7, 1), ("the snapshot", 25, 2)] {
        let mut change = |comment: &str, reason, change: fn(&mut Vec<Vec<u8>>)| {
            let comment = format!("{layer}: {comment}");
            lies.lists("Nodes", &comment, &[number], reason, |lists| change(&mut lists[at]));
        };
        change("the path ends before the leaf", NodeMissing, |list| drop(list.pop()));
        change("only the first node", NodeMissing, |list| list.truncate(1));
        change("the last node twice", NodeLeftOver, |list| {
            list.extend_from_within(list.len() - 1..)
        });
        change("the first node after the last one", NodeLeftOver, |list| {
            list.extend_from_within(..1)
        });
        change("the first node twice", NodeMismatch, |list| list.insert(0, list[0].clone()));
        change("without the first node", RootMismatch, |list| drop(list.remove(0)));
        change("in reverse", RootMismatch, |list| list.reverse());
        change("a bit of the first node flipped in a hash", RootMismatch, |list| {
            let at = list[0].iter().position(|&byte| byte == 0xa0).expect("a hash") + 9;
            list[0][at] ^= 1;
        });
        change("the value flipped", NodeMismatch, |list| {
            let last = list.last_mut().expect("a leaf");
            *last.last_mut().expect("a value") ^= 1;
        });
        change("a nibble of the leaf's path flipped", NodeMismatch, |list| {
            list.last_mut().expect("a leaf")[9] ^= 1;
        });
    }
    // Two keys below different children of the first node.
    for (layer, keys, at) in [("delta", [1, 2], 0), ("the snapshot", [3, 25], 2)] {
        let mut change = |comment: &str, reason, change: fn(&mut Vec<Vec<u8>>)| {
            let comment = format!("two keys of {layer}: {comment}");
            lies.lists("Nodes", &comment, &keys, reason, |lists| change(&mut lists[at]));
        };
        change("the nodes after the first in reverse", NodeMismatch, |list| list[1..].reverse());
        change("the first node again before the last", NodeMismatch, |list| {
            list.insert(list.len() - 1, list[0].clone());
        });
        change("without the node after the first", NodeMismatch, |list| drop(list.remove(1)));
    }
}

/// Leaves that no layer of a chain has, under roots that commit to them.
fn leaves(lies: &mut Lies<'_, '_>) {
    let asked = [key(3)];
    let hash = keccak256(&[&asked[0]]);
    let others = lies.layers;
    let forged = |at: usize, leaf: &[u8]| {
        let mut layers = others.clone();
        let layer =
            [&mut layers.delta, &mut layers.intermediate, &mut layers.snapshot].into_iter().nth(at);
        layer.expect("one of three").insert(hash, leaf.to_vec());
        layers
    };
    for (name, at) in [("delta", 0), ("intermediate", 1), ("the snapshot", 2)] {
        for (what, leaf) in [
            ("0001", &[0, 1][..]),
            ("0000", &[0, 0]),
            ("the tag 02", &[2]),
            ("the tag 02 and a value", &[2, b'v']),
            ("ff", &[0xff]),
            ("a value without a tag", b"value"),
        ] {
            let comment = format!("a leaf of {name}: {what}");
            let layers = forged(at, leaf);
            lies.input("Values", &comment, &ask(&layers, &asked), InvalidLayerValue);
        }
        let comment = format!("a leaf of {name} without a value");
        lies.input("Values", &comment, &ask(&forged(at, &[]), &asked), EmptyValue);
        let comment =
            format!("a value of 65,537 bytes in {name}, one more than allowed by default");
        let layers = forged(at, &leaf(&vec![0; 65_537]));
        lies.input("Values", &comment, &ask(&layers, &asked), ValueTooLarge);
    }
    let layers = forged(2, TOMBSTONE);
    lies.input("Values", "a tombstone in the snapshot", &ask(&layers, &asked), TombstoneInSnapshot);
    let several = [key(1), key(3), key(7), key(20)];
    let comment = "a tombstone in the snapshot, and values of other keys";
    lies.input("Values", comment, &ask(&layers, &several), TombstoneInSnapshot);
    let one = Dictionary::from([(hash, TOMBSTONE.to_vec())]);
    let layers = Layers { snapshot: one, ..Layers::default() };
    let comment = "a tombstone as the only leaf of the snapshot";
    lies.input("Values", comment, &ask(&layers, &asked), TombstoneInSnapshot);
    // Only a key that is asked for is settled by its leaf.
    let pair = neighbours();
    let trie = |leaf: &[u8]| -> Dictionary {
        pair.iter().map(|key| (keccak256(&[key]), leaf.to_vec())).collect()
    };
    let layers = Layers { snapshot: trie(TOMBSTONE), ..Layers::default() };
    let comment = "a tombstone inside a branch of the snapshot";
    lies.input("Values", comment, &ask(&layers, &pair[..1]), TombstoneInSnapshot);
    let layers = Layers { delta: trie(&[2]), ..Layers::default() };
    let comment = "the tag 02 inside a branch of delta";
    lies.input("Values", comment, &ask(&layers, &pair[1..]), InvalidLayerValue);
}

/// Nodes that no trie has, and those that no trie has at their place.
fn forged_nodes(lies: &mut Lies<'_, '_>) {
    let keys = [key(3)];
    let string = |bytes: &[u8]| Rlp::String(bytes.to_vec());
    let under = |bytes: Vec<u8>| {
        let hash = keccak256(&[&bytes]);
        let mut root = lies.layers.roots();
        root.delta = hash;
        let mut input = with(lies.layers, &keys, &[vec![bytes], vec![], vec![]]);
        input.root = Hex(root.encode().to_vec());
        input
    };
    let hash = keccak256(&[&keys[0]]);
    let nibbles: Vec<u8> = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
    let branch = |nibble: u8, child: Rlp, value: &[u8]| {
        let mut items = vec![string(&[]); 16];
        items[usize::from(nibble)] = child;
        items.push(string(value));
        Rlp::List(items)
    };
    let other = string(&[7; 32]);
    let full_path = [&[0x20], &hash[..]].concat();
    let extension_path = [0x10 | nibbles[0]];
    let mut cases = vec![
        ("a node that is a string", string(&[7; 40]), InvalidNode),
        ("a node of three items", Rlp::List(vec![other.clone(); 3]), InvalidNode),
        ("a path with the flag 4", Rlp::List(vec![string(&[0x40; 33]), string(&[1])]), InvalidPath),
        ("an extension without a path", Rlp::List(vec![string(&[0]), other.clone()]), InvalidPath),
        ("a branch with one child", branch(nibbles[0], other.clone(), &[]), BranchEntries),
        ("a child of 31 bytes", branch(0, string(&[7; 31]), &[1]), InvalidChild),
        (
            "a leaf whose value is a list",
            Rlp::List(vec![string(&full_path), Rlp::List(vec![])]),
            InvalidNode,
        ),
        (
            "an extension to a leaf inside it",
            Rlp::List(vec![
                string(&extension_path),
                Rlp::List(vec![string(&[0x20]), string(&[1])]),
            ]),
            ExtensionChild,
        ),
    ];
    let mut trailing = Rlp::List(vec![string(&full_path), string(&[1])]).encode();
    trailing.push(0);
    for (comment, node, reason) in cases.drain(..) {
        let input = under(node.encode());
        lies.input("Forged", comment, &input, reason);
    }
    lies.input("Forged", "a byte after a node", &under(trailing), TrailingBytes);
    let long = [&[0xf8, 35][..], &Rlp::List(vec![string(&full_path), string(&[1])]).encode()[1..]]
        .concat();
    lies.input("Forged", "a length in a longer form", &under(long), InvalidEncoding);

    // The root is an extension, its child a leaf outside of it: found only on the walk.
    let below = Rlp::List(vec![string(&[&[0x30 | nibbles[1]], &hash[1..]].concat()), string(&[1])]);
    let below = below.encode();
    let first = Rlp::List(vec![string(&extension_path), string(&keccak256(&[&below]))]).encode();
    let mut input = under(first.clone());
    input.proof = Hex(encode(&[vec![first, below], vec![], vec![]]));
    lies.input("Forged", "an extension to a leaf outside of it", &input, ExtensionChild);

    // A node that is inside its parent, given again.
    let pair = neighbours();
    let inside = pair.iter().map(|key| (keccak256(&[key]), vec![1])).collect();
    let layers = Layers { snapshot: inside, ..Layers::default() };
    let mut lists = layers.lists(&pair[..1]);
    let rest = &keccak256(&[&pair[0]])[4..];
    let leaf =
        Rlp::List(vec![string(&[&[0x30 | rest[0] & 15], &rest[1..]].concat()), string(&[1])]);
    lists[2].push(leaf.encode());
    let comment = "a leaf inside its branch, and again after it";
    lies.input("Inline", comment, &with(&layers, &pair[..1], &lists), ShortNode);
}

fn bytes(lies: &mut Lies<'_, '_>) {
    let honest = ask(lies.layers, &[key(1)]);
    let mut splice = |comment: &str, from: usize, cut: usize, put: &[u8], reason| {
        let proof = &honest.proof.0;
        let proof = [&proof[..from], put, &proof[from + cut..]].concat();
        lies.input("Envelope", comment, &LmptProof { proof: Hex(proof), ..honest.clone() }, reason);
    };
    let end = honest.proof.0.len();
    splice("version 0", 0, 1, &[0], UnknownVersion);
    splice("version 2", 0, 1, &[2], UnknownVersion);
    splice("scheme 4", 1, 1, &[4], UnknownScheme);
    splice("scheme 6", 1, 1, &[6], UnknownScheme);
    splice("scheme 254", 1, 1, &[254], UnknownScheme);
    splice("kind 0", 2, 1, &[0], UnknownKind);
    splice("kind 2", 2, 1, &[2], UnknownKind);
    splice("a fourth list", end, 0, &[0; 4], TrailingBytes);
    splice("a byte after the lists", end, 0, &[0], TrailingBytes);
    splice("no third list", end - 4, 4, &[], InvalidEncoding);
    splice("no second and third list", end - 8, 8, &[], InvalidEncoding);
    splice("half of the count of the third list", end - 2, 2, &[], InvalidEncoding);
    splice("a first list of 2^32 - 1 nodes", 3, 4, &[0xff; 4], InvalidEncoding);
    splice("a third list of 2^32 - 1 nodes", end - 4, 4, &[0xff; 4], InvalidEncoding);
    splice("a node of 2^32 - 1 bytes", 7, 4, &[0xff; 4], InvalidEncoding);
    splice("a count in big-endian", 3, 4, &[0, 0, 0, 2], InvalidEncoding);
    splice("the lists alone", 0, 3, &[], UnknownVersion);
    splice("the three bytes of the envelope", 3, end - 3, &[], InvalidEncoding);
    splice("no bytes", 0, end, &[], Truncated);
}

fn question(lies: &mut Lies<'_, '_>) {
    let honest = ask(lies.layers, &[key(1), key(3)]);
    for (length, comment) in [
        (0, "an empty root"),
        (32, "a root of 32 bytes: the snapshot's"),
        (64, "a root of 64 bytes"),
        (95, "a root of 95 bytes"),
    ] {
        let root = Hex(honest.root.0[..length].to_vec());
        lies.input("Question", comment, &LmptProof { root, ..honest.clone() }, InvalidArgument);
    }
    let root = Hex([&honest.root.0[..], &[0]].concat());
    let input = LmptProof { root, ..honest.clone() };
    lies.input("Question", "a root of 97 bytes", &input, InvalidArgument);
    let input = LmptProof { keys: vec![], ..honest.clone() };
    lies.input("Question", "no keys", &input, InvalidArgument);
    let nothing = with(lies.layers, &[], &[vec![], vec![], vec![]]);
    lies.input("Question", "no keys, and a proof without nodes", &nothing, InvalidArgument);
    let empty = with(&Layers::default(), &[], &[vec![], vec![], vec![]]);
    lies.input("Question", "no keys, and layers without keys", &empty, InvalidArgument);

    let bounded = |limits: CallerLimits| LmptProof { limits: Some(limits), ..honest.clone() };
    let length = honest.proof.0.len();
    for (comment, limits, reason) in [
        ("a byte more than the limit", limits(Some(length - 1), None, None), ProofTooLarge),
        ("a key more than the limit", limits(None, Some(1), None), TooManyKeys),
        ("a value of a byte more than the limit", limits(None, None, Some(4)), ValueTooLarge),
        ("a limit of no bytes", limits(Some(0), None, None), ProofTooLarge),
        ("a limit of no keys", limits(None, Some(0), None), TooManyKeys),
    ] {
        lies.input("Limits", comment, &bounded(limits), reason);
    }
    let settled = ask(lies.layers, &[key(1)]);
    let input = LmptProof { limits: Some(limits(None, None, Some(2))), ..settled };
    lies.input("Limits", "a value of delta of a byte more than the limit", &input, ValueTooLarge);
    let many = ask(lies.layers, &vec![key(1); 4097]);
    let comment = "4,097 keys, one more than allowed by default, all the same";
    lies.input("Limits", comment, &many, TooManyKeys);
    let large = LmptProof { proof: Hex(vec![1; (8 << 20) + 1]), ..honest.clone() };
    let comment = "8 MiB and a byte, one more than allowed by default";
    lies.input("Limits", comment, &large, ProofTooLarge);
}

/// What is checked first.
fn order(lies: &mut Lies<'_, '_>) {
    let honest = ask(lies.layers, &[key(3)]);
    let junk = vec![7; 40];
    let short = LmptProof { root: Hex(vec![0; 32]), keys: vec![], ..honest.clone() };
    lies.input("Order", "a root of 32 bytes, no keys", &short, InvalidArgument);
    let limits = Some(limits(Some(1), Some(0), None));
    let input = LmptProof { limits, ..honest.clone() };
    lies.input("Order", "too many keys, and too many bytes", &input, TooManyKeys);
    let lists = lies.layers.lists(&[key(3)]);
    let mut change = |comment: &str, reason, change: &dyn Fn(&mut Lists)| {
        let mut lists = lists.clone();
        change(&mut lists);
        lies.input("Order", comment, &with(lies.layers, &[key(3)], &lists), reason);
    };
    change("no delta, and bytes of no node in the snapshot", TrailingBytes, &|lists| {
        lists[0].clear();
        lists[2].push(junk.clone());
    });
    change(
        "another delta, and a branch without entries in the snapshot",
        BranchEntries,
        &|lists| {
            lists[0][0][20] ^= 1;
            lists[2].push([&[0xd1][..], &[0x80; 17]].concat());
        },
    );
    change("a short node of delta, and a string in intermediate", ShortNode, &|lists| {
        lists[0].push(vec![0xc3, 0x20, 0x81, 0x80]);
        lists[1].push(vec![0x80]);
    });
    change("a string in intermediate, and a short node of the snapshot", InvalidNode, &|lists| {
        lists[1].push(vec![0x80]);
        lists[2].push(vec![0xc3, 0x20, 0x81, 0x80]);
    });
    change("a short node that is no node", InvalidNode, &|lists| lists[2].push(vec![0x80]));
    change("a node more of delta, and no snapshot", NodeLeftOver, &|lists| {
        lists[0].extend_from_within(..1);
        lists[2].clear();
    });
    change("another intermediate, and no snapshot", RootMismatch, &|lists| {
        let at = lists[1][0].iter().position(|&byte| byte == 0xa0).expect("a hash") + 9;
        lists[1][0][at] ^= 1;
        lists[2].clear();
    });
    let mut proof = honest.proof.0.clone();
    proof[7 + 4 + 20] ^= 1;
    proof.push(0);
    let input = LmptProof { proof: Hex(proof), ..honest };
    lies.input("Order", "another delta, and a byte after the lists", &input, TrailingBytes);
    // A leaf of delta that settles no key, before what is missing of intermediate.
    let mut layers = lies.layers.clone();
    layers.delta.insert(keccak256(&[&key(3)]), vec![2]);
    let mut lists = layers.lists(&[key(3), key(7)]);
    lists[1].clear();
    let input = with(&layers, &[key(3), key(7)], &lists);
    lies.input("Order", "the tag 02 in delta, and no intermediate", &input, InvalidLayerValue);
}
