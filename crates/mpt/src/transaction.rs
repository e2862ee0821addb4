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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_hash_of(raw: &[u8], signed: &[u8]) {
        let hash = keccak256(&[signed]);
        assert_eq!(verify_transaction_hash(raw, &hash), Ok(hash));
        let refused = verify_transaction_hash(raw, &[0; 32]).unwrap_err();
        assert_eq!(refused.reason(), Reason::TransactionMismatch);
    }

    #[test]
    fn blobs_are_not_signed() {
        is_hash_of(&[3, 0xc4, 0xc1, 7, 0xc1, 9], &[3, 0xc1, 7]);
        is_hash_of(&[3, 0xc2, 0xc1, 7], &[3, 0xc1, 7]);
    }

    #[test]
    fn everything_else_is_signed_as_it_is() {
        for raw in [
            &[][..],
            &[3],
            &[3, 0xc0],
            // The first item is not a list.
            &[3, 0xc3, 7, 0xc1, 9],
            // Another type.
            &[2, 0xc4, 0xc1, 7, 0xc1, 9],
            // Not a single list, or a truncated one.
            &[3, 0xc4, 0xc1, 7, 0xc1, 9, 0],
            &[3, 0xc5, 0xc1, 7, 0xc1, 9],
            &[3, 0xc2, 0xc5, 7],
        ] {
            is_hash_of(raw, raw);
        }
    }

    #[test]
    fn code_has_its_hash() {
        assert_eq!(verify_code(&crate::EMPTY_CODE_HASH, &[]), Ok(()));
        assert_eq!(verify_code(&keccak256(&[&[1]]), &[1]), Ok(()));
        let refused = verify_code(&crate::EMPTY_CODE_HASH, &[1]).unwrap_err();
        assert_eq!(refused.reason(), Reason::CodeMismatch);
    }
}
