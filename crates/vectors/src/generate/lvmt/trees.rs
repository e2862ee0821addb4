//! Merkle trees of another form, other leaves in them, and openings that only hold added up.

use ark_bn254::{G1Affine, G1Projective};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use prooflight_core::merkle::{empty_root, node_hash};
use prooflight_core::{Hash, Reason};
use prooflight_lvmt::proof::Proof;
use sha3::{Digest, Sha3_256};

use super::input;
use super::lies::Question;
use super::nodes::at_one_index;
use super::sample::{name, sample};
use super::state::{Keccak, State, block_leaf, keccak};
use crate::generate::builder::Builder;

pub(super) fn add(file: &mut Builder) {
    roots(file);
    paths(file);
    claims(file);
    cancelling(file);
}

/// Three keys in the first of three blocks, so that no level of either tree is full.
fn three() -> State {
    let mut state = State::new(4, 4);
    state.commit(&[(&name(0), Some(b"a")), (&name(1), Some(b"b")), (&name(2), Some(b"c"))]);
    state.commit(&[(&name(3), Some(b"d"))]);
    state.commit(&[]);
    state
}

/// The key whose leaf is the last one of the first block.
fn last_key(state: &State) -> Vec<u8> {
    let last = |key: &Vec<u8>| state.keys[&keccak(key)].leaves[0].0.index == 2;
    (0..3).map(name).find(last).expect("one of the three")
}

fn node(left: &Hash, right: &Hash) -> Hash {
    node_hash::<Keccak>(left, right)
}

/// The root of three leaves by any hash of two nodes.
fn of_three(leaves: &[Hash], node: impl Fn(&Hash, &Hash) -> Hash) -> Hash {
    node(&node(&leaves[0], &leaves[1]), &leaves[2])
}

/// Honest proofs under roots of trees that are made in another way.
fn roots(file: &mut Builder) {
    let state = three();
    let key = last_key(&state);
    let leaves = &state.blocks[0];
    let blocks = state.block_leaves();
    assert_eq!(state.root().hroot, of_three(&blocks, node), "the definition");
    // The root over the blocks, of which the first has another root.
    let of_first = |root: Hash| of_three(&[block_leaf(0, &root), blocks[1], blocks[2]], node);
    let sha3 =
        |left: &Hash, right: &Hash| Hash::from(Sha3_256::digest([&[1], &left[..], right].concat()));
    let untagged = |left: &Hash, right: &Hash| keccak(&[&left[..], right].concat());
    let as_leaf = |left: &Hash, right: &Hash| keccak(&[&[0], &left[..], right].concat());
    let unordered = |left: &Hash, right: &Hash| node(left.min(right), left.max(right));
    let block = |tag: &[u8]| {
        let root = of_three(leaves, node);
        of_three(&[keccak(&[tag, &[0; 8], &root].concat()), blocks[1], blocks[2]], node)
    };
    for (comment, hroot) in [
        ("zeros", [0; 32]),
        ("the root of the tree without blocks", empty_root::<Keccak>()),
        ("the root of the first block", of_three(leaves, node)),
        ("the last leaf of the block doubled to fill its level", {
            of_first(node(&node(&leaves[0], &leaves[1]), &node(&leaves[2], &leaves[2])))
        }),
        ("the last block doubled to fill its level", {
            node(&node(&blocks[0], &blocks[1]), &node(&blocks[2], &blocks[2]))
        }),
        ("the block's tree leans to the right", {
            of_first(node(&leaves[0], &node(&leaves[1], &leaves[2])))
        }),
        ("the block's nodes hashed without a tag", of_first(of_three(leaves, untagged))),
        ("the block's nodes hashed as leaves are", of_first(of_three(leaves, as_leaf))),
        ("the block's nodes hashed in the order of their hashes", {
            of_first(of_three(leaves, unordered))
        }),
        ("the block's nodes hashed with SHA3-256", of_first(of_three(leaves, sha3))),
        ("the blocks' nodes hashed with SHA3-256", of_three(&blocks, sha3)),
        ("the blocks hashed without a tag", block(&[])),
        ("the blocks hashed as nodes are", block(&[1])),
    ] {
        let mut question = Question::new(&state, &[&key], &state.prove(&[&key]));
        assert_ne!(question.root.hroot, hroot, "{comment}");
        question.root.hroot = hroot;
        let comment = format!("hroot: {comment}");
        file.invalid(&["Tree"], comment, &input(&question), Reason::RootMismatch);
    }
}

