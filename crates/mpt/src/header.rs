//! Block headers: from a block's hash to its state root.

use core::fmt;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Verified, keccak256};

use crate::rlp::{self, RlpItem};

/// A block's number and state root, from its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHeader {
    /// The number of the block.
    pub number: u64,
    /// The root of the state after the block.
    pub state_root: Hash,
}

/// Verifies a block's header against its hash, which the caller must trust.
///
/// Headers of every fork of Ethereum are accepted: they have 15 fields or more, and each of the first 21
/// must have its known form. Later fields may be any string, since the hash covers them. Another form is
/// `malformed`, another hash is `header_hash_mismatch`.
///
/// Source: Ethereum Yellow Paper, section 4.3; EIP-1559, 4895, 4844, 4788, 7685.
pub fn verify_header(
    hash: &Hash,
    header_rlp: &[u8],
    limits: &Limits,
) -> Result<Verified<StateHeader>> {
    limits.check_proof(header_rlp.len())?;
    let header = StateHeader::decode(header_rlp)?;
    let found = keccak256(&[header_rlp]);
    if found != *hash {
        return Err(Error::new(Reason::HeaderHashMismatch, Hex(hash), Hex(&found)));
    }
    Ok(Verified::by_verifier(header))
}

/// The form of a field.
#[derive(Clone, Copy)]
enum FieldForm {
    /// Exactly this many bytes.
    Bytes(usize),
    /// An integer of at most this many bytes, without leading zeros.
    Integer(usize),
    /// Any string.
    Any,
}

/// A header's fields in their order, with their names.
const HEADER_FIELDS: [(&str, FieldForm); 21] = [
    ("parentHash", FieldForm::Bytes(32)),
    ("ommersHash", FieldForm::Bytes(32)),
    ("beneficiary", FieldForm::Bytes(20)),
    ("stateRoot", FieldForm::Bytes(32)),
    ("transactionsRoot", FieldForm::Bytes(32)),
    ("receiptsRoot", FieldForm::Bytes(32)),
    ("logsBloom", FieldForm::Bytes(256)),
    ("difficulty", FieldForm::Integer(32)),
    ("number", FieldForm::Integer(8)),
    ("gasLimit", FieldForm::Integer(8)),
    ("gasUsed", FieldForm::Integer(8)),
    ("timestamp", FieldForm::Integer(8)),
    ("extraData", FieldForm::Any),
    ("mixHash", FieldForm::Bytes(32)),
    ("nonce", FieldForm::Bytes(8)),
    ("baseFeePerGas", FieldForm::Integer(32)),
    ("withdrawalsRoot", FieldForm::Bytes(32)),
    ("blobGasUsed", FieldForm::Integer(8)),
    ("excessBlobGas", FieldForm::Integer(8)),
    ("parentBeaconBlockRoot", FieldForm::Bytes(32)),
    ("requestsHash", FieldForm::Bytes(32)),
];

/// The number of fields that every header has.
const MIN_HEADER_FIELDS: usize = 15;
const STATE_ROOT_FIELD: usize = 3;
const NUMBER_FIELD: usize = 8;

impl StateHeader {
    fn decode(bytes: &[u8]) -> Result<Self> {
        let RlpItem::List(payload) = rlp::decode(bytes)? else {
            return Err(invalid("a list", "a string"));
        };
        let mut header = Self { number: 0, state_root: Hash::default() };
        let mut count = 0;
        let mut items = rlp::items(payload);
        while !items.is_empty() {
            let RlpItem::String(field) = items.take()? else {
                return Err(invalid("fields that are strings", format_args!("a list at {count}")));
            };
            let (name, form) =
                HEADER_FIELDS.get(count).copied().unwrap_or(("field", FieldForm::Any));
            if !form.fits(field) {
                return Err(invalid(format_args!("the {name} of a header"), Hex(field)));
            }
            match count {
                STATE_ROOT_FIELD => {
                    header.state_root = rlp::array(RlpItem::String(field)).unwrap_or_default();
                }
                NUMBER_FIELD => {
                    let number = rlp::integer(RlpItem::String(field)).unwrap_or_default();
                    header.number = u64::from_be_bytes(number);
                }
                _ => {}
            }
            count += 1;
        }
        if count < MIN_HEADER_FIELDS {
            return Err(invalid(format_args!("at least {MIN_HEADER_FIELDS} fields"), count));
        }
        Ok(header)
    }
}

impl FieldForm {
    fn fits(self, field: &[u8]) -> bool {
        match self {
            Self::Bytes(length) => field.len() == length,
            Self::Integer(most) => field.len() <= most && field.first() != Some(&0),
            Self::Any => true,
        }
    }
}

#[cold]
fn invalid(expected: impl fmt::Display, found: impl fmt::Display) -> Error {
    Error::new(Reason::InvalidHeader, expected, found)
}
