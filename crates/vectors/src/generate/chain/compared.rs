//! `chain/header_compared.json`: headers beside the block that was asked for, and beside other headers.

use prooflight_core::chain::{Header, SignedHeader};
use prooflight_core::{Hash, Reason};
use serde_json::{Value, json, to_value};

use super::made::{Chain, accepted, config, header, sign};
use crate::carrier::{Hash32, Hex, Quantity};
use crate::chain::{HeaderInclusion, HeaderRelation, HeaderWanted, KnownHeader};
use crate::generate::builder::{Builder, expected};

const FLAGS: &[(&str, &str)] = &[
    ("Encoding", "the bytes are not those of a signed header"),
    ("Height", "an older header that was asked for by its height"),
    ("Input", "the input cannot be read as one of its type"),
    ("Relation", "two headers by their heights and hashes"),
    ("Wanted", "a header of the block that was asked for"),
    ("WrongBlock", "the header of another block"),
];

/// Heights that are the same, or in another order, in fewer bits or with a sign.
const HEIGHTS: [u64; 8] = [0, 1, 2, 255, 256, 1 << 32, (1 << 32) + 1, u64::MAX];

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    file.group("HeaderWanted");
    wanted(&mut file);
    file.group("HeaderRelation");
    relations(&mut file);
    file.group("HeaderInclusion");
    heights(&mut file);
    file.finish()
}

fn at(height: u64) -> Header {
    let parent = if height == 0 { [0; 32] } else { [1; 32] };
    let history = prooflight_core::merkle::empty_root::<prooflight_core::chain::Blake2bTree>();
    header(&config(1, 1), height, parent, history)
}

/// A question about a header, not asked yet.
fn given(header: &Header) -> HeaderWanted {
    let header = Hex(sign(header, &[0]).encode());
    HeaderWanted { header, newest: None, height: None, hash: None }
}

