//! `chain/headers_inclusion.json`: several older headers by their places in a head's history.

use prooflight_core::chain::{Blake2bTree, Header};
use prooflight_core::merkle::{multiproof, node_hash, root};
use prooflight_core::{Hash, Reason};
use serde_json::{Value, json, to_value};

use super::made::{Chain, config, header, inclusion_of_all, leaf};
use crate::carrier::{Hash32, Hex};
use crate::chain::{HeadersInclusion, answer_of_all};
use crate::generate::builder::Builder;
use crate::generate::padded::{MOST, padded};

const FLAGS: &[(&str, &str)] = &[
    ("Encoding", "the bytes of the head or of a header are not those of one"),
    ("Input", "the input cannot be read as one of a HeadersInclusion"),
    ("Large", "heights that need all of 64 bits; the roots are made up so that the hashes fit"),
    ("Mutated", "an honest input with one bit changed; only the code is pinned"),
    ("NotAnAncestor", "the head's history does not have the headers at their heights"),
    ("Sets", "headers in the history of heads of many heights"),
];

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    file.group("HeadersInclusion");
    sets(&mut file);
    large(&mut file);
    other_headers(&mut file);
    other_hashes(&mut file);
    made_up(&mut file);
    mutated(&mut file);
    encodings(&mut file);
    inputs(&mut file);
    file.finish()
}

/// The headers at some heights in a head's history, as it should be.
fn honest(chain: &Chain, of: &[usize], head: usize) -> HeadersInclusion {
    inclusion_of_all(&chain.headers[head], &headers(chain, of), &hashes(chain, of, head))
}

fn headers(chain: &Chain, of: &[usize]) -> Vec<Header> {
    of.iter().map(|&height| chain.headers[height].clone()).collect()
}

/// The roots of the parts without any of the headers; none without headers.
pub(super) fn hashes(chain: &Chain, of: &[usize], head: usize) -> Vec<Hash> {
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

fn sets(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 131);
    for head in 0..=5 {
        for set in 0..1 << head {
            let of: Vec<_> = (0..head).filter(|height| set >> height & 1 == 1).collect();
            let comment = format!("the headers at heights {of:?} in the history of height {head}");
            accept(file, "Sets", comment, &honest(&chain, &of, head), &headers(&chain, &of));
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
        accept(file, "Sets", comment, &honest(&chain, &of, 130), &headers(&chain, &of));
    }
}

fn accept(
    file: &mut Builder,
    flag: &str,
    comment: String,
    input: &HeadersInclusion,
    headers: &[Header],
) {
    file.valid(&[flag], comment, input, answer_of_all(headers));
}

fn large(file: &mut Builder) {
    const FAR: u64 = 1 << 32;
    let sets: [(&[u64], u64); 6] = [
        (&[5, FAR - 1], FAR),
        (&[FAR - 1, FAR, FAR + 1], FAR + 2),
        (&[1, 1 << 53, (1 << 53) + 1], (1 << 53) + 2),
        (&[(1 << 63) - 1, 1 << 63], (1 << 63) + 1),
        (&[7, FAR, 1 << 63, u64::MAX - 1], u64::MAX),
        (&[u64::MAX - 2, u64::MAX - 1], u64::MAX),
    ];
    for (of, head) in sets {
        let config = config(1, 1);
        let headers: Vec<_> =
            of.iter().map(|&height| header(&config, height, [1; 32], [2; 32])).collect();
        let leaves: Vec<_> = headers.iter().map(|it| (it.height, leaf(&it.hash()))).collect();
        let parts = multiproof(of, head).expect("ascending heights below the head's");
        let hashes: Vec<_> = (3..).map(|byte| [byte; 32]).take(parts.len()).collect();
        let history = root_of_part(&leaves, 0, head, &mut hashes.iter().copied());
        let head_header = header(&config, head, [4; 32], history);
        let comment = format!("the headers at heights {of:?} in the history of height {head}");
        let input = inclusion_of_all(&head_header, &headers, &hashes);
        accept(file, "Large", format!("{comment}, made up"), &input, &headers);
        let moved = Header { height: head ^ 1 << 40, ..head_header };
        let input = inclusion_of_all(&moved, &headers, &hashes);
        let comment = format!("{comment}, which is 2^40 off");
        file.invalid(&["Large"], comment, &input, Reason::NotAnAncestor);
    }
}

/// By the definition: chain 9.
fn root_of_part(
    leaves: &[(u64, Hash)],
    start: u64,
    size: u64,
    hashes: &mut impl Iterator<Item = Hash>,
) -> Hash {
    match leaves {
        [] => hashes.next().expect("a hash for each part"),
        [(_, hash)] if size == 1 => *hash,
        _ => {
            // The largest power of two below the size.
            let left = 1 << (size - 1).ilog2();
            let (ours, others) = leaves.split_at(leaves.partition_point(|it| it.0 < start + left));
            let one = root_of_part(ours, start, left, hashes);
            let other = root_of_part(others, start + left, size - left, hashes);
            node_hash::<Blake2bTree>(&one, &other)
        }
    }
}

/// Headers that are not those which the hashes place.
fn other_headers(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 13);
    let head = &chain.headers[11];
    let of = |heights: &[usize]| headers(&chain, heights);
    let placed = hashes(&chain, &[4, 9], 11);
    let forged = Header { ops_root: [0x66; 32], ..chain.headers[9].clone() };
    let moved = |height: usize, by: u64| {
        let header = chain.headers[height].clone();
        Header { height: header.height + by, ..header }
    };
    let cases: [(&str, Vec<Header>); 15] = [
        ("the second is another header of that height", vec![chain.headers[4].clone(), forged]),
        ("the headers in descending order", of(&[9, 4])),
        ("a header twice", of(&[4, 4, 9])),
        ("the last header twice", of(&[4, 9, 9])),
        ("only the first of the two", of(&[4])),
        ("only the second of the two", of(&[9])),
        ("none of the two", of(&[])),
        ("the header after the second", of(&[4, 10])),
        ("the header before the first", of(&[3, 9])),
        ("one header more", of(&[4, 5, 9])),
        ("the head too", of(&[4, 9, 11])),
        ("the header above the head too", of(&[4, 9, 12])),
        ("the second with a height 2^32 larger", vec![moved(4, 0), moved(9, 1 << 32)]),
        ("the second with a height 1 larger", vec![moved(4, 0), moved(9, 1)]),
        ("the header before the first, with its height", vec![moved(3, 1), moved(9, 0)]),
    ];
    for (comment, headers) in cases {
        let input = inclusion_of_all(head, &headers, &placed);
        let comment = format!("the hashes of heights 4 and 9: {comment}");
        file.invalid(&["NotAnAncestor"], comment, &input, Reason::NotAnAncestor);
    }
    for (comment, of, at) in [
        ("the head itself, without hashes", vec![11], 11),
        ("the header above the head, without hashes", vec![12], 11),
        ("the genesis header in its own history", vec![0], 0),
        ("a later header in the history of the genesis header", vec![1], 0),
    ] {
        let input = inclusion_of_all(&chain.headers[at], &headers(&chain, &of), &[]);
        file.invalid(&["NotAnAncestor"], comment, &input, Reason::NotAnAncestor);
    }
}