/// Hashes that are not those beside the leaves.
fn paths(file: &mut Builder) {
    let state = three();
    let key = last_key(&state);
    let leaves = &state.blocks[0];
    let honest = state.prove(&[&key]);
    assert_eq!(honest.hashes[0], node(&leaves[0], &leaves[1]), "the only other part of the block");
    let mut change = |reason, comment: &str, by: &dyn Fn(&mut Proof)| {
        let mut proof = honest.clone();
        by(&mut proof);
        file.invalid(&["Tree"], comment, &input(&Question::new(&state, &[&key], &proof)), reason);
    };
    let mismatch = Reason::RootMismatch;
    change(mismatch, "the last leaf of the block again behind it, beside itself", &|proof| {
        place(proof).index = 3;
        proof.sizes[0] = 4;
        proof.hashes.insert(1, leaves[2]);
    });
    change(mismatch, "the hash beside the leaf is the leaf's own", &|proof| {
        proof.hashes[0] = leaves[2];
    });
    change(mismatch, "the leaf on the other side of its sibling", &|proof| {
        (place(proof).index, proof.sizes[0]) = (0, 2);
    });
    change(mismatch, "the last two hashes swapped", &|proof| proof.hashes.swap(1, 2));
    change(Reason::PathLength, "the first hash is missing", &|proof| {
        proof.hashes.remove(0);
    });
    change(Reason::PathLength, "the first hash twice", &|proof| {
        proof.hashes.insert(0, proof.hashes[0]);
    });
}

fn place(proof: &mut Proof) -> &mut prooflight_lvmt::proof::Place {
    let prooflight_lvmt::proof::Claim::Present { place, .. } = &mut proof.claims[0] else {
        panic!("present")
    };
    place
}

/// Claims of two keys, which come in the order of the keys' hashes.
fn claims(file: &mut Builder) {
    let mut state = three();
    // So that the versions of the two keys differ.
    state.commit(&[(&name(0), Some(b"again"))]);
    let keys: &[&[u8]] = &[&name(0), &name(1)];
    let mut change = |comment: &str, by: &dyn Fn(&mut Proof)| {
        let mut proof = state.prove(keys);
        by(&mut proof);
        file.refused(&["Walk"], comment, &input(&Question::new(&state, keys, &proof)));
    };
    change("the claims of two keys exchanged", &|proof| proof.claims.swap(0, 1));
    change("the claim of one key for both", &|proof| proof.claims[1] = proof.claims[0].clone());
    change("the entries of two keys exchanged", &|proof| proof.entries.swap(0, 1));
}

/// Two openings by one point each, at one index: their errors cancel where they are just added up.
fn cancelling(file: &mut Builder) {
    let state = sample(4, 2, 150);
    let [one, other] = at_one_index(&state);
    let keys: &[&[u8]] = &[&one, &other];
    let honest = state.prove(keys);
    let [.., first, second] = honest.points[..] else { panic!("a point for each") };
    assert_eq!(honest.points.len(), 2 * 2 + 2, "two points in the root, one below");

    let generator = G1Projective::generator();
    let last = honest.points.len() - 1;
    for (comment, points) in [
        ("the openings of two keys at one index swapped", [second, first]),
        (
            "one opening larger by a point, that of another key at the same index smaller by it",
            [plus(&first, generator), plus(&second, -generator)],
        ),
        ("the last of several openings is larger by a point", [first, plus(&second, generator)]),
    ] {
        let mut proof = honest.clone();
        [proof.points[last - 1], proof.points[last]] = points;
        let question = Question::new(&state, keys, &proof);
        file.invalid(&["Opening"], comment, &input(&question), Reason::OpeningMismatch);
    }
}

fn plus(point: &[u8; 32], more: G1Projective) -> [u8; 32] {
    let point = G1Affine::deserialize_compressed(&point[..]).expect("a point");
    let mut bytes = Vec::new();
    (more + point).into_affine().serialize_compressed(&mut bytes).expect("memory");
    bytes.try_into().expect("32 bytes")
}
