//! Checks that need only bytes and a hash: a transaction's hash, and an account's code.

use alloc::vec::Vec;

use prooflight_core::{ByteReader, Error, Hash, Hex, Reason, Result, keccak256};

use crate::rlp::{self, RlpItem};

/// The type of transactions with blobs (EIP-4844).
const BLOB_TRANSACTION: u8 = 3;

/// Checks the hash that a server returned for a sent transaction; returns the transaction's own hash.
///
/// The hash covers the signed part, without the blobs sent along with it. Another one is
/// `transaction_mismatch`, which states the transaction's own hash as expected.
pub fn verify_transaction_hash(raw: &[u8], answered: &Hash) -> Result<Hash> {
    let hash = signed_part(raw).map_or_else(|| keccak256(&[raw]), |signed| keccak256(&[&signed]));
    if hash == *answered {
        return Ok(hash);
    }
    Err(Error::new(Reason::TransactionMismatch, Hex(&hash), Hex(answered)))
}

/// Checks that code has an account's code hash; otherwise `code_mismatch`.
pub fn verify_code(code_hash: &Hash, code: &[u8]) -> Result<()> {
    let found = keccak256(&[code]);
    if found == *code_hash {
        return Ok(());
    }
    let expected = format_args!("code with hash {}", Hex(code_hash));
    Err(Error::new(Reason::CodeMismatch, expected, Hex(&found)))
}

/// Returns the signed part `03 || rlp(transaction)` of `03 || rlp([transaction, blobs…])`.
///
/// Returns `None` for every other transaction, which is signed as a whole: the first item of its list is not
/// a list.
pub fn signed_part(raw: &[u8]) -> Option<Vec<u8>> {
    let (&BLOB_TRANSACTION, outer) = raw.split_first()? else { return None };
    let Ok(RlpItem::List(payload)) = rlp::decode(outer) else { return None };
    let mut reader = ByteReader::new(payload);
    let Ok(RlpItem::List(_)) = rlp::item(&mut reader) else { return None };
    let length = payload.len() - reader.rest().len();
    Some([&[BLOB_TRANSACTION], payload.get(..length)?].concat())
}
