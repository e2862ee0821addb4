//! Signatures that do not count, and heads of other chains.

use curve25519_dalek::Scalar;
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::CompressedEdwardsY;
use ed25519_dalek::Signer as _;
use prooflight_core::chain::{ChainConfig, Header, LvmtConfig, SchemeConfig, SignedHeader};
use prooflight_core::{Reason, Scheme, blake2b256};

use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::generate::chain::made::{
    Chain, change_lvmt, config, config_of_all_schemes, key, sign, sync,
};
use crate::generate::chain::tricks::{
    Signature, mixed_key, sign_with, sign_with_nothing, sign_with_small_r, with_larger_s,
};
pub(super) fn add(file: &mut Builder) {
    too_few(file);
    of_something_else(file);
    tricks(file);
    cancelling(file);
    keys_of_small_order(file);
    other_chains(file);
    other_schemes(file);
}

type Sign<'a> = &'a dyn Fn(&Header) -> SignedHeader;

/// A head at height 1 with signatures of its own kind.
fn refuse(file: &mut Builder, comment: &str, config: ChainConfig, sign: Sign<'_>) {
    let chain = Chain::new(config, 2);
    let input = sync(&chain.checkpoint(0), &sign(&chain.headers[1]), &chain.path(0, 1));
    file.invalid(&["Signatures"], comment, &input, Reason::TooFewSignatures);
}

fn too_few(file: &mut Builder) {
    let two_of_three = || config(3, 2);
    let mut refuse = |comment, config, sign: Sign<'_>| refuse(file, comment, config, sign);
    refuse("no signature", config(1, 1), &|head| sign(head, &[]));
    refuse("1 signature where 2 are needed", two_of_three(), &|head| sign(head, &[1]));
    refuse("3 signatures where 4 are needed", config(4, 4), &|head| sign(head, &[0, 1, 2]));
    refuse("2 signatures, one of them zeros", two_of_three(), &|head| {
        let mut head = sign(head, &[0, 1]);
        head.signatures[1].1 = [0; 64];
        head
    });
    refuse("3 signatures, two of them flipped", two_of_three(), &|head| {
        let mut head = sign(head, &[0, 1, 2]);
        head.signatures[0].1[0] ^= 1;
        head.signatures[2].1[32] ^= 1;
        head
    });
    refuse("a signature under the next authority's index", two_of_three(), &|head| {
        let mut head = sign(head, &[0, 1]);
        head.signatures[1].0 = 2;
        head
    });
    refuse("the signatures of two authorities exchanged", two_of_three(), &|head| {
        let mut head = sign(head, &[0, 1]);
        head.signatures[0].0 = 1;
        head.signatures[1].0 = 0;
        head.signatures.reverse();
        head
    });
    refuse("the signature of one authority under two indices", two_of_three(), &|head| {
        let mut head = sign(head, &[0, 1]);
        head.signatures[1].1 = head.signatures[0].1;
        head
    });
    refuse("a signature of a key that is no authority", config(1, 1), &|head| {
        let mut head = sign(head, &[7]);
        head.signatures[0].0 = 0;
        head
    });
}

/// Valid signatures, but not of this header's hash.
fn of_something_else(file: &mut Builder) {
    let mut refuse = |comment: &str, message: &dyn Fn(&Header) -> Vec<u8>| {
        refuse(file, comment, config(1, 1), &|head| {
            let signature = key(0).sign(&message(head)).to_bytes();
            SignedHeader { header: head.clone(), signatures: vec![(0, signature)] }
        });
    };
    refuse("a signature of the header before", &|_| {
        Chain::new(config(1, 1), 1).headers[0].hash().to_vec()
    });
    refuse("a signature of the header with another timestamp", &|head| {
        Header { timestamp_ms: head.timestamp_ms + 1, ..head.clone() }.hash().to_vec()
    });
    refuse("a signature of the same header of a chain of another name", &|head| {
        let other = ChainConfig { chain_id: "other".to_owned(), ..config(1, 1) };
        Header { chain: other.id(), ..head.clone() }.hash().to_vec()
    });
    refuse("a signature of the encoding, not of the hash", &|head| head.encode());
    refuse("a signature of the encoding with the tag, not of the hash", &|head| {
        [b"prooflight/header/v1", &head.encode()[..]].concat()
    });
    refuse("a signature of the encoding's hash, without the tag", &|head| {
        blake2b256(&[&head.encode()]).to_vec()
    });
    refuse("a signature of the hash in hexadecimal", &|head| {
        Hex(head.hash().to_vec()).to_string().into_bytes()
    });
    refuse("a signature of nothing", &|_| Vec::new());
}

