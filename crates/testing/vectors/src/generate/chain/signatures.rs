//! `chain/header_sync_negative.json`: Ed25519 signatures that must not count.

use curve25519_dalek::Scalar;
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::CompressedEdwardsY;
use ed25519_dalek::Signer as _;
use prooflight_core::Reason;
use prooflight_core::chain::{ChainConfig, Header, SignedHeader};

use super::header_chain::{HeaderChain, config, key, sign, sync};
use super::special_signatures::{
    SignatureBytes, mixed_key, sign_with, sign_with_nothing, sign_with_small_r, with_larger_s,
};
use crate::generate::builder::FileBuilder;

/// Adds the tests made by code.
pub(in super::super) fn make(file: &mut FileBuilder) {
    file.group("HeaderSync");
    tricks(file);
    cancelling(file);
    keys_of_small_order(file);
}

type HeadSigner<'a> = &'a dyn Fn(&Header) -> SignedHeader;

/// Adds a head at height 1 with signatures of a special kind.
fn refuse(file: &mut FileBuilder, comment: &str, config: ChainConfig, sign: HeadSigner<'_>) {
    let chain = HeaderChain::new(config, 2);
    let input = sync(&chain.checkpoint(0), &sign(&chain.headers[1]), &chain.path(0, 1));
    file.invalid(&["Signatures"], comment, &input, Reason::TooFewSignatures);
}

/// Signatures that some Ed25519 verifiers accept.
fn tricks(file: &mut FileBuilder) {
    let mut refuse = |comment: &str, trick: &dyn Fn(&Header, SignatureBytes) -> SignatureBytes| {
        refuse(file, comment, config(1, 1), &|head| {
            let mut head = sign(head, &[0]);
            head.signatures[0].1 = trick(&head.header, head.signatures[0].1);
            head
        });
    };
    refuse("S + L instead of S: the same number, encoded in another way", &|_, signature| {
        with_larger_s(&signature)
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

/// The smallest number that is not the y of any point.
fn no_point() -> [u8; 32] {
    let encoding = |y: u8| {
        let mut bytes = [0; 32];
        bytes[0] = y;
        bytes
    };
    let is_none = |bytes: &[u8; 32]| CompressedEdwardsY(*bytes).decompress().is_none();
    (0..=255).map(encoding).find(is_none).expect("half of all numbers are like that")
}

/// Two invalid signatures whose equations hold when added up.
fn cancelling(file: &mut FileBuilder) {
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

fn keys_of_small_order(file: &mut FileBuilder) {
    let mut with_key =
        |comment: &str, public: [u8; 32], sign: &dyn Fn(&Header) -> SignatureBytes| {
            let mut one_key = config(1, 1);
            one_key.authorities[0] = public;
            refuse(file, comment, one_key, &|head| SignedHeader {
                header: head.clone(),
                signatures: vec![(0, sign(head))],
            });
        };
    // Anyone can sign for such a key: its part of large order is zero, so its secret is 0.
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
