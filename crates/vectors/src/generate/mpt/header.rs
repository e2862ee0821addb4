//! `mpt/header.json`: block headers of every fork's form, right and wrong.

use prooflight_core::{Reason, keccak256};
use serde_json::{json, to_value};
use sha3::{Digest as _, Sha3_256};

use super::long_header;
use super::trie::{Rlp, string};
use crate::carrier::{Hash32, Hex, Quantity};
use crate::generate::builder::{Builder, expected};
use crate::mpt::EthHeader;

const FLAGS: &[(&str, &str)] = &[
    ("Field", "a field has another form; the hash is that of the header"),
    ("Fields", "more or fewer fields; the hash is that of the header"),
    ("Hash", "the header is not the one that the hash names"),
    ("Input", "the input cannot be read as one of an EthHeader"),
    ("Limit", "as long as the limit allows, or longer"),
    ("Mutated", "an honest header with one byte changed; only the code is pinned"),
    ("Rlp", "bytes that are not the RLP of a list; the hash is theirs"),
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("mpt", FLAGS);
    file.group("EthHeader");
    valid(&mut file);
    counts(&mut file);
    fields(&mut file);
    rlp(&mut file);
    hashes(&mut file);
    mutated(&mut file);
    inputs(&mut file);
    long_header::add(&mut file);
    file.finish()
}

const NUMBER: u64 = 0x0102_0304;
const STATE_ROOT: [u8; 32] = [0x5a; 32];

/// The fields of a header of all forks: bytes, or integers of at most so many bytes.
pub(super) fn all_fields() -> Vec<Rlp> {
    let hash = |byte| string([byte; 32]);
    let number = string(&NUMBER.to_be_bytes()[4..]);
    vec![
        hash(0x10),
        hash(0x11),
        string([0x12; 20]),
        string(STATE_ROOT),
        hash(0x14),
        hash(0x15),
        string([0; 256]),
        string([]),
        number,
        string([0x01, 0xc9, 0xc3, 0x80]),
        string([0x52, 0x08]),
        string([0x65, 0x00, 0x00, 0x00]),
        string(b"extra"),
        hash(0x1d),
        string([0; 8]),
        string([0x07]),
        hash(0x20),
        string([]),
        string([0x01, 0x00]),
        hash(0x23),
        hash(0x24),
        hash(0x25),
        string([]),
    ]
}

fn header_of(bytes: Vec<u8>) -> EthHeader {
    EthHeader { hash: Hash32(keccak256(&[&bytes])), header_rlp: Hex(bytes) }
}

pub(super) fn header(fields: Vec<Rlp>) -> EthHeader {
    header_of(Rlp::List(fields).encode())
}

fn with(place: usize, field: Rlp) -> EthHeader {
    let mut fields = all_fields()[..21].to_vec();
    fields[place] = field;
    header(fields)
}

fn valid(file: &mut Builder) {
    let answer =
        |number| expected(json!({ "number": Quantity(number), "stateRoot": Hash32(STATE_ROOT) }));
    for (fork, count) in
        [("Frontier", 15), ("London", 16), ("Shanghai", 17), ("Cancun", 20), ("Prague", 21)]
    {
        let input = header(all_fields()[..count].to_vec());
        file.valid(&["Fields"], format!("{count} fields, as of {fork}"), &input, answer(NUMBER));
    }
    for count in [22, 23] {
        let input = header(all_fields()[..count].to_vec());
        file.valid(
            &["Fields"],
            format!("{count} fields, as of a later fork"),
            &input,
            answer(NUMBER),
        );
    }
    for (comment, number) in
        [("the number 0", 0), ("the number 2^64 - 1", u64::MAX), ("the number 127", 127)]
    {
        let digits = number.to_be_bytes();
        let digits: Vec<_> = digits.into_iter().skip_while(|&digit| digit == 0).collect();
        file.valid(&["Field"], comment, &with(8, string(digits)), answer(number));
    }
    for (comment, place, field) in [
        ("no extraData", 12, string([])),
        ("extraData of 97 bytes, as Clique has it", 12, string([1; 97])),
        ("extraData that begins with 00", 12, string([0, 1])),
        ("a difficulty of 32 bytes", 7, string([0xff; 32])),
        ("a base fee of 0", 15, string([])),
        ("a timestamp of 8 bytes", 11, string([0xff; 8])),
    ] {
        file.valid(&["Field"], comment, &with(place, field), answer(NUMBER));
    }
}

