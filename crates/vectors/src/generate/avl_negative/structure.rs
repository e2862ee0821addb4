//! Nodes that do not form the tree that they should.

use prooflight_core::{Reason, blake2b256};

use crate::avl::{Batch, Op};
use crate::carrier::Hex;
use crate::generate::anatomy::{Node, Proof, assemble, directions};
use crate::generate::builder::Builder;
use crate::generate::dictionary::{Dictionary, insert, lookup, remove, remove_if_exists};
use crate::generate::forge::{
    LEFT, RIGHT, compat, eight_keys, hostile_batch, mixed_batch, taken_apart, whole_tree,
    with_digest, with_ops, with_proof,
};

pub(super) fn add(file: &mut Builder) {
    not_one_tree(file);
    mutated_nodes(file);
    not_expanded(file);
    not_visited(file);
    forged_leaves(file);
    type_confusion(file);
}

fn not_one_tree(file: &mut Builder) {
    let batch = Dictionary::of_bytes([0x20, 0x40]).prove(&[lookup([0x40])]).0;
    let proof = taken_apart(&batch);
    let tokens = proof.tokens();
    let label = tokens[0].clone();
    let cases: [(&str, Vec<u8>, Reason); 8] = [
        ("an empty proof", vec![], Reason::Truncated),
        ("only an end mark: no root", vec![4], Reason::NotOneRoot),
        ("an internal node without children", vec![0, 4, 0], Reason::MissingChild),
        (
            "an internal node with one child",
            [&label[..], &[0, 4, 0]].concat(),
            Reason::MissingChild,
        ),
        ("two roots", [&label[..], &label, &[4, 0]].concat(), Reason::NotOneRoot),
        (
            "a second root after the right one",
            assemble(&[tokens.clone(), vec![label.clone()]].concat(), &proof.directions),
            Reason::NotOneRoot,
        ),
        (
            "a second root before the right one",
            assemble(&[vec![label], tokens.clone()].concat(), &proof.directions),
            Reason::NotOneRoot,
        ),
        ("no end mark", tokens.concat(), Reason::Truncated),
    ];
    for (comment, bytes, reason) in cases {
        let forged = with_proof(&batch, bytes);
        file.invalid(&["Structure"], comment, &forged, reason);
        let comment = format!("{comment}, compat");
        file.invalid(&["Structure", "Compat"], comment, &compat(&forged), reason);
    }
}

/// Each node dropped, duplicated, and swapped with the next one.
fn mutated_nodes(file: &mut Builder) {
    let batch = mixed_batch();
    let proof = taken_apart(&batch);
    let tokens = proof.tokens();
    let mut refuse = |comment: String, tokens: &[Vec<u8>]| {
        let forged = with_proof(&batch, assemble(tokens, &proof.directions));
        file.refused(&["Mutated"], comment, &forged);
    };
    for at in 0..tokens.len() {
        let (before, rest) = tokens.split_at(at);
        refuse(format!("node {at} dropped"), &[before, &rest[1..]].concat());
        refuse(format!("node {at} twice"), &[before, &rest[..1], rest].concat());
        if rest.len() > 1 && rest[0] != rest[1] {
            let swapped = [before, &[rest[1].clone(), rest[0].clone()], &rest[2..]].concat();
            refuse(format!("nodes {at} and {} swapped", at + 1), &swapped);
        }
    }
    let leaf = tokens.iter().rposition(|token| token[0] == 2).expect("a leaf");
    let mut with_key = tokens.clone();
    with_key[leaf].insert(1, 0x50);
    refuse("a leaf repeats the key that the leaf before it gives".to_owned(), &with_key);

    // Both children of the root exchanged, and the direction with them.
    let tree =
        Node::internal(0, Node::leaf(&[0], &[], &[0x20]), Node::leaf(&[0x20], &[0x20], &[0xff]));
    let Node::Internal { left, right, .. } = tree.clone() else { panic!("it is internal") };
    let swapped = Proof {
        root: Node::Internal { balance: 0, left: right.collapsed().into(), right: left },
        directions: directions(&[RIGHT]),
        value_length: None,
    };
    let batch = hostile_batch(&swapped, 1, 1, &[lookup([0x10])]);
    let batch = with_digest(&batch, tree.digest(1));
    let comment =
        "the children of a node exchanged: a verifier that hashes them without order accepts";
    file.invalid(&["TypeConfusion"], comment, &batch, Reason::RootMismatch);
}

