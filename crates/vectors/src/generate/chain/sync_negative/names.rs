//! Names of chains that no UTF-8 can encode: never read as another name, whose chain the head is of.

use prooflight_core::chain::ChainConfig;
use prooflight_core::{Envelope, Hash, Reason, Scheme, blake2b256};

use crate::generate::builder::Builder;
use crate::generate::chain::made::{Chain, config};

/// What many readers put in the place of half a surrogate pair.
const REPLACEMENT: &str = "\u{fffd}";

pub(super) fn add(file: &mut Builder) {
    let named = |chain_id: &str| ChainConfig { chain_id: chain_id.to_owned(), ..config(1, 1) };
    let cases = [
        ("U+FFFD in its place", REPLACEMENT, r"\ud800"),
        ("U+FFFD in the place of the second half of a pair", REPLACEMENT, r"\udc00"),
        ("U+FFFD in the place of the last half there is", REPLACEMENT, r"\udfff"),
        ("twice U+FFFD, the halves in the wrong order", "\u{fffd}\u{fffd}", r"\udd1e\ud834"),
        ("U+FFFD between letters", "a\u{fffd}b", r"a\ud834b"),
        ("U+FFFD, written in capitals", REPLACEMENT, r"\uDBFF"),
        ("a question mark in its place", "?", r"\ud800"),
        ("nothing in its place", "", r"\ud800"),
        ("nothing in its place, before a whole pair", "\u{1d11e}", r"\ud834\ud834\udd1e"),
    ];
    for (comment, name, text) in cases {
        refuse(file, comment, named(name), None, text);
    }
    // The three bytes that UTF-8 would have, if it had some for halves.
    let config = named(REPLACEMENT);
    let id = id_with(&config, [0xef, 0xbf, 0xbd], [0xed, 0xa0, 0x80]);
    refuse(file, "three bytes of its own", config, Some(id), r"\ud800");
}

/// A chain whose name is half a surrogate pair, with a head of the chain of another name.
fn refuse(file: &mut Builder, comment: &str, config: ChainConfig, id: Option<Hash>, text: &str) {
    let name = format!("\"chainId\":{:?}", config.chain_id);
    let chain = Chain::with(config, 2, |header| header.chain = id.unwrap_or(header.chain));
    let comment = format!("config/chainId is half a surrogate pair: {comment}");
    file.invalid(&["Checkpoint"], comment, &chain.sync(0, 1), Reason::InvalidArgument);
    file.rewrite_last(&name, &format!("\"chainId\":\"{text}\""));
}

/// The hash of a configuration with other bytes in the place of some.
fn id_with(config: &ChainConfig, from: [u8; 3], to: [u8; 3]) -> Hash {
    let mut bytes = Envelope { scheme: Scheme::Avl, kind: 0 }.encode(config).split_off(3);
    assert_eq!(blake2b256(&[&bytes]), config.id(), "the encoding without an envelope");
    let at = bytes.windows(3).position(|window| window == from).expect("they are there");
    bytes[at..at + 3].copy_from_slice(&to);
    blake2b256(&[&bytes])
}