fn counts(file: &mut Builder) {
    for count in [0, 1, 3, 4, 8, 9, 14] {
        let input = header(all_fields()[..count].to_vec());
        file.invalid(&["Fields"], format!("{count} fields"), &input, Reason::InvalidHeader);
    }
}

fn fields(file: &mut Builder) {
    for (place, length) in [
        (0, 32),
        (1, 32),
        (2, 20),
        (3, 32),
        (4, 32),
        (5, 32),
        (6, 256),
        (13, 32),
        (14, 8),
        (16, 32),
        (19, 32),
        (20, 32),
    ] {
        for other in [0, length - 1, length + 1] {
            let comment = format!("field {place} of {other} bytes");
            file.invalid(
                &["Field"],
                comment,
                &with(place, string(vec![1; other])),
                Reason::InvalidHeader,
            );
        }
    }
    for (place, most) in [(7, 32), (8, 8), (9, 8), (10, 8), (11, 8), (15, 32), (17, 8), (18, 8)] {
        for (comment, bytes) in [
            (format!("{} bytes", most + 1), vec![1; most + 1]),
            ("the byte 00".to_owned(), vec![0]),
            ("a leading zero".to_owned(), vec![0, 1]),
        ] {
            let comment = format!("field {place}, an integer, of {comment}");
            file.invalid(&["Field"], comment, &with(place, string(bytes)), Reason::InvalidHeader);
        }
    }
    for place in 0..23 {
        let mut fields = all_fields();
        fields[place] = Rlp::List(vec![]);
        let comment = format!("field {place} is a list");
        file.invalid(&["Field"], comment, &header(fields), Reason::InvalidHeader);
    }
    for place in [8, 12, 21] {
        let mut fields = all_fields();
        fields[place] = Rlp::Raw(vec![0x81, 0x05]);
        let comment = format!("field {place} has a length that it does not need");
        file.invalid(&["Rlp"], comment, &header(fields), Reason::InvalidEncoding);
    }
}

fn rlp(file: &mut Builder) {
    let bytes = Rlp::List(all_fields()[..21].to_vec()).encode();
    assert_eq!(bytes[0], 0xf9, "a length of two bytes");
    for (comment, bytes, reason) in [
        ("a byte after the header", [&bytes[..], &[0]].concat(), Reason::TrailingBytes),
        ("the header without its last byte", bytes[..bytes.len() - 1].to_vec(), Reason::Truncated),
        ("no bytes for a header", vec![], Reason::Truncated),
        (
            "a length with a leading zero",
            [&[0xfa, 0], &bytes[1..]].concat(),
            Reason::InvalidEncoding,
        ),
        ("a string of the header", string(&bytes).encode(), Reason::InvalidHeader),
        ("the header's fields in a string", [&[0xb9], &bytes[1..]].concat(), Reason::InvalidHeader),
        ("a list whose length of 8 bytes is 2^64 - 1", vec![0xff; 9], Reason::Truncated),
    ] {
        file.invalid(&["Rlp"], comment, &header_of(bytes), reason);
    }
    let mut cut = Rlp::List(all_fields()[..21].to_vec()).encode();
    let length = cut.len();
    cut[2] -= 1;
    file.invalid(
        &["Rlp"],
        "a list that is a byte shorter than the header",
        &header_of(cut.clone()),
        Reason::TrailingBytes,
    );
    cut.truncate(length - 1);
    file.invalid(
        &["Rlp"],
        "a last field that is a byte longer than the list",
        &header_of(cut),
        Reason::Truncated,
    );
}