fn not_expanded(file: &mut Builder) {
    let dictionary = eight_keys();
    let cases = [
        ("Lookup", dictionary.prove(&[lookup([0x50])]).0),
        ("Insert", dictionary.prove(&[insert([0x55], [])]).0),
        ("Remove, case 3", dictionary.prove(&[remove([0x40])]).0),
        ("Remove with a rotation", {
            let mut lopsided = eight_keys();
            lopsided.apply(&[insert([0x84], []), insert([0x88], []), remove([0x20])]);
            lopsided.prove(&[remove([0x10])]).0
        }),
    ];
    for (name, batch) in cases {
        let proof = taken_apart(&batch);
        for (index, way) in proof.root.expanded().iter().enumerate() {
            let mut forged = proof.clone();
            let node = forged.root.at_mut(way);
            *node = node.collapsed();
            let forged = with_proof(&batch, forged.bytes());
            let comment = format!("{name}: expanded node {index} from the root is only a label");
            file.invalid(&["NotExpanded"], &comment[..], &forged, Reason::NodeNotExpanded);
            let comment = format!("{comment}, compat");
            let flags = ["NotExpanded", "Compat"];
            file.invalid(&flags, comment, &compat(&forged), Reason::NodeNotExpanded);
        }
    }
    let lookup_proof = dictionary.prove(&[lookup([0x40])]).0;
    let forged = with_ops(&lookup_proof, &[remove([0x40])]);
    let comment = "the proof of a Lookup for a Remove that needs more nodes";
    file.invalid(&["NotExpanded"], comment, &forged, Reason::NodeNotExpanded);
    let comment = format!("{comment}, compat");
    file.invalid(&["NotExpanded", "Compat"], comment, &compat(&forged), Reason::NodeNotExpanded);
}

fn not_visited(file: &mut Builder) {
    let dictionary = eight_keys();
    let tree = whole_tree(&dictionary);
    let height = dictionary.digest().0[32];
    let forge = |ways: &[&[u8]], ops: &[Op]| {
        let ways = ways.iter().map(|key| tree.way_to(key)).collect::<Vec<_>>();
        let proof = Proof {
            root: tree.pruned(&ways),
            directions: directions(&ways[0]),
            value_length: None,
        };
        hostile_batch(&proof, 1, height, ops)
    };
    let keys = dictionary.keys();
    let neighbours = keys.windows(2).find(|pair| {
        let (a, b) = (tree.way_to(&pair[0]), tree.way_to(&pair[1]));
        a.len() == b.len() && a[..a.len() - 1] == b[..b.len() - 1]
    });
    let neighbours = neighbours.expect("two leaves have one parent");
    let (a, b) = (&neighbours[0][..], &neighbours[1][..]);
    let leaf = forge(&[a, b], &[lookup(a)]);
    let comment = "the leaf beside the one that is looked up is expanded too";
    file.invalid(&["NotVisited"], comment, &leaf, Reason::NodeNotVisited);
    let leaf = forge(&[b, a], &[lookup(b)]);
    let comment = "the leaf before the one that is looked up is expanded too";
    file.invalid(&["NotVisited"], comment, &leaf, Reason::NodeNotVisited);

    let mut all = keys.iter().map(|key| &key[..]).collect::<Vec<_>>();
    all.insert(0, &[0x05]);
    let whole = forge(&all, &[remove_if_exists([0x05])]);
    let comment = "the whole tree is expanded for a RemoveIfExists of an absent key";
    file.invalid(&["NotVisited"], comment, &whole, Reason::NodeNotVisited);

    let absent_path = forge(&[&[0x05], &[0x80]], &[remove_if_exists([0x05])]);
    let comment = "a second path is expanded";
    file.invalid(&["NotVisited"], comment, &absent_path, Reason::NodeNotVisited);

    let removal = dictionary.prove(&[remove([0x40])]).0;
    let comment = "the proof of a Remove for a Lookup that needs fewer nodes";
    let more = with_ops(&removal, &[lookup([0x40]), remove_if_exists([0x45])]);
    let more = with_proof(&more, {
        let proof = taken_apart(&removal);
        let ways = [tree.way_to(&[0x40]), tree.way_to(&[0x45])].concat();
        assemble(&proof.tokens(), &directions(&ways))
    });
    file.invalid(&["NotVisited"], comment, &more, Reason::NodeNotVisited);

    let empty = Dictionary::new(1, None);
    let leaf =
        Proof { root: Node::leaf(&[0], &[], &[0xff]), directions: vec![], value_length: None };
    let batch = hostile_batch(&leaf, 1, 0, &[]);
    assert_eq!(batch.digest, empty.digest(), "this is the empty dictionary");
    let comment = "the only leaf is expanded for a batch without operations";
    file.invalid(&["NotVisited"], comment, &batch, Reason::NodeNotVisited);

    let whole = forge(&all, &[lookup([0x05])]);
    let comment = "the whole tree is expanded for one Lookup";
    file.invalid(&["TooManyNodes"], comment, &whole, Reason::TooManyNodes);
    let low = Hex(tree.digest(0));
    let low = Batch { digest: low, ..forge(&[&[0x05]], &[lookup([0x05])]) };
    let comment = "an honest path, but the digest says that the tree has height 0, compat: nothing but the bound of nodes stands against it";
    file.invalid(&["TooManyNodes", "Compat"], comment, &compat(&low), Reason::TooManyNodes);
}