/// Hashes that do not place the headers.
fn other_hashes(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 13);
    let of = headers(&chain, &[4, 9]);
    let honest = hashes(&chain, &[4, 9], 11);
    let without = |at: usize| [&honest[..at], &honest[at + 1..]].concat();
    let swapped = |one, other| {
        let mut hashes = honest.clone();
        hashes.swap(one, other);
        hashes
    };
    let last = honest.len() - 1;
    let cases: [(&str, Vec<Hash>); 12] = [
        ("no hashes", vec![]),
        ("without the first hash", without(0)),
        ("without the last hash", without(last)),
        ("a hash more", [&honest[..], &[[0; 32]]].concat()),
        ("the last hash twice", [&honest[..], &honest[last..]].concat()),
        ("the first two swapped", swapped(0, 1)),
        ("the last two swapped", swapped(last - 1, last)),
        ("in descending order", honest.iter().rev().copied().collect()),
        ("of the history of the head before", hashes(&chain, &[4, 9], 10)),
        ("of the history of the head after", hashes(&chain, &[4, 9], 12)),
        ("of the first header alone", chain.path(4, 11)),
        ("the paths of both", [chain.path(4, 11), chain.path(9, 11)].concat()),
    ];
    for (comment, hashes) in cases {
        let input = inclusion_of_all(&chain.headers[11], &of, &hashes);
        file.invalid(&["NotAnAncestor"], comment, &input, Reason::NotAnAncestor);
    }
    let head = &chain.headers[11];
    for (comment, hashes) in [
        ("no headers, but a hash", vec![[0; 32]]),
        ("no headers, but the history's root", vec![head.history_root]),
    ] {
        let input = inclusion_of_all(head, &[], &hashes);
        file.invalid(&["NotAnAncestor"], comment, &input, Reason::NotAnAncestor);
    }
    let [first, second] = [&chain.headers[4], &chain.headers[5]].map(|it| leaf(&it.hash()));
    let node = node_hash::<Blake2bTree>(&first, &second);
    let path = chain.path(4, 11);
    let comment = "a header placed by the node above it and its neighbour";
    let input = inclusion_of_all(head, &of[..1], &[&[node], &path[1..]].concat());
    file.invalid(&["NotAnAncestor"], comment, &input, Reason::NotAnAncestor);
}

