//! What records were before a block: enough to roll it back, and to know which leaves it gave up.
//!
//! The record: the commitment of the root AMT (64 bytes); the number of keys u32; of each key its hash, the
//! length u32 and the bytes of its record, and for a new key, with length 0, its level u8 and slot u8 instead;
//! then of each AMT its level u8, some key hash below it, and its record, behind a 1, or a 0 if it is new.

use alloc::vec::Vec;

use prooflight_amt::Point;
use prooflight_core::store::{Read, WriteBatch};
use prooflight_core::{Hash, Reader, Result};

use super::block::Block;
use super::record::{AmtRecord, KeyHead, before_key, corrupt, decode, put, require};
use crate::proof::{Place, Slot};

/// What a block has changed, as it was.
#[derive(Debug)]
pub(super) struct Before {
    pub(super) commitment: Point,
    pub(super) keys: Vec<KeyBefore>,
    pub(super) amts: Vec<AmtBefore>,
}

/// A key that a block wrote, as it was.
#[derive(Debug)]
pub(super) struct KeyBefore {
    pub(super) key_hash: Hash,
    pub(super) state: Written,
}

/// What a key was before a block wrote it.
#[derive(Debug)]
pub(super) enum Written {
    /// It had no slot, and got this one.
    Never {
        /// The slot.
        slot: Slot,
    },
    /// It had this record, which begins with the head.
    Before {
        /// What the record begins with.
        head: KeyHead,
        /// The record.
        record: Vec<u8>,
    },
}

/// An AMT at level 1 or below that a block changed, as it was.
#[derive(Debug)]
pub(super) struct AmtBefore {
    pub(super) level: u8,
    /// The hash of some key below it.
    pub(super) key_hash: Hash,
    pub(super) record: Option<AmtRecord>,
}

/// Puts what a block changes, as it is before.
pub(super) fn put_before(
    writes: &mut WriteBatch,
    number: u64,
    commitment: &Point,
    block: &Block<'_>,
) {
    let records =
        block.keys.iter().map(|key| key.before.as_ref().map_or(1, |before| before.0.len()));
    let keys_length = 36 * block.keys.len() + records.sum::<usize>();
    let mut record = Vec::with_capacity(76 + keys_length + 120 * block.amts.len());
    record.extend_from_slice(&commitment.to_coordinates());
    record.extend_from_slice(&(block.keys.len() as u32).to_be_bytes());
    for key in &block.keys {
        record.extend_from_slice(&key.key_hash);
        let before = key.before.as_ref().map_or(&[][..], |(before, _)| before);
        record.extend_from_slice(&(before.len() as u32).to_be_bytes());
        if before.is_empty() {
            record.extend_from_slice(&[key.slot.level, key.slot.number]);
        }
        record.extend_from_slice(before);
    }
    for amt in &block.amts {
        record.push(amt.level);
        record.extend_from_slice(&amt.key_hash);
        record.push(amt.before.is_some().into());
        if let Some(before) = &amt.before {
            before.encode_to(&mut record);
        }
    }
    put(writes, before_key(number), record);
}

/// What a kept block has changed, as it was.
pub(super) fn read_before<S: Read + ?Sized>(store: &S, number: u64) -> Result<Before> {
    let key = before_key(number);
    decode(&key, &require(store, &key)?, |reader| {
        let commitment = Point::from_coordinates(&reader.array()?)?;
        let (mut keys, mut amts) = (Vec::new(), Vec::new());
        for _ in 0..reader.u32_be()? {
            keys.push(KeyBefore { key_hash: reader.array()?, state: Written::decode(reader)? });
        }
        while !reader.rest().is_empty() {
            let (level, key_hash) = (reader.u8()?, reader.array()?);
            let record = match reader.u8()? {
                0 => None,
                1 => Some(AmtRecord::decode(reader)?),
                tag => return Err(corrupt("a record, or none", tag)),
            };
            amts.push(AmtBefore { level, key_hash, record });
        }
        Ok(Before { commitment, keys, amts })
    })
}

impl Before {
    /// Where the leaves are that the block replaced.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> {
        let keys = self.keys.iter().filter_map(|key| match &key.state {
            Written::Before { head, .. } => Some(head.place),
            Written::Never { .. } => None,
        });
        keys.chain(self.amts.iter().filter_map(|amt| amt.record.map(|record| record.place)))
    }
}

impl Written {
    /// The slot that the key has since.
    pub(super) const fn slot(&self) -> Slot {
        match self {
            Self::Never { slot } => *slot,
            Self::Before { head, .. } => head.slot,
        }
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        let length = reader.u32_be()?;
        if length == 0 {
            let slot = Slot { level: reader.u8()?, number: reader.u8()? };
            return Ok(Self::Never { slot });
        }
        let record = reader.take(length as usize)?.to_vec();
        Ok(Self::Before { head: KeyHead::decode(&record)?, record })
    }
}