fn forged_leaves(file: &mut Builder) {
    let mut dictionary = eight_keys();
    dictionary.apply(&[insert([0x48], *b"value")]);
    let batch = dictionary.prove(&[lookup([0x48])]).0;
    let proof = taken_apart(&batch);
    let way = proof.way(0);
    let next = [0x50];
    let cases: [(&str, Node); 8] = [
        ("another value", Node::leaf(&[0x48], b"Value", &next)),
        ("an empty value", Node::leaf(&[0x48], b"", &next)),
        ("a longer value", Node::leaf(&[0x48], b"value\0", &next)),
        ("another next key", Node::leaf(&[0x48], b"value", &[0x51])),
        ("the value ends one byte early: its last byte becomes the next key", {
            Node::leaf(&[0x48], b"valu", b"e")
        }),
        ("the value takes the next key: a byte is added for the next key", {
            Node::leaf(&[0x48], b"valueP", &[0x50])
        }),
        ("the value of another leaf", Node::leaf(&[0x48], &[0x50], &next)),
        ("the value twice", Node::leaf(&[0x48], b"valuevalue", &next)),
    ];
    for (comment, leaf) in cases {
        let mut forged = proof.clone();
        *forged.root.at_mut(&way) = leaf;
        let forged = with_proof(&batch, forged.bytes());
        let comment = format!("a leaf with {comment}");
        file.invalid(&["Forged"], &comment[..], &forged, Reason::RootMismatch);
        let comment = format!("{comment}, compat");
        file.invalid(&["Forged", "Compat"], comment, &compat(&forged), Reason::RootMismatch);
    }
    let mut forged = proof.clone();
    *forged.root.at_mut(&way) = Node::leaf(&[0x47], b"value", &next);
    let forged = with_ops(&with_proof(&batch, forged.bytes()), &[lookup([0x47])]);
    file.invalid(&["Forged"], "a leaf with another key", &forged, Reason::RootMismatch);
}