/// What some verifiers of Ed25519 accept.
fn tricks(file: &mut Builder) {
    let mut refuse = |comment: &str, trick: &dyn Fn(&Header, Signature) -> Signature| {
        refuse(file, comment, config(1, 1), &|head| {
            let mut head = sign(head, &[0]);
            head.signatures[0].1 = trick(&head.header, head.signatures[0].1);
            head
        });
    };
    refuse("S + L instead of S: the same number, encoded in another way", &|_, signature| {
        with_larger_s(&signature)
    });
    refuse("the highest bit of S is set", &|_, mut signature| {
        signature[63] |= 0x80;
        signature
    });
    refuse("R and S exchanged", &|_, mut signature| {
        signature.rotate_left(32);
        signature
    });
    refuse("the sign of R is the other", &|_, mut signature| {
        signature[31] ^= 0x80;
        signature
    });
    refuse("R is no point of the curve", &|_, mut signature| {
        signature[..32].copy_from_slice(&no_point());
        signature
    });
    refuse("R is the neutral point, and the equation holds", &|head, _| {
        sign_with_small_r(&key(0), &head.hash(), &EIGHT_TORSION[0])
    });
    refuse("R is a point of order 2, and 8 times the equation holds", &|head, _| {
        sign_with_small_r(&key(0), &head.hash(), &EIGHT_TORSION[4])
    });
    refuse("R has a part of order 8, and 8 times the equation holds", &|head, _| {
        let public = key(0).verifying_key().to_bytes();
        sign_with(&key(0).to_scalar(), &public, &head.hash(), &EIGHT_TORSION[1], true)
    });
}

/// The smallest number that is the y of no point.
fn no_point() -> [u8; 32] {
    let encoding = |y: u8| {
        let mut bytes = [0; 32];
        bytes[0] = y;
        bytes
    };
    let is_none = |bytes: &[u8; 32]| CompressedEdwardsY(*bytes).decompress().is_none();
    (0..=255).map(encoding).find(is_none).expect("half of all numbers are like that")
}

/// Two signatures of which neither holds, but the sum of their equations does.
fn cancelling(file: &mut Builder) {
    let comment = "one S larger by 1, the other smaller by 1: their errors cancel where they are just added up";
    refuse(file, comment, config(2, 2), &|head| {
        let mut head = sign(head, &[0, 1]);
        for ((_, signature), by) in head.signatures.iter_mut().zip([Scalar::ONE, -Scalar::ONE]) {
            let mut s = [0; 32];
            s.copy_from_slice(&signature[32..]);
            let s = Scalar::from_bytes_mod_order(s) + by;
            signature[32..].copy_from_slice(s.as_bytes());
        }
        head
    });
}

fn keys_of_small_order(file: &mut Builder) {
    let mut with_key = |comment: &str, public: [u8; 32], sign: &dyn Fn(&Header) -> Signature| {
        let mut one_key = config(1, 1);
        one_key.authorities[0] = public;
        refuse(file, comment, one_key, &|head| SignedHeader {
            header: head.clone(),
            signatures: vec![(0, sign(head))],
        });
    };
    // Anyone can sign for such a key: its part of large order is nothing, so its secret is 0.
    let by_anyone = |public: [u8; 32]| {
        move |head: &Header| {
            sign_with(&Scalar::ZERO, &public, &head.hash(), &EIGHT_TORSION[0], true)
        }
    };
    for (n, point) in EIGHT_TORSION.iter().enumerate() {
        let public = point.compress().to_bytes();
        let comment =
            format!("the authority's key is point {n} of small order, the equation holds");
        with_key(&comment, public, &by_anyone(public));
        let comment = format!("the authority's key is point {n} of small order; R is the key, S 0");
        with_key(&comment, public, &|_| sign_with_nothing(&public));
    }
    // y = 1 + p, and x = 0 with a sign.
    let mut larger = [0xff; 32];
    (larger[0], larger[31]) = (0xee, 0x7f);
    let mut negative = EIGHT_TORSION[0].compress().to_bytes();
    negative[31] |= 0x80;
    for (what, public) in [("y = p + 1", larger), ("y = 1 and x = -0", negative)] {
        let comment = format!("the authority's key is the neutral point, encoded as {what}");
        with_key(&comment, public, &by_anyone(public));
        let comment = format!("{comment}; so is R");
        with_key(&comment, public, &|_| sign_with_nothing(&public));
    }
    with_key("the authority's key is no point of the curve", no_point(), &|head| {
        key(0).sign(&head.hash()).to_bytes()
    });
    let (secret, public) = mixed_key(&key(0));
    let comment = "a key with a part of order 8, and 8 times the equation holds";
    with_key(comment, public, &|head| {
        sign_with(&secret, &public, &head.hash(), &EIGHT_TORSION[0], false)
    });
}

