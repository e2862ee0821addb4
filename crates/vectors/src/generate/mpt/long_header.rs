//! Headers as long as the limit, and longer.

use prooflight_core::Reason;

use super::header::{all_fields, header};
use crate::generate::builder::Builder;
use crate::generate::padded::{MOST, padded};
use crate::mpt::EthHeader;

pub(super) fn add(file: &mut Builder) {
    let honest = header(all_fields());
    for (comment, length, reason) in [
        ("zeros after the header, 8 MiB together", MOST, Reason::TrailingBytes),
        ("zeros after the header, over 8 MiB together", MOST + 1, Reason::ProofTooLarge),
    ] {
        let input = EthHeader { header_rlp: padded(&honest.header_rlp, length), ..honest };
        file.invalid(&["Limit"], comment, &input, reason);
    }
}