fn wanted(file: &mut Builder) {
    for asked in HEIGHTS {
        for found in HEIGHTS {
            let header = at(found);
            let newest = HeaderWanted { newest: Some(Quantity(asked)), ..given(&header) };
            let comment = format!("block {found} as the newest, of at least height {asked}");
            if found >= asked {
                file.valid(&["Wanted"], comment, &newest, accepted(&header));
            } else {
                file.invalid(&["WrongBlock"], comment, &newest, Reason::HeadBehind);
            }
            let height = HeaderWanted { height: Some(Quantity(asked)), ..given(&header) };
            let comment = format!("block {found} as block {asked}");
            if found == asked {
                file.valid(&["Wanted"], comment, &height, accepted(&header));
            } else {
                file.invalid(&["WrongBlock"], comment, &height, Reason::WrongBlock);
            }
        }
    }
    let header = at(7);
    let by_hash = |hash: Hash| HeaderWanted { hash: Some(Hash32(hash)), ..given(&header) };
    let honest = by_hash(header.hash());
    file.valid(&["Wanted"], "a block by its hash", &honest, accepted(&header));
    let mut flipped = header.hash();
    flipped[31] ^= 1;
    for (comment, hash) in [
        ("a block by a hash with another last bit", flipped),
        ("a block by the hash of another one", at(8).hash()),
        ("a block by the hash of its parent", header.parent),
        ("a block by a hash of zeros", [0; 32]),
    ] {
        file.invalid(&["WrongBlock"], comment, &by_hash(hash), Reason::WrongBlock);
    }
    // Signatures are no matter here: the header is not accepted yet.
    let unsigned = SignedHeader { header: header.clone(), signatures: vec![] };
    let input = HeaderWanted { header: Hex(unsigned.encode()), ..honest.clone() };
    file.valid(&["Wanted"], "a header without signatures", &input, accepted(&header));
    let twice = sign(&header, &[1, 1]);
    for (comment, bytes, reason) in [
        ("no bytes", vec![], Reason::InvalidEncoding),
        ("a header that is not signed", header.encode(), Reason::InvalidEncoding),
        ("a byte after it", [&honest.header.0[..], &[0]].concat(), Reason::TrailingBytes),
        ("an authority twice", twice.encode(), Reason::SignatureOrder),
    ] {
        let input = HeaderWanted { header: Hex(bytes), ..honest.clone() };
        file.invalid(&["Encoding"], comment, &input, reason);
    }
    let none = json!({ "header": honest.header });
    let with = |members: Value| {
        let mut input = none.clone();
        for (name, value) in members.as_object().expect("an object") {
            input[name] = value.clone();
        }
        input
    };
    for (comment, input) in [
        ("nothing was asked for", none.clone()),
        ("the newest and a height", with(json!({ "newest": "0x7", "height": "0x7" }))),
        ("a height and a hash", with(json!({ "height": "0x7", "hash": honest.hash }))),
        ("the newest and a hash", with(json!({ "newest": "0x7", "hash": honest.hash }))),
        ("a height that is null", with(json!({ "height": null }))),
        ("the newest, null", with(json!({ "newest": null }))),
        ("a hash of null", with(json!({ "hash": null }))),
        ("a wanted height as a number", with(json!({ "height": 7 }))),
        ("a hash of 31 bytes", with(json!({ "hash": Hex(vec![0; 31]) }))),
        (
            "an unknown member of a question",
            with(json!({ "height": "0x7", "headerHash": honest.hash })),
        ),
        ("no header", json!({ "height": "0x7" })),
        ("a header of null", with(json!({ "height": "0x7", "header": null }))),
    ] {
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
}

fn relations(file: &mut Builder) {
    let known = |height, byte| {
        let mut hash = [7; 32];
        hash[31] = byte;
        KnownHeader { height: Quantity(height), header_hash: Hash32(hash) }
    };
    let mut honest = Value::Null;
    for one in HEIGHTS {
        for other in HEIGHTS {
            for byte in [0, 1, 2] {
                let input = HeaderRelation { one: known(one, 1), other: known(other, byte) };
                let same = if byte == 1 { "same" } else { "conflicting" };
                let relation = match (one < other, one > other) {
                    (true, _) => "below",
                    (_, true) => "above",
                    _ => same,
                };
                let comment =
                    format!("a header at height {one} beside one at {other}, hash {byte}");
                let answer = expected(json!({ "relation": relation }));
                file.valid(&["Relation"], comment, &input, answer);
                honest = to_value(input).expect("plain data");
            }
        }
    }
    for (comment, at, value) in [
        ("one is null", "/one", Value::Null),
        ("other is an array", "/other", json!(["0x1", Hash32([0; 32])])),
        ("a height as a number", "/one/height", json!(1)),
        ("a hash of 33 bytes", "/other/headerHash", json!(Hex(vec![0; 33]))),
        ("one without its hash", "/one", json!({ "height": "0x1" })),
    ] {
        let mut input = honest.clone();
        *input.pointer_mut(at).expect("it is there") = value;
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
    honest["third"] = honest["one"].clone();
    file.invalid(&["Input"], "an unknown member", &honest, Reason::InvalidArgument);
}

fn heights(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 7);
    let with = |of: usize, height| {
        let height = Some(Quantity(height));
        HeaderInclusion { height, ..chain.inclusion(of, 6) }
    };
    for of in 0..=6 {
        let input = with(of, of as u64);
        let comment = format!("the header of block {of}, which was asked for");
        file.valid(&["Height"], comment, &input, accepted(&chain.headers[of]));
        for asked in [of as u64 ^ 1, of as u64 + (1 << 32), u64::MAX] {
            let comment = format!("the header of block {of}, where block {asked} was asked for");
            file.invalid(&["Height"], comment, &with(of, asked), Reason::NotAnAncestor);
        }
    }
    let mut other = with(3, 3);
    other.inclusion[0].0[0] ^= 1;
    file.invalid(&["Height"], "the right height, another path", &other, Reason::NotAnAncestor);
    other.header.0.push(0);
    file.invalid(&["Height"], "the same with a byte after it", &other, Reason::TrailingBytes);
    for value in [json!(null), json!(3), json!("0x03"), json!("3")] {
        let mut input = to_value(with(3, 3)).expect("plain data");
        input["height"] = value.clone();
        let comment = format!("a height of {value}");
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
}
