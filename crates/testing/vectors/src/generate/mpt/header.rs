//! `mpt/header.json`: honest headers of every fork's form.

use prooflight_core::keccak256;
use prooflight_json::{Hash32, HexBytes, Quantity};
use prooflight_testkit::mpt::rlp::Rlp;
use serde_json::json;

use super::trie::string;
use crate::generate::builder::{FileBuilder, expected};
use crate::mpt::EthHeader;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("EthHeader");
    valid(file);
}

const BLOCK_NUMBER: u64 = 0x0102_0304;
const STATE_ROOT: [u8; 32] = [0x5a; 32];

/// The fields of a header with those of all forks.
fn all_fields() -> Vec<Rlp> {
    let hash = |byte| string([byte; 32]);
    let number = string(&BLOCK_NUMBER.to_be_bytes()[4..]);
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

fn header(fields: Vec<Rlp>) -> EthHeader {
    let bytes = Rlp::List(fields).encode();
    EthHeader { hash: Hash32(keccak256(&[&bytes])), header_rlp: HexBytes(bytes) }
}

fn with(place: usize, field: Rlp) -> EthHeader {
    let mut fields = all_fields()[..21].to_vec();
    fields[place] = field;
    header(fields)
}

fn valid(file: &mut FileBuilder) {
    let answer =
        |number| expected(json!({ "number": Quantity(number), "stateRoot": Hash32(STATE_ROOT) }));
    for (fork, count) in
        [("Frontier", 15), ("London", 16), ("Shanghai", 17), ("Cancun", 20), ("Prague", 21)]
    {
        let input = header(all_fields()[..count].to_vec());
        file.valid(
            &["Fields"],
            format!("{count} fields, as of {fork}"),
            &input,
            answer(BLOCK_NUMBER),
        );
    }
    for count in [22, 23] {
        let input = header(all_fields()[..count].to_vec());
        file.valid(
            &["Fields"],
            format!("{count} fields, as of a later fork"),
            &input,
            answer(BLOCK_NUMBER),
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
        file.valid(&["Field"], comment, &with(place, field), answer(BLOCK_NUMBER));
    }
}