/// Heads of chains that differ in one thing, signed by the same authority.
fn other_chains(file: &mut Builder) {
    let one = || config(2, 1);
    let all = config_of_all_schemes;
    let with = |mut config: ChainConfig, change: fn(&mut ChainConfig)| {
        change(&mut config);
        config
    };
    let params = |change: fn(&mut LvmtConfig)| {
        let mut config = all();
        change_lvmt(&mut config, change);
        config
    };
    let cases = [
        ("name", one(), with(one(), |c| c.chain_id.push('2'))),
        ("name, longer by a zero byte", one(), with(one(), |c| c.chain_id.push('\0'))),
        ("schemes", one(), with(one(), |c| c.schemes.push(SchemeConfig::plain(Scheme::Smt)))),
        ("quorum", one(), with(one(), |c| c.quorum = 2)),
        ("order of authorities", one(), with(one(), |c| c.authorities.swap(0, 1))),
        ("number of authorities", one(), with(one(), |c| c.authorities.truncate(1))),
        ("authorities", one(), with(one(), |c| c.authorities[1] = [9; 32])),
        ("limit of keys", one(), with(one(), |c| c.limits.max_key += 1)),
        ("limit of values", one(), with(one(), |c| c.limits.max_value += 1)),
        ("limit of operations", one(), with(one(), |c| c.limits.max_ops += 1)),
        ("beginning", one(), with(one(), |c| c.genesis_timestamp_ms += 1)),
        ("setup", all(), params(|lvmt| lvmt.params_id[0] ^= 1)),
        ("number of slots", all(), params(|lvmt| lvmt.log_n += 1)),
        ("arity", all(), params(|lvmt| lvmt.log_arity += 1)),
    ];
    for (what, pinned, other) in cases {
        let (pinned, other) = (Chain::new(pinned, 2), Chain::new(other, 2));
        let head = sign(&other.headers[1], &[0, 1]);
        let mut checkpoint = other.checkpoint(0);
        checkpoint.config = pinned.config;
        let input = sync(&checkpoint, &head, &other.path(0, 1));
        let comment = format!("a chain with another {what}");
        file.invalid(&["OtherChain"], comment, &input, Reason::WrongChain);
    }
    let chain = Chain::new(one(), 2);
    let mut header = chain.headers[1].clone();
    header.chain = [0; 32];
    let input = sync(&chain.checkpoint(0), &sign(&header, &[0]), &chain.path(0, 1));
    file.invalid(&["OtherChain"], "a chain of zeros", &input, Reason::WrongChain);
}

/// Heads with as many roots as the chain has schemes, not all of them of these.
fn as_many_others(file: &mut Builder) {
    let of = |ids: &[u8]| {
        let all = config_of_all_schemes().schemes;
        let schemes = all.into_iter().filter(|scheme| ids.contains(&scheme.id)).collect();
        ChainConfig { schemes, ..config(1, 1) }
    };
    for (schemes, others) in [
        (&[1][..], &[3][..]),
        (&[3], &[4]),
        (&[3], &[6]),
        (&[6], &[1]),
        (&[1, 3], &[1, 4]),
        (&[1, 3], &[2, 3]),
        (&[1, 3], &[4, 6]),
        (&[1, 3, 5], &[1, 4, 5]),
    ] {
        let chain = Chain::new(of(schemes), 2);
        let roots = Chain::new(of(others), 2).headers[1].roots.clone();
        let header = Header { roots, ..chain.headers[1].clone() };
        let input = sync(&chain.checkpoint(0), &sign(&header, &[0]), &chain.path(0, 1));
        let comment = format!("roots of the schemes {others:?} on a chain of {schemes:?}");
        file.invalid(&["OtherChain"], comment, &input, Reason::WrongSchemes);
    }
}

fn other_schemes(file: &mut Builder) {
    let chain = Chain::new(config_of_all_schemes(), 2);
    let mut refuse = |comment: String, roots: Vec<(u8, Vec<u8>)>| {
        let header = Header { roots, ..chain.headers[1].clone() };
        let input = sync(&chain.checkpoint(0), &sign(&header, &[0]), &chain.path(0, 1));
        file.invalid(&["OtherChain"], comment, &input, Reason::WrongSchemes);
    };
    let roots = &chain.headers[1].roots;
    for at in 0..roots.len() {
        let mut fewer = roots.clone();
        fewer.remove(at);
        refuse(format!("the root of scheme {} is missing", roots[at].0), fewer);
    }
    refuse("there is no root".to_owned(), vec![]);
    let chain = Chain::new(config(1, 1), 2);
    let mut header = chain.headers[1].clone();
    header.roots.push((3, vec![0; 32]));
    let input = sync(&chain.checkpoint(0), &sign(&header, &[0]), &chain.path(0, 1));
    let comment = "a root of a scheme that the chain does not have";
    file.invalid(&["OtherChain"], comment, &input, Reason::WrongSchemes);
    as_many_others(file);
}