fn hashes(file: &mut Builder) {
    let honest = header(all_fields()[..21].to_vec());
    for bit in [0, 77, 255] {
        let mut other = honest.clone();
        other.hash.0[bit / 8] ^= 1 << (bit % 8);
        let comment = format!("bit {bit} of the hash flipped");
        file.invalid(&["Hash"], comment, &other, Reason::HeaderHashMismatch);
    }
    for (comment, place, field) in [
        ("another state root", 3, string([0x5b; 32])),
        ("another number", 8, string([1, 2, 3, 5])),
        ("another requestsHash", 20, string([0x25; 32])),
    ] {
        let input = EthHeader { hash: honest.hash, ..with(place, field) };
        file.invalid(&["Hash"], comment, &input, Reason::HeaderHashMismatch);
    }
    let fewer = EthHeader { hash: honest.hash, ..header(all_fields()[..20].to_vec()) };
    file.invalid(
        &["Hash"],
        "the header without its last field",
        &fewer,
        Reason::HeaderHashMismatch,
    );
    let sha3 = Hash32(Sha3_256::digest(&honest.header_rlp.0).into());
    let sha3 = EthHeader { hash: sha3, ..honest.clone() };
    let comment = "the SHA3-256 of the header, which is not its Keccak-256";
    file.invalid(&["Hash"], comment, &sha3, Reason::HeaderHashMismatch);
    let zeros = EthHeader { hash: Hash32([0; 32]), ..honest };
    file.invalid(&["Hash"], "a hash of zeros", &zeros, Reason::HeaderHashMismatch);
}

/// Some bytes of a header with one bit flipped, deleted, inserted and swapped with the next one.
fn mutated(file: &mut Builder) {
    let honest = header(all_fields()[..21].to_vec());
    let bytes = &honest.header_rlp.0;
    let mut refuse = |comment: String, bytes: Vec<u8>| {
        let input = EthHeader { header_rlp: Hex(bytes), ..honest.clone() };
        file.refused(&["Mutated"], comment, &input);
    };
    // Steps that are odd, so that they meet the fields' first bytes and others.
    for at in (0..bytes.len()).step_by(9) {
        let bit = at * 5 % 8;
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << bit;
        refuse(format!("bit {bit} of byte {at} flipped"), flipped);
        if at % 27 == 0 {
            let mut shorter = bytes.clone();
            shorter.remove(at);
            refuse(format!("byte {at} deleted"), shorter);
            let mut longer = bytes.clone();
            longer.insert(at, 0x10);
            refuse(format!("a byte inserted before byte {at}"), longer);
        }
        if at + 1 < bytes.len() && bytes[at] != bytes[at + 1] {
            let mut swapped = bytes.clone();
            swapped.swap(at, at + 1);
            refuse(format!("bytes {at} and {} swapped", at + 1), swapped);
        }
    }
}

fn inputs(file: &mut Builder) {
    let honest = to_value(header(all_fields())).expect("inputs are plain data");
    let hash = honest["hash"].as_str().expect("a string").to_owned();
    for (comment, member, value) in [
        ("a hash of 31 bytes", "hash", json!(hash[..64])),
        ("a hash of null", "hash", json!(null)),
        ("a header with an odd number of digits", "headerRlp", json!("0xc")),
        ("a header that is an array", "headerRlp", json!([hash])),
        ("a member that is not specified", "number", json!("0x1")),
    ] {
        let mut input = honest.clone();
        input[member] = value;
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
    for member in ["hash", "headerRlp"] {
        let mut input = honest.clone();
        input.as_object_mut().expect("an object").remove(member);
        file.invalid(
            &["Input"],
            format!("no {member} of the input"),
            &input,
            Reason::InvalidArgument,
        );
    }
}