fn type_confusion(file: &mut Builder) {
    // An internal node hashes 01, its balance and two labels: 65 bytes after the tag, as many as a
    // leaf with a key of 32 bytes and a value of 1.
    let mut dictionary = Dictionary::new(32, None);
    for n in [0x20, 0x40, 0x60] {
        dictionary.apply(&[insert([n; 32], [n])]);
    }
    let batch = dictionary.prove(&[lookup([0x40; 32])]).0;
    let proof = taken_apart(&batch);
    let way = proof.way(0);
    let Node::Internal { balance, left, right } = proof.root.at(&way[..1]) else {
        panic!("the tree has two levels")
    };
    let preimage = [&[*balance][..], &left.label(), &right.label()].concat();
    let (key, rest) = preimage.split_at(32);
    let mut forged = proof.clone();
    *forged.root.at_mut(&way[..1]) = Node::leaf(key, &rest[..1], &rest[1..]);
    forged.directions = directions(&way[..1]);
    let forged = with_ops(&with_proof(&batch, forged.bytes()), &[lookup(key)]);
    let comment = "an internal node as a leaf that holds a key nobody inserted: a leaf as high as this cannot be";
    file.invalid(&["TypeConfusion"], comment, &forged, Reason::HeightMismatch);
    let comment = "an internal node as a leaf that holds a key nobody inserted, compat: a verifier that forgets the tags 00 and 01 finds the root";
    file.invalid(&["TypeConfusion", "Compat"], comment, &compat(&forged), Reason::RootMismatch);

    // The other way round: a leaf whose key begins with a balance, as an internal node.
    let mut dictionary = Dictionary::new(32, None);
    let key = [&[0][..], &[0x33; 31]].concat();
    dictionary.apply(&[insert(&key[..], [0x44])]);
    let batch = dictionary.prove(&[lookup(&key[..])]).0;
    let proof = taken_apart(&batch);
    let label = |bytes: &[u8]| Node::Label(bytes.try_into().expect("32 bytes"));
    let preimage = [&key[..], &[0x44], &[0xff; 32]].concat();
    let mut forged = proof.clone();
    *forged.root.at_mut(&[RIGHT]) =
        Node::internal(0, label(&preimage[1..33]), label(&preimage[33..]));
    let forged = with_digest(&with_proof(&batch, forged.bytes()), {
        let mut digest = batch.digest.0.clone();
        digest[32] = 2;
        digest
    });
    let forged = with_ops(&forged, &[lookup([0x02; 32])]);
    let comment =
        "a leaf as an internal node: a verifier that forgets the tags 00 and 01 finds the root";
    file.invalid(&["TypeConfusion"], comment, &forged, Reason::RootMismatch);

    // Digests of dictionaries that hash in another way; the proof is right for all of them.
    let leaf = |hash: &dyn Fn(&[&[u8]]) -> [u8; 32], tag: &[u8]| hash(&[tag, &[0], &[], &[0x20]]);
    let last =
        |hash: &dyn Fn(&[&[u8]]) -> [u8; 32], tag: &[u8]| hash(&[tag, &[0x20], &[0x20], &[0xff]]);
    let root = |hash: &dyn Fn(&[&[u8]]) -> [u8; 32], leaf_tag: &[u8], tag: &[u8]| {
        hash(&[tag, &leaf(hash, leaf_tag), &last(hash, leaf_tag)])
    };
    let batch = Dictionary::of_bytes([0x20]).prove(&[lookup([0x20])]).0;
    let blake2b512 = |parts: &[&[u8]]| -> [u8; 32] {
        use blake2::Digest as _;
        let hash = blake2::Blake2b512::digest(parts.concat());
        hash[..32].try_into().expect("32 bytes")
    };
    assert_eq!(batch.digest.0[..32], root(&blake2b256, &[0], &[1, 0]), "the right one");
    let cases = [
        ("BLAKE2b-512 cut to 32 bytes", root(&blake2b512, &[0], &[1, 0])),
        ("no tags", root(&blake2b256, &[], &[0])),
        ("no balance", root(&blake2b256, &[0], &[1])),
        ("the tags exchanged", root(&blake2b256, &[1], &[0, 0])),
    ];
    // Labels of the proof follow the hash, too.
    let leaf_of = |name: &str| match name {
        "BLAKE2b-512 cut to 32 bytes" => leaf(&blake2b512, &[0]),
        "no tags" => leaf(&blake2b256, &[]),
        "the tags exchanged" => leaf(&blake2b256, &[1]),
        _ => leaf(&blake2b256, &[0]),
    };
    for (name, root) in cases {
        let mut forged = taken_apart(&batch);
        *forged.root.at_mut(&[LEFT]) = Node::Label(leaf_of(name));
        let forged = with_proof(&batch, forged.bytes());
        let forged = with_digest(&forged, [&root[..], &[1]].concat());
        let comment = format!("a dictionary hashed with {name}");
        file.invalid(&["TypeConfusion"], comment, &forged, Reason::RootMismatch);
    }
}
