//! Leaves and nodes that no chain has, under roots that commit to them.

use prooflight_core::{Reason, keccak256};
use prooflight_json::HexBytes;
use prooflight_testkit::lmpt::layers::{StateLayers, TOMBSTONE, encode, leaf};
use prooflight_testkit::lmpt::trie::LeafMap;
use prooflight_testkit::mpt::rlp::Rlp;

use super::LmptLies;
use crate::generate::lmpt::{ask, key, neighbours, with};

/// Leaves that no layer of a chain has, under roots that commit to them.
pub(super) fn leaves(lies: &mut LmptLies<'_, '_>) {
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
            lies.input("Values", &comment, &ask(&layers, &asked), Reason::InvalidLayerValue);
        }
        let comment = format!("a leaf of {name} without a value");
        lies.input("Values", &comment, &ask(&forged(at, &[]), &asked), Reason::EmptyValue);
        let comment =
            format!("a value of 65,537 bytes in {name}, one more than allowed by default");
        let layers = forged(at, &leaf(&vec![0; 65_537]));
        lies.input("Values", &comment, &ask(&layers, &asked), Reason::ValueTooLarge);
    }
    let layers = forged(2, TOMBSTONE);
    lies.input(
        "Values",
        "a tombstone in the snapshot",
        &ask(&layers, &asked),
        Reason::TombstoneInSnapshot,
    );
    let several = [key(1), key(3), key(7), key(20)];
    let comment = "a tombstone in the snapshot, and values of other keys";
    lies.input("Values", comment, &ask(&layers, &several), Reason::TombstoneInSnapshot);
    let one = LeafMap::from([(hash, TOMBSTONE.to_vec())]);
    let layers = StateLayers { snapshot: one, ..StateLayers::default() };
    let comment = "a tombstone as the only leaf of the snapshot";
    lies.input("Values", comment, &ask(&layers, &asked), Reason::TombstoneInSnapshot);
    // Only a key that is asked for is settled by its leaf.
    let pair = neighbours();
    let trie = |leaf: &[u8]| -> LeafMap {
        pair.iter().map(|key| (keccak256(&[key]), leaf.to_vec())).collect()
    };
    let layers = StateLayers { snapshot: trie(TOMBSTONE), ..StateLayers::default() };
    let comment = "a tombstone inside a branch of the snapshot";
    lies.input("Values", comment, &ask(&layers, &pair[..1]), Reason::TombstoneInSnapshot);
    let layers = StateLayers { delta: trie(&[2]), ..StateLayers::default() };
    let comment = "the tag 02 inside a branch of delta";
    lies.input("Values", comment, &ask(&layers, &pair[1..]), Reason::InvalidLayerValue);
}

/// Nodes that no trie has, and those that no trie has at their place.
pub(super) fn forged_nodes(lies: &mut LmptLies<'_, '_>) {
    let keys = [key(3)];
    let string = |bytes: &[u8]| Rlp::String(bytes.to_vec());
    let under = |bytes: Vec<u8>| {
        let hash = keccak256(&[&bytes]);
        let mut root = lies.layers.roots();
        root.delta = hash;
        let mut input = with(lies.layers, &keys, &[vec![bytes], vec![], vec![]]);
        input.root = HexBytes(root.encode().to_vec());
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
        ("a node that is a string", string(&[7; 40]), Reason::InvalidNode),
        ("a node of three items", Rlp::List(vec![other.clone(); 3]), Reason::InvalidNode),
        (
            "a path with the flag 4",
            Rlp::List(vec![string(&[0x40; 33]), string(&[1])]),
            Reason::InvalidPath,
        ),
        (
            "an extension without a path",
            Rlp::List(vec![string(&[0]), other.clone()]),
            Reason::InvalidPath,
        ),
        ("a branch with one child", branch(nibbles[0], other.clone(), &[]), Reason::BranchEntries),
        ("a child of 31 bytes", branch(0, string(&[7; 31]), &[1]), Reason::InvalidChild),
        (
            "a leaf whose value is a list",
            Rlp::List(vec![string(&full_path), Rlp::List(vec![])]),
            Reason::InvalidNode,
        ),
        (
            "an extension to a leaf inside it",
            Rlp::List(vec![
                string(&extension_path),
                Rlp::List(vec![string(&[0x20]), string(&[1])]),
            ]),
            Reason::ExtensionChild,
        ),
    ];
    let mut trailing = Rlp::List(vec![string(&full_path), string(&[1])]).encode();
    trailing.push(0);
    for (comment, node, reason) in cases.drain(..) {
        let input = under(node.encode());
        lies.input("Forged", comment, &input, reason);
    }
    lies.input("Forged", "a byte after a node", &under(trailing), Reason::TrailingBytes);
    let long = [&[0xf8, 35][..], &Rlp::List(vec![string(&full_path), string(&[1])]).encode()[1..]]
        .concat();
    lies.input("Forged", "a length in a longer form", &under(long), Reason::InvalidEncoding);

    // The root is an extension, its child a leaf outside of it: found only on the walk.
    let below = Rlp::List(vec![string(&[&[0x30 | nibbles[1]], &hash[1..]].concat()), string(&[1])]);
    let below = below.encode();
    let first = Rlp::List(vec![string(&extension_path), string(&keccak256(&[&below]))]).encode();
    let mut input = under(first.clone());
    input.proof = HexBytes(encode(&[vec![first, below], vec![], vec![]]));
    lies.input("Forged", "an extension to a leaf outside of it", &input, Reason::ExtensionChild);

    // A node that is inside its parent, given again.
    let pair = neighbours();
    let inside = pair.iter().map(|key| (keccak256(&[key]), vec![1])).collect();
    let layers = StateLayers { snapshot: inside, ..StateLayers::default() };
    let mut lists = layers.nodes(&pair[..1]);
    let rest = &keccak256(&[&pair[0]])[4..];
    let leaf =
        Rlp::List(vec![string(&[&[0x30 | rest[0] & 15], &rest[1..]].concat()), string(&[1])]);
    lists[2].push(leaf.encode());
    let comment = "a leaf inside its branch, and again after it";
    lies.input("Inline", comment, &with(&layers, &pair[..1], &lists), Reason::ShortNode);
}
