//! `mpt/hash.json`: the code of accounts, and the hashes of transactions.

use prooflight_core::{Hash, Reason, keccak256};
use serde_json::{Value, json, to_value};
use sha3::{Digest as _, Sha3_256};

use crate::answer::Answer;
use crate::carrier::{Hash32, Hex};
use crate::generate::builder::{Builder, expected};
use crate::mpt::{EthCode, EthTransaction};

const FLAGS: &[(&str, &str)] = &[
    ("Blobs", "a transaction with the blobs that travel beside it, which are not signed"),
    ("Code", "code by its hash"),
    ("Input", "the input cannot be read as one of its type"),
    ("Signed", "a transaction that is signed as it is"),
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("mpt", FLAGS);
    file.group("EthCode");
    codes(&mut file);
    file.group("EthTransaction");
    transactions(&mut file);
    file.finish()
}

fn codes(file: &mut Builder) {
    let input = |hash, code: &[u8]| EthCode { code_hash: Hash32(hash), code: Hex(code.to_vec()) };
    let short: &[u8] = &[0x60, 0x00, 0x60, 0x00, 0xfd];
    let long = vec![0x5b; 24_576];
    for (comment, code) in [
        ("no code", &[][..]),
        ("one byte", &[0]),
        ("a short code", short),
        ("as much code as an account may have", &long),
        ("136 bytes, which the hash takes at once", &[7; 136]),
    ] {
        file.valid(&["Code"], comment, &input(keccak256(&[code]), code), Answer::new());
    }
    let hash = keccak256(&[short]);
    let mut flipped = hash;
    flipped[31] ^= 1;
    for (comment, hash, code) in [
        ("the code without its last byte", hash, &short[..4]),
        ("a byte after the code", hash, &[0x60, 0, 0x60, 0, 0xfd, 0]),
        ("another last bit of the code", hash, &[0x60, 0, 0x60, 0, 0xfc]),
        ("no code of an account that has some", hash, &[]),
        ("code of an account that has none", keccak256(&[]), short),
        ("another last bit of the hash", flipped, short),
        ("a hash of zeros", [0; 32], short),
        ("the SHA3-256 of the code", Sha3_256::digest(short).into(), short),
        ("the hash of the hash", keccak256(&[&hash]), short),
        ("the hash as its code", hash, &hash),
    ] {
        file.invalid(&["Code"], comment, &input(hash, code), Reason::CodeMismatch);
    }
    inputs(file, &json!(input(hash, short)), &["codeHash", "code"]);
}

/// A transaction, and what of it is signed.
fn transactions(file: &mut Builder) {
    let long: Vec<u8> = [&[3, 0xf8, 60, 0xf8, 56][..], &[1; 56], &[0xc1, 9]].concat();
    let long_signed = [&[3, 0xf8, 56][..], &[1; 56]].concat();
    let cases: [(&str, &str, &[u8], &[u8]); 19] = [
        ("Blobs", "blobs beside the transaction", &[3, 0xc4, 0xc1, 7, 0xc1, 9], &[3, 0xc1, 7]),
        ("Blobs", "three lists beside it", &[3, 0xc5, 0xc1, 7, 0xc0, 0xc0, 0xc0], &[3, 0xc1, 7]),
        ("Blobs", "a version and lists beside it", &[3, 0xc4, 0xc1, 7, 1, 0xc0], &[3, 0xc1, 7]),
        ("Blobs", "nothing beside it", &[3, 0xc2, 0xc1, 7], &[3, 0xc1, 7]),
        ("Blobs", "an empty transaction", &[3, 0xc1, 0xc0], &[3, 0xc0]),
        ("Blobs", "a long transaction", &long, &long_signed),
        ("Blobs", "what is beside it is no RLP", &[3, 0xc4, 0xc1, 7, 0xb8, 0], &[3, 0xc1, 7]),
        ("Signed", "a transaction of type 3", &[3, 0xc2, 7, 9], &[3, 0xc2, 7, 9]),
        ("Signed", "its first item is a string", &[3, 0xc3, 7, 0xc1, 9], &[3, 0xc3, 7, 0xc1, 9]),
        ("Signed", "a list of type 2", &[2, 0xc4, 0xc1, 7, 0xc1, 9], &[2, 0xc4, 0xc1, 7, 0xc1, 9]),
        ("Signed", "a list of type 4", &[4, 0xc4, 0xc1, 7, 0xc1, 9], &[4, 0xc4, 0xc1, 7, 0xc1, 9]),
        ("Signed", "a list without a type", &[0xc4, 0xc1, 7, 0xc1, 9], &[0xc4, 0xc1, 7, 0xc1, 9]),
        (
            "Signed",
            "a byte after the list",
            &[3, 0xc4, 0xc1, 7, 0xc1, 9, 0],
            &[3, 0xc4, 0xc1, 7, 0xc1, 9, 0],
        ),
        (
            "Signed",
            "a list that ends early",
            &[3, 0xc5, 0xc1, 7, 0xc1, 9],
            &[3, 0xc5, 0xc1, 7, 0xc1, 9],
        ),
        ("Signed", "an item that ends early", &[3, 0xc2, 0xc5, 7], &[3, 0xc2, 0xc5, 7]),
        (
            "Signed",
            "a length that is not the shortest",
            &[3, 0xf8, 2, 0xc1, 7],
            &[3, 0xf8, 2, 0xc1, 7],
        ),
        ("Signed", "an empty list", &[3, 0xc0], &[3, 0xc0]),
        ("Signed", "a type alone", &[3], &[3]),
        ("Signed", "no bytes", &[], &[]),
    ];
    let ask =
        |raw: &[u8], hash: Hash| EthTransaction { raw: Hex(raw.to_vec()), hash: Hash32(hash) };
    for (flag, comment, raw, signed) in cases {
        let hash = keccak256(&[signed]);
        let answer = expected(json!({ "hash": Hash32(hash) }));
        file.valid(&[flag], comment, &ask(raw, hash), answer);
        let mut flipped = hash;
        flipped[0] ^= 0x80;
        for (what, wrong) in [
            ("another first bit of the hash", flipped),
            ("the hash of all of it", keccak256(&[raw])),
            ("the hash without its type", keccak256(&[signed.get(1..).unwrap_or(&[1])])),
            ("the hash of what would be signed with blobs", keccak256(&[&[3, 0xc1, 7]])),
        ] {
            if wrong != hash {
                let comment = format!("{comment}: {what}");
                file.invalid(&[flag], comment, &ask(raw, wrong), Reason::TransactionMismatch);
            }
        }
    }
    inputs(file, &json!(ask(&[3], [0; 32])), &["raw", "hash"]);
}

fn inputs(file: &mut Builder, honest: &Value, members: &[&str]) {
    let of = members[0];
    let mut refuse = |comment: &str, input: &Value| {
        let comment = format!("{of} and another: {comment}");
        file.invalid(&["Input"], comment, input, Reason::InvalidArgument);
    };
    for member in members {
        let mut input = to_value(honest).expect("plain data");
        for value in [json!(null), json!(1), json!("0x0"), json!("00")] {
            input[*member] = value.clone();
            refuse(&format!("{member} is {value}"), &input);
        }
        input.as_object_mut().expect("an object").shift_remove(*member);
        refuse(&format!("{member} is missing"), &input);
    }
    let mut input = honest.clone();
    input["chain"] = json!("0x1");
    refuse("an unknown member", &input);
    let mut input = honest.clone();
    input[members[members.len() - 1 - usize::from(members[0] == "codeHash")]] = json!("0x00");
    refuse("a hash of one byte", &input);
}
