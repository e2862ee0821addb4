//! What both schemes must do alike.

use prooflight_core::chain::{ChainConfig, ChainLimits};
use prooflight_core::{Reason, Scheme};
use serde_json::{json, to_value};

use super::{SCHEMES, States, of_both, with_proof};
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::generate::chain::ledger::{Ledger, set, seven_blocks};
use crate::generate::chain::made::config;
use crate::state::StateAnswer;

type Keys<'a> = &'a [&'a [u8]];

pub(super) fn add(file: &mut Builder) {
    let states = States::new();
    for scheme in SCHEMES {
        history(file, &states, scheme);
        keys(file, &states, scheme);
        other_blocks(file, &states, scheme);
        other_keys(file, &states, scheme);
        other_schemes(file, &states, scheme);
        limits(file, &states, scheme);
        order(file, &states, scheme);
    }
}

fn history(file: &mut Builder, states: &States, scheme: Scheme) {
    let name = scheme.as_str();
    for key in ["alice", "bob", "key 03"] {
        for at in 0..=6 {
            let keys = [key.as_bytes()];
            let comment = format!("{name}: {key} at block {at}, by the head 6");
            let input = states.answer(scheme, at, 6, &keys);
            file.valid(&["History"], comment, &input, states.expected(at, &keys));
        }
    }
}

fn keys(file: &mut Builder, states: &States, scheme: Scheme) {
    let numbered = (0..20).map(|n| format!("key {n:02}")).collect::<Vec<_>>();
    let all = numbered.iter().map(String::as_bytes).collect::<Vec<_>>();
    let long = [0xff; 256];
    let longer = [&[0xff; 255][..], &[0xfe]].concat();
    let cases: [(&str, Keys<'_>); 8] = [
        ("the empty key", &[b""]),
        ("a value of no bytes, beside an absent key", &[b"dave", b"erin"]),
        ("a key of 256 bytes, which is present", &[&long]),
        ("a key of 256 bytes, which is absent", &[&longer]),
        ("a key that is the beginning of others", &[b"key"]),
        ("20 keys, two of them gone at times", &all),
        ("a key twice", &[b"alice", b"alice"]),
        ("absent and present keys, some twice", &[b"x", b"carol", b"x", b"bob", b"carol"]),
    ];
    for (comment, keys) in cases {
        for (at, block) in [(6, "the head"), (4, "an older block")] {
            let comment = format!("{}: {comment}, at {block}", scheme.as_str());
            let input = states.answer(scheme, at, 6, keys);
            file.valid(&["Keys"], comment, &input, states.expected(at, keys));
        }
    }
    let empty = States::with(of_both(4, 2), &[vec![], vec![]]);
    let keys: [&[u8]; 2] = [b"alice", b""];
    let comment = format!("{}: two keys of an empty state", scheme.as_str());
    let input = empty.answer(scheme, 1, 1, &keys);
    file.valid(&["Keys"], comment, &input, empty.expected(1, &keys));
}

fn other_blocks(file: &mut Builder, states: &States, scheme: Scheme) {
    let keys: [&[u8]; 2] = [b"alice", b"bob"];
    for (at, of) in [(6, 5), (6, 4), (4, 3), (3, 4), (0, 6), (2, 1)] {
        let honest = states.answer(scheme, at, 6, &keys);
        let input = with_proof(&honest, states.proof(scheme, of, &keys));
        let comment = format!("{}: the proof of block {of} for block {at}", scheme.as_str());
        file.refused(&["OtherBlock"], comment, &input);
    }
}

fn other_keys(file: &mut Builder, states: &States, scheme: Scheme) {
    let cases: [(&str, Keys<'_>, Keys<'_>); 4] = [
        ("of another present key", &[b"alice"], &[b"carol"]),
        ("of another absent key", &[b"nobody"], &[b"nobody else"]),
        ("of the first key alone", &[b"alice", b"carol"], &[b"alice"]),
        ("of one key more", &[b"alice"], &[b"alice", b"carol"]),
    ];
    for (comment, keys, proven) in cases {
        let honest = states.answer(scheme, 5, 6, keys);
        let input = with_proof(&honest, states.proof(scheme, 5, proven));
        let comment = format!("{}: a proof {comment}", scheme.as_str());
        file.refused(&["OtherKeys"], comment, &input);
    }
}

fn other_schemes(file: &mut Builder, states: &States, scheme: Scheme) {
    let name = scheme.as_str();
    let keys: [&[u8]; 1] = [b"alice"];
    let honest = states.answer(scheme, 6, 6, &keys);
    for other in SCHEMES.into_iter().filter(|other| *other != scheme) {
        let input = with_proof(&honest, states.proof(other, 6, &keys));
        let comment = format!("{name}: the proof of {}", other.as_str());
        file.invalid(&["OtherScheme"], comment, &input, Reason::UnknownScheme);
        let input = StateAnswer { scheme: other.as_str().to_owned(), ..honest.clone() };
        let comment = format!("{name}: its proof as one of {}", other.as_str());
        let input = StateAnswer { allow_insecure_setup: true, ..input };
        file.invalid(&["OtherScheme"], comment, &input, Reason::UnknownScheme);
    }
    for (comment, change, reason) in [
        ("version 2", (0, 2), Reason::UnknownVersion),
        ("kind 0", (2, 0), Reason::UnknownKind),
        ("kind 2", (2, 2), Reason::UnknownKind),
    ] {
        let mut proof = honest.proof.0.clone();
        proof[change.0] = change.1;
        let comment = format!("{name}: a proof of {comment}");
        file.invalid(&["OtherScheme"], comment, &with_proof(&honest, proof), reason);
    }
    let input = with_proof(&honest, vec![]);
    file.invalid(&["OtherScheme"], format!("{name}: no proof"), &input, Reason::Truncated);
    let longer = [&honest.proof.0[..], &[0]].concat();
    let comment = format!("{name}: a byte behind the proof");
    let input = with_proof(&honest, longer);
    file.invalid(&["OtherScheme"], comment, &input, Reason::TrailingBytes);

    let avl = Ledger::new(config(1, 1), seven_blocks());
    let answer = avl.answer(6, 6, &keys);
    let input = StateAnswer {
        scheme: name.to_owned(),
        allow_insecure_setup: honest.allow_insecure_setup,
        proof: honest.proof.clone(),
        ..answer
    };
    let comment = format!("{name}: an answer of a chain of avl alone");
    file.invalid(&["NoRoot"], comment.clone(), &input, Reason::WrongSchemes);
    let input = StateAnswer { keys: vec![Hex(vec![0; 300])], ..input };
    let comment = format!("{comment}, with a key that is too long");
    file.invalid(&["Order"], comment, &input, Reason::WrongSchemes);
}

fn limits(file: &mut Builder, states: &States, scheme: Scheme) {
    let name = scheme.as_str();
    let with = |max_key, max_value, max_ops| ChainConfig {
        limits: ChainLimits { max_key, max_value, max_ops },
        ..of_both(4, 2)
    };
    let blocks = [vec![set("alice", "100"), set("bob", "")]];
    let small = States::with(with(5, 3, 2), &blocks);
    let mut valid = |comment: &str, of: &States, keys: &[&[u8]]| {
        let input = of.answer(scheme, 0, 0, keys);
        file.valid(&["Limit"], format!("{name}: {comment}"), &input, of.expected(0, keys));
    };
    valid("keys of as many bytes as the chain allows", &small, &[b"alice", b"carol"]);
    valid("more keys than a block of the chain has operations", &small, &[b"a", b"bob", b"c"]);
    valid("4,096 keys, the default limit", states, &vec![&b"bob"[..]; 4096]);
    let larger = vec![0xa5; 65_537];
    let larger = States::with(with(256, 65_537, 2), &[vec![set("large", larger)]]);
    valid("a value above the default limit, which the chain allows", &larger, &[b"large"]);
    let mut refuse = |comment: &str, input: &StateAnswer, reason| {
        file.invalid(&["Limit"], format!("{name}: {comment}"), input, reason);
    };
    let long = small.answer(scheme, 0, 0, &[b"alice", b"alice2"]);
    refuse("a key longer than the chain allows", &long, Reason::KeyLength);
    let values = States::with(with(5, 2, 2), &blocks);
    let input = values.answer(scheme, 0, 0, &[b"alice"]);
    refuse("a value longer than the chain allows", &input, Reason::ValueTooLarge);
    let input = values.answer(scheme, 0, 0, &[b"bob"]);
    let many = |keys| StateAnswer { keys, ..input.clone() };
    let input = many(vec![Hex(b"bob".to_vec()); 4097]);
    refuse("4,097 keys", &input, Reason::TooManyKeys);
    let mut keys = vec![Hex(b"bob".to_vec()); 4096];
    keys.push(Hex(b"robert".to_vec()));
    refuse("4,097 keys, the last one too long", &many(keys), Reason::KeyLength);
}

fn order(file: &mut Builder, states: &States, scheme: Scheme) {
    let name = scheme.as_str();
    let honest = states.answer(scheme, 4, 6, &[b"alice"]);
    let mut refuse = |comment: &str, input: &StateAnswer, reason| {
        file.invalid(&["Order"], format!("{name}: {comment}"), input, reason);
    };
    let mut input = with_proof(&honest, vec![]);
    input.path = Some(vec![]);
    refuse("no proof, and a header without its path", &input, Reason::NotAnAncestor);
    let last = input.head.0.len() - 1;
    input.head.0[last] ^= 1;
    refuse("the same by a head with a wrong signature", &input, Reason::TooFewSignatures);
    "verkle".clone_into(&mut input.scheme);
    refuse("the same by a scheme that is not known", &input, Reason::UnknownStatement);
    for value in [json!(null), json!("true"), json!(1)] {
        let mut input = to_value(&input).expect("plain data");
        input["allowInsecureSetup"] = value.clone();
        let comment = format!("{name}: the same with allowInsecureSetup {value}");
        file.invalid(&["Order"], comment, &input, Reason::InvalidArgument);
    }
}
