//! State changes in the reference node's representation: raw keys and values.

use prooflight_core::{Error, Hash, Hex, Reason, Result};

use super::state::StateChange;
use crate::account::{Address, Word};
use crate::rlp::{self, RlpItem};

impl StateChange {
    /// Decodes a change from a raw key and its new value; `None` deletes the key.
    ///
    /// A key of 20 bytes is an account, and its value is RLP([nonce, balance, code hash]). A key of
    /// 52 bytes is an address and a slot; its value is the slot's bytes, big-endian without leading
    /// zeros, and an empty or all-zero value deletes the slot. `key_length` for any other key,
    /// `invalid_argument` for any other value.
    pub fn from_entry(key: &[u8], value: Option<&[u8]>) -> Result<Self> {
        let wrong_length = || {
            let found = format_args!("{} bytes", key.len());
            Error::new(Reason::KeyLength, "20 or 52 bytes", found)
        };
        let (&address, slot) = key.split_first_chunk().ok_or_else(wrong_length)?;
        match (slot, value) {
            ([], None) => Ok(Self::DeleteAccount { address }),
            ([], Some(value)) => account(address, value).ok_or_else(|| {
                let expected = "the encoding of a nonce, a balance and a code hash";
                Error::new(Reason::InvalidArgument, expected, Hex(value))
            }),
            _ => {
                let slot = slot.try_into().map_err(|_| wrong_length())?;
                let value = integer(value.unwrap_or_default())?;
                Ok(Self::SetSlot { address, slot, value })
            }
        }
    }
}

fn account(address: Address, value: &[u8]) -> Option<StateChange> {
    let Ok(RlpItem::List(payload)) = rlp::decode(value) else { return None };
    let mut items = rlp::items(payload);
    let nonce = u64::from_be_bytes(rlp::integer(items.take().ok()?)?);
    let balance: Word = rlp::integer(items.take().ok()?)?;
    let code_hash: Hash = rlp::array(items.take().ok()?)?;
    items.is_empty().then_some(StateChange::SetAccount { address, nonce, balance, code_hash })
}

fn integer(value: &[u8]) -> Result<Word> {
    if value.iter().all(|&byte| byte == 0) {
        return Ok(Word::default());
    }
    rlp::integer(RlpItem::String(value)).ok_or_else(|| {
        let expected = "an integer of at most 32 bytes without leading zeros";
        Error::new(Reason::InvalidArgument, expected, Hex(value))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::encode;
    use alloc::vec::Vec;

    const ADDRESS: Address = [0xad; 20];

    fn account_value(nonce: &[u8], balance: &[u8], code_hash: &[u8]) -> Vec<u8> {
        encode::list(&[encode::string(nonce), encode::string(balance), encode::string(code_hash)])
    }

    #[test]
    fn accounts_are_read() {
        let value = account_value(&[7], &[1; 32], &[9; 32]);
        let set = StateChange::SetAccount {
            address: ADDRESS,
            nonce: 7,
            balance: [1; 32],
            code_hash: [9; 32],
        };
        assert_eq!(StateChange::from_entry(&ADDRESS, Some(&value)), Ok(set));
        let delete = StateChange::DeleteAccount { address: ADDRESS };
        assert_eq!(StateChange::from_entry(&ADDRESS, None), Ok(delete));
        for value in [
            account_value(&[0], &[1], &[9; 32]),
            account_value(&[1; 9], &[1], &[9; 32]),
            account_value(&[1], &[1; 33], &[9; 32]),
            account_value(&[1], &[1], &[9; 31]),
            encode::list(&[encode::string(&[1]), encode::string(&[1])]),
            encode::list(core::slice::from_ref(&value)),
            encode::string(&value),
            [&value[..], &[0]].concat(),
            Vec::new(),
        ] {
            let refused = StateChange::from_entry(&ADDRESS, Some(&value)).unwrap_err();
            assert_eq!(refused.reason(), Reason::InvalidArgument, "{value:02x?}");
        }
    }

    #[test]
    fn slots_are_read() {
        let key = [&ADDRESS[..], &[5; 32]].concat();
        let read = |value| match StateChange::from_entry(&key, value).map_err(|it| it.reason()) {
            Ok(StateChange::SetSlot { address: ADDRESS, slot, value }) if slot == [5; 32] => {
                Ok(value)
            }
            Ok(other) => panic!("{other:?}"),
            Err(reason) => Err(reason),
        };
        let mut word = [0; 32];
        for zero in [None, Some(&[][..]), Some(&[0]), Some(&[0; 32]), Some(&[0; 40])] {
            assert_eq!(read(zero), Ok(word));
        }
        (word[30], word[31]) = (1, 2);
        assert_eq!(read(Some(&[1, 2])), Ok(word));
        assert_eq!(read(Some(&[0xff; 32])), Ok([0xff; 32]));
        assert_eq!(read(Some(&[0, 1])), Err(Reason::InvalidArgument));
        assert_eq!(read(Some(&[1; 33])), Err(Reason::InvalidArgument));
    }

    #[test]
    fn other_keys_are_refused() {
        for length in [0, 19, 21, 32, 51, 53] {
            for value in [None, Some(&[1][..])] {
                let key = alloc::vec![1; length];
                let refused = StateChange::from_entry(&key, value).unwrap_err();
                assert_eq!(refused.reason(), Reason::KeyLength, "{length}");
            }
        }
    }
}