/// A head of height 3 whose history says that its last header has the head's own height.
fn made_up(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 4);
    let leaves = chain.leaves(3);
    let misplaced = Header { height: 3, ..chain.headers[2].clone() };
    let first_two = node_hash::<Blake2bTree>(&leaves[0], &leaves[1]);
    let history_root = node_hash::<Blake2bTree>(&first_two, &leaf(&misplaced.hash()));
    let head = Header { history_root, ..chain.headers[3].clone() };
    for (comment, headers, hashes) in [
        ("alone", vec![misplaced.clone()], vec![first_two]),
        ("behind another", vec![chain.headers[0].clone(), misplaced], vec![leaves[1]]),
    ] {
        let input = inclusion_of_all(&head, &headers, &hashes);
        let comment = format!("a header of the head's height at the end of its history, {comment}");
        file.invalid(&["NotAnAncestor"], comment, &input, Reason::NotAnAncestor);
    }
}

/// A bit of every byte of the second header changed, and of every hash.
fn mutated(file: &mut Builder) {
    let honest = honest(&Chain::new(config(1, 1), 8), &[1, 3], 7);
    for at in 0..honest.headers[1].0.len() {
        let mut input = honest.clone();
        let bit = at * 5 % 8;
        input.headers[1].0[at] ^= 1 << bit;
        let comment = format!("bit {bit} of byte {at} of the second header flipped");
        file.refused(&["Mutated"], comment, &input);
    }
    for at in 0..honest.hashes.len() {
        let mut input = honest.clone();
        input.hashes[at].0[31] ^= 1;
        file.refused(&["Mutated"], format!("a bit of hash {at} flipped"), &input);
    }
}

fn encodings(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 8);
    let honest = honest(&chain, &[1, 3], 7);
    // The first is decoded before the second, and both before anything is compared.
    let wrong_order = inclusion_of_all(&chain.headers[7], &headers(&chain, &[3, 1]), &[]);
    for (what, base, place) in [
        ("head", &honest, 0),
        ("first header", &honest, 1),
        ("second header", &honest, 2),
        ("second header, in descending order,", &wrong_order, 2),
    ] {
        let mut refuse = |comment: &str, change: &dyn Fn(&mut Vec<u8>), reason| {
            let mut input = base.clone();
            change(match place {
                0 => &mut input.head.0,
                place => &mut input.headers[place - 1].0,
            });
            file.invalid(&["Encoding"], format!("the {what} {comment}"), &input, reason);
        };
        refuse("is empty", &Vec::clear, Reason::InvalidEncoding);
        refuse("without its last byte", &|it| it.truncate(it.len() - 1), Reason::InvalidEncoding);
        refuse("with a byte after it", &|it| it.push(0), Reason::TrailingBytes);
        let lengthen = |it: &mut Vec<u8>| *it = padded(&Hex(it.clone()), MOST + 1).0;
        refuse("with zeros, over 8 MiB together", &lengthen, Reason::ProofTooLarge);
        refuse("of version 2", &|it| it[0] = 2, Reason::InvalidHeader);
        refuse("of a scheme that does not exist", &|it| it[149] = 7, Reason::UnknownScheme);
    }
    let mut both = honest.clone();
    both.headers[0].0[0] = 2;
    both.headers[1].0.push(0);
    let comment = "the first header of version 2, the second with a byte after it";
    file.invalid(&["Encoding"], comment, &both, Reason::InvalidHeader);
    both.head.0.clear();
    file.invalid(&["Encoding"], format!("{comment}, no head"), &both, Reason::InvalidEncoding);
}

fn inputs(file: &mut Builder) {
    let honest = to_value(honest(&Chain::new(config(1, 1), 5), &[0, 2], 4)).expect("plain data");
    let mut refuse = |comment: &str, change: &dyn Fn(&mut Value)| {
        let mut input = honest.clone();
        change(&mut input);
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    };
    for member in ["head", "headers", "hashes"] {
        refuse(&format!("{member} is missing"), &|input| {
            input.as_object_mut().expect("an object").shift_remove(member);
        });
        refuse(&format!("{member} is null"), &|input| input[member] = Value::Null);
        refuse(&format!("{member} is a number"), &|input| input[member] = json!(0));
        refuse(&format!("{member} is an object"), &|input| input[member] = json!({}));
    }
    refuse("head is an array", &|input| input["head"] = json!([]));
    refuse("headers is a header", &|input| input["headers"] = input["headers"][0].clone());
    refuse("a header is null", &|input| input["headers"][1] = Value::Null);
    refuse("a header has no 0x", &|input| input["headers"][0] = json!("00"));
    refuse("a hash of 31 bytes", &|input| input["hashes"][0] = json!(Hex(vec![0; 31])));
    refuse("a hash of 33 bytes", &|input| input["hashes"][0] = json!(Hex(vec![0; 33])));
    refuse("a hash is null", &|input| input["hashes"][0] = Value::Null);
    refuse("a path, which would be for a HeaderInclusion", &|input| {
        input["inclusion"] = json!([Hash32([0; 32])]);
    });
}
