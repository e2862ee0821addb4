//! The example of the specification: the tree makes its roots and its proofs, byte for byte.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_amb::prover::{PageSize, Tree};
use prooflight_amb::{Count, Get, Hist, Range};
use prooflight_core::Hash;
use prooflight_core::store::Change;

const V3: &str = "8b068ac872713a6fffc282d3acf268154a8b84622af4793b7f8d365426c4ddab";
const V4: &str = "3d4003d5feb6bb9648acc247db7ba00ac26beb5d855874230fe21bfa56ff6ff9";
const P61: &str = "06015a88bf6c04bd7e086b2fbc12490bb0fd85bd989079f23b2857d875a72663";
const E61: &str = "211f25dfaf1922e9a0b663e26734c9b41f6988c053837f2811bbafc2229d60b3";
const E62: &str = "917c0158b9026a46b0d257f1b7178350a72d3659c445e99a0117d0108a89ec4e";
const E63: &str = "4c7de75ce0b58a11909c3a84dcdbf02af5376087b37750aed21c6f78f0de6192";
const N9: &str = "6afe4344332a682264ec57b5f7191745b53cc60f4628417af7df948ab642e5a9";

fn root(root: Hash) -> String {
    hex::encode(root)
}

fn assert_proof(proof: &[u8], expected: &str) {
    assert_eq!(hex::encode(proof), expected.replace(' ', ""));
}

#[test]
fn roots_and_proofs() {
    let mut tree = Tree::new();
    let empty = "558abeacecdd613e730fb0ef06dcdaf36258bdc51ba0c2bc370327f81a7816f2";
    assert_eq!(root(tree.root()), empty);
    let blocks: [(&[Change<'_>], &str); 3] = [
        (
            &[Change::set(b"a", &[1])],
            "1c22e00f6ca7ae7b3e76a291651230957d73fe746e2e301a6ddfed2221574a01",
        ),
        (
            &[Change::set(b"b", &[2])],
            "2928a411cdf70f973ea11ba75bca569d731e4f4358f04d45fdc1f9625d0ca5d3",
        ),
        (
            &[Change::set(b"a", &[3]), Change::set(b"bc", &[4])],
            "b5dec939241abb04e4c3c9aeda4a3fa8102a97e14af16cfade596aa6b0b48afe",
        ),
    ];
    for (block, (changes, expected)) in (0..).zip(blocks) {
        assert_eq!(root(tree.update(block, changes).unwrap()), expected);
    }
    assert_proof(
        &tree.prove(&Get { keys: &[b"a"], at: 1 }).unwrap(),
        &format!("010601 0960 010102 0001{V3} 01 02010101 020000{N9}"),
    );
    assert_proof(
        &tree.prove_history(&Hist { keys: &[b"a"], from: 0, to: 1 }).unwrap(),
        &format!("010602 0960 010102 0001{V3} 0001 02010101 020000{N9}"),
    );
    let two = PageSize { entries: 2, ..PageSize::default() };
    assert_proof(
        &tree.prove_range(&Range { lo: b"", hi: None, at: 2, reverse: false }, two).unwrap(),
        &format!("010603 01026200 0960 01016102 00010103{P61} 0362 010001 01010102 010000{E63}"),
    );
    assert_proof(
        &tree.prove_count(&Count { lo: b"b", hi: Some(b"c") }).unwrap(),
        &format!("010604 0960 010000{E61} 0362 010001{E62} 010000{E63}"),
    );
    assert_proof(
        &tree.prove_update(&[b"a", b"bd"]).unwrap(),
        &format!("010606 0960 010102 0001{V3}{P61} 0362 010001{E62} 010001630100 01{V4}"),
    );
    let next = tree.update(3, &[Change::delete(b"a"), Change::set(b"bd", &[5])]).unwrap();
    let expected = "f59275bb26687db74815a94c23ad24570fce24d1c957fa28e804a9942e03de32";
    assert_eq!(root(next), expected);
}
