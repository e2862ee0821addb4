//! `chain/header_sync.json`: heads that a light client must accept.

use curve25519_dalek::constants::EIGHT_TORSION;
use prooflight_core::Hash;
use prooflight_core::chain::{
    Blake2bTree, ChainConfig, ChainLimits, Checkpoint, Header, SignedHeader,
};
use prooflight_core::merkle::{empty_root, path_length};

use super::made::{
    Chain, START, accepted, config, config_of_all_schemes, header, key, leaf, root_of_path, sign,
    sync,
};
use super::tricks::{mixed_key, sign_with};
use crate::carrier::Quantity;
use crate::chain::HeaderSync;
use crate::generate::builder::{Builder, UPPER_CASE, upper_case};

const FLAGS: &[(&str, &str)] = &[
    ("Clock", "the head's time is just within what the caller allows"),
    ("Config", "configurations of every kind, whose encoding is hashed"),
    ("Large", "heights that need all of 64 bits; the roots are made up so that the paths fit"),
    ("Path", "checkpoints and heads at many heights"),
    ("Signatures", "signatures that are enough"),
    UPPER_CASE,
];

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    file.group("HeaderSync");
    paths(&mut file);
    large(&mut file);
    signatures(&mut file);
    configs(&mut file);
    clocks(&mut file);
    upper(&mut file);
    file.finish()
}

fn valid(file: &mut Builder, flag: &str, comment: &str, input: &HeaderSync, head: &Header) {
    file.valid(&[flag], comment, input, accepted(head));
}

fn paths(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 255);
    let small = (0..=9).flat_map(|head| (0..=head).map(move |from| (from, head)));
    let large = [16, 17, 33, 63, 64, 65, 127, 128, 129, 254];
    let large = large.into_iter().flat_map(|head| [0, 1, head / 2, head - 1].map(|i| (i, head)));
    for (from, head) in small.chain(large) {
        let comment = format!("from height {from} to height {head}");
        valid(file, "Path", &comment, &chain.sync(from, head), &chain.headers[head]);
    }
}

/// The places of a checkpoint and a head where an integer of fewer bits goes wrong.
pub(super) const LARGE: [(u64, u64); 9] = [
    ((1 << 32) - 1, 1 << 32),
    (1 << 32, (1 << 32) + 1),
    (5, (1 << 32) + 6),
    ((1 << 53) - 1, 1 << 53),
    ((1 << 53) + 1, (1 << 53) + 2),
    ((1 << 63) - 1, 1 << 63),
    (1 << 63, u64::MAX),
    (0, u64::MAX),
    (u64::MAX - 1, u64::MAX),
];

/// A header at a height, and a head at another with the path between them.
pub(super) fn far_apart(from: u64, to: u64) -> (Header, Header, Vec<Hash>) {
    let config = config(1, 1);
    let old = match from {
        0 => header(&config, 0, [0; 32], empty_root::<Blake2bTree>()),
        _ => header(&config, from, [1; 32], [2; 32]),
    };
    let path = (0..path_length(from, to)).map(|_| [3; 32]).collect::<Vec<_>>();
    let root = root_of_path(leaf(&old.hash()), from, to, &path);
    (old, header(&config, to, [4; 32], root), path)
}

fn large(file: &mut Builder) {
    for (from, to) in LARGE {
        let (old, head, path) = far_apart(from, to);
        let config = config(1, 1);
        let checkpoint = Checkpoint { config, height: from, header_hash: old.hash() };
        let comment = format!("from height {from} to height {to}, {} hashes", path.len());
        let input = sync(&checkpoint, &sign(&head, &[0]), &path);
        valid(file, "Large", &comment, &input, &head);
    }
}

