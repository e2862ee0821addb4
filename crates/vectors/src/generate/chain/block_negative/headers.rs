//! Headers that are none, or that have no root of the state.

use prooflight_core::Reason;

use super::{ledger, with_header};
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::generate::padded::{MOST, padded};
use crate::state::BlockTransition;

pub(super) fn add(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    let mut refuse = |comment: &str, header: Vec<u8>, reason| {
        let input = BlockTransition { header: Hex(header), ..honest.clone() };
        file.invalid(&["Header"], comment, &input, reason);
    };
    let bytes = &honest.header.0;
    let encoding = Reason::InvalidEncoding;
    refuse("an empty header", vec![], encoding);
    let longer = |length| padded(&honest.header, length).0;
    refuse("zeros after the header, 8 MiB together", longer(MOST), Reason::TrailingBytes);
    let too_large = Reason::ProofTooLarge;
    refuse("zeros after the header, over 8 MiB together", longer(MOST + 1), too_large);
    let proof = padded(&honest.proof, MOST + 1);
    let input = BlockTransition { proof, ..honest.clone() };
    file.invalid(&["Limit"], "zeros after the proof, over 8 MiB together", &input, too_large);
    let mut refuse = |comment: &str, header: Vec<u8>, reason| {
        let input = BlockTransition { header: Hex(header), ..honest.clone() };
        file.invalid(&["Header"], comment, &input, reason);
    };
    for n in [1, 33, 41, 81, 145, 149, 154, bytes.len() - 1] {
        let comment = format!("the first {n} of {} bytes of the header", bytes.len());
        refuse(&comment, bytes[..n].to_vec(), encoding);
    }
    let trailing = Reason::TrailingBytes;
    refuse("a header with a byte after it", [&bytes[..], &[0]].concat(), trailing);
    refuse("a header with its signatures", ledger.chain.signed(3).encode(), trailing);
    refuse("the header's hash", ledger.chain.headers[3].hash().to_vec(), encoding);
    let invalid = Reason::InvalidHeader;
    refuse("a header of version 0", [&[0], &bytes[1..]].concat(), invalid);
    refuse("a header of version 2", [&[2], &bytes[1..]].concat(), invalid);
    let genesis = [&bytes[..33], &[0; 8], &bytes[41..]].concat();
    refuse("a header of height 0 with a parent", genesis, invalid);
    let mut scheme = bytes.clone();
    scheme[149] = 7;
    refuse("a header of a scheme that does not exist", scheme, Reason::UnknownScheme);
    let mut long = honest.clone();
    long = with_header(&long, |header| header.roots[0].1.push(0));
    refuse("a root of 34 bytes", long.header.0, invalid);
    let twice = with_header(&honest, |header| header.roots.push(header.roots[0].clone()));
    refuse("the root twice", twice.header.0, invalid);
    let none = with_header(&honest, |header| header.roots.clear());
    refuse("a header without roots", none.header.0, Reason::WrongSchemes);
    let other = with_header(&honest, |header| header.roots = vec![(3, vec![0; 32])]);
    refuse("a header with the root of another scheme", other.header.0, Reason::WrongSchemes);
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        let bit = at * 5 % 8;
        flipped[at] ^= 1 << bit;
        // What a header says of its place in the chain is not looked at.
        let of_place = (1..33).contains(&at) || (33..81).contains(&at) || (113..145).contains(&at);
        if of_place {
            continue;
        }
        let input = BlockTransition { header: Hex(flipped), ..honest.clone() };
        let comment = format!("bit {bit} of byte {at} of the header flipped");
        file.refused(&["Header"], comment, &input);
    }
}
