//! `chain/headers_inclusion.json`: several older headers by their places in a head's history.

use prooflight_core::Hash;
use prooflight_core::chain::{Blake2bTree, Header};
use prooflight_core::merkle::{multiproof, root};
use prooflight_json::{Hash32, HexBytes};

use super::header_chain::{HeaderChain, config};
use crate::chain::{HeadersInclusion, answer_of_all};
use crate::generate::builder::FileBuilder;

/// Adds the tests made by code.
pub(in super::super) fn make(file: &mut FileBuilder) {
    file.group("HeadersInclusion");
    sets(file);
}

/// The honest inclusion of the headers at some heights in a head's history.
fn honest(chain: &HeaderChain, of: &[usize], head: usize) -> HeadersInclusion {
    let encoded = |height: &usize| HexBytes(chain.headers[*height].encode());
    HeadersInclusion {
        head: encoded(&head),
        headers: of.iter().map(encoded).collect(),
        hashes: hashes(chain, of, head).into_iter().map(Hash32).collect(),
    }
}

fn headers(chain: &HeaderChain, of: &[usize]) -> Vec<Header> {
    of.iter().map(|&height| chain.headers[height].clone()).collect()
}

/// The roots of the subtrees without any of the headers; empty without headers.
pub(super) fn hashes(chain: &HeaderChain, of: &[usize], head: usize) -> Vec<Hash> {
    if of.is_empty() {
        return Vec::new();
    }
    let leaves = chain.leaves(head);
    let indices: Vec<_> = of.iter().map(|&height| height as u64).collect();
    let parts = multiproof(&indices, head as u64).expect("ascending heights below the head's");
    let place = |number| usize::try_from(number).expect("a short chain");
    let part = |start, size| &leaves[place(start)..place(start + size)];
    parts.iter().map(|it| root::<Blake2bTree>(part(it.start, it.size))).collect()
}

fn sets(file: &mut FileBuilder) {
    let chain = HeaderChain::new(config(1, 1), 131);
    for head in 0..=5 {
        for set in 0..1 << head {
            let of: Vec<_> = (0..head).filter(|height| set >> height & 1 == 1).collect();
            let comment = format!("the headers at heights {of:?} in the history of height {head}");
            let input = honest(&chain, &of, head);
            file.valid(&["Sets"], comment, &input, answer_of_all(&headers(&chain, &of)));
        }
    }
    let sets: [(&str, Vec<usize>); 6] = [
        ("the first and the last header", vec![0, 129]),
        ("every 16th header", (0..130).step_by(16).collect()),
        ("the headers at heights 60 to 70", (60..=70).collect()),
        ("the two headers around half of the tree", vec![127, 128]),
        ("the last header", vec![129]),
        ("all headers", (0..130).collect()),
    ];
    for (what, of) in sets {
        let comment = format!("{what} in the history of height 130");
        let input = honest(&chain, &of, 130);
        file.valid(&["Sets"], comment, &input, answer_of_all(&headers(&chain, &of)));
    }
}