fn signatures(file: &mut Builder) {
    let mut case = |comment: &str, config: ChainConfig, sign: &dyn Fn(&Header) -> SignedHeader| {
        let chain = Chain::new(config, 3);
        let head = &chain.headers[2];
        let input = sync(&chain.checkpoint(1), &sign(head), &chain.path(1, 2));
        valid(file, "Signatures", comment, &input, head);
    };
    case("2 of 3 authorities, the first two", config(3, 2), &|head| sign(head, &[0, 1]));
    case("2 of 3 authorities, the last two", config(3, 2), &|head| sign(head, &[1, 2]));
    case("3 of 3 authorities where 2 are enough", config(3, 2), &|head| sign(head, &[0, 1, 2]));
    case("all of 4 authorities", config(4, 4), &|head| sign(head, &[0, 1, 2, 3]));
    case("1 of 3 authorities", config(3, 1), &|head| sign(head, &[2]));
    case("authorities 256 and 299 of 300", config(300, 2), &|head| sign(head, &[256, 299]));
    case("a signature of zeros does not count, the others do", config(3, 2), &|head| {
        let mut signed = sign(head, &[0, 1, 2]);
        signed.signatures[0].1 = [0; 64];
        signed
    });
    case("a signature of ff does not count, the others do", config(3, 2), &|head| {
        let mut signed = sign(head, &[0, 1, 2]);
        signed.signatures[2].1 = [0xff; 64];
        signed
    });
    let no_point = (0..=u8::MAX)
        .map(|n| [n; 32])
        .find(|key| curve25519_dalek::edwards::CompressedEdwardsY(*key).decompress().is_none());
    let mut with_no_point = config(3, 2);
    with_no_point.authorities[1] = no_point.expect("half of all strings are no points");
    case("an authority's key is no point, the others are enough", with_no_point, &|head| {
        sign(head, &[0, 1, 2])
    });
    let (secret, public) = mixed_key(&key(0));
    let mut mixed = config(1, 1);
    mixed.authorities[0] = public;
    let comment = "a key with a part of small order, which the hash takes away: the equation holds";
    case(comment, mixed, &|head| {
        let signature = sign_with(&secret, &public, &head.hash(), &EIGHT_TORSION[0], true);
        SignedHeader { header: head.clone(), signatures: vec![(0, signature)] }
    });
}

fn configs(file: &mut Builder) {
    let one = || config(1, 1);
    let cases = [
        ("all schemes", config_of_all_schemes()),
        ("no scheme", ChainConfig { schemes: vec![], ..one() }),
        ("an empty name", ChainConfig { chain_id: String::new(), ..one() }),
        (
            "a name whose characters have 1 to 4 bytes",
            ChainConfig { chain_id: "a\u{df}\u{20ac}\u{1d11e}".to_owned(), ..one() },
        ),
        ("a name of 300 bytes", ChainConfig { chain_id: "n".repeat(300), ..one() }),
        (
            "the smallest limits",
            ChainConfig {
                limits: ChainLimits { max_key: 0, max_value: 0, max_ops: 0 },
                genesis_timestamp_ms: 0,
                ..one()
            },
        ),
        (
            "the largest limits",
            ChainConfig {
                limits: ChainLimits { max_key: u16::MAX, max_value: u32::MAX, max_ops: u32::MAX },
                genesis_timestamp_ms: u64::MAX,
                ..one()
            },
        ),
    ];
    for (comment, config) in cases {
        let chain = Chain::new(config, 3);
        for (from, head) in [(0, 2), (2, 2)] {
            let comment = format!("{comment}, from height {from} to height {head}");
            valid(file, "Config", &comment, &chain.sync(from, head), &chain.headers[head]);
        }
    }
    let clef = ChainConfig { chain_id: "\u{1d11e}\u{fffd}".to_owned(), ..one() };
    let chain = Chain::new(clef, 2);
    let comment = "a name with a surrogate pair and U+FFFD, both escaped";
    valid(file, "Config", comment, &chain.sync(0, 1), &chain.headers[1]);
    file.rewrite_last("\u{1d11e}\u{fffd}", r"\ud834\uDD1E\ufffd");
}

fn upper(file: &mut Builder) {
    let chain = Chain::new(config_of_all_schemes(), 12);
    let input = HeaderSync { max_head_age: Some(Quantity(0xabc_def)), ..chain.sync(10, 11) };
    let expected = accepted(&chain.headers[11]);
    file.valid(&[UPPER_CASE.0], "hexadecimal digits in upper case", &upper_case(&input), expected);
}

fn clocks(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 3);
    let head = &chain.headers[2];
    assert_eq!(head.timestamp_ms, START + 2000, "a second a block");
    let time = head.timestamp_ms;
    let cases = [
        ("as far ahead as the skew", time - 500, Some(500), None),
        ("no skew, just now", time, Some(0), None),
        ("30,000 ms ahead, the skew if none is said", time - 30_000, None, None),
        ("the largest skew and time", u64::MAX, Some(u64::MAX), None),
        ("ahead of the beginning of time", 0, Some(time), None),
        ("as old as allowed", time + 500, Some(0), Some(500)),
        ("no age is allowed, just now", time, Some(0), Some(0)),
        ("no age is allowed, ahead within the skew", time - 1, Some(1), Some(0)),
        ("as old as time, any age", u64::MAX, Some(0), None),
        ("as old as time, which is allowed", u64::MAX, Some(0), Some(u64::MAX - time)),
    ];
    for (comment, now, skew, age) in cases {
        let input = HeaderSync {
            now: Quantity(now),
            max_clock_skew: skew.map(Quantity),
            max_head_age: age.map(Quantity),
            ..chain.sync(1, 2)
        };
        valid(file, "Clock", comment, &input, head);
    }
}
