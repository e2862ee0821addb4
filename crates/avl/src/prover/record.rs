//! The layout of a dictionary in its store, in addition to that of
//! [`Revisions`](prooflight_core::store::Revisions).
//!
//! | key | value |
//! |---|---|
//! | `f` | 16 random bytes that identify the store to its [revision file](super::revision_file); absent without such a file |
//! | `p` | key length u32, `00` or `01` and the value length u64 |
//! | `v` revision u64 | begins with root id u64, root label, height u8 |
//! | `n` id u64 | `00`, key, next key, value; or `01`, balance i8, separator, two child ids u64, two labels |
//!
//! All integers are big-endian.

use prooflight_core::store::{RevisionRoot, corrupt, id_be};
use prooflight_core::{ByteReader, Result};

use crate::hash::LabelPreimage;
use crate::params::{Digest, Label, Params};

pub(super) const PARAMS_KEY: &[u8] = b"p";
#[cfg(feature = "chain")]
pub(super) const IDENTITY_KEY: &[u8] = b"f";

pub(super) fn params_record(params: &Params) -> Vec<u8> {
    let key_length = u32::try_from(params.key_length).unwrap_or(u32::MAX).to_be_bytes();
    let mut record = key_length.to_vec();
    match params.value_length {
        None => record.push(0),
        Some(length) => {
            record.push(1);
            record.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    record
}

/// The root of one revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeRoot {
    pub(super) id: u64,
    pub(super) label: Label,
    pub(super) height: u8,
}

impl TreeRoot {
    pub(super) fn digest(&self) -> Digest {
        Digest::new(&self.label, self.height)
    }
}

impl RevisionRoot for TreeRoot {
    fn encode(&self, record: &mut Vec<u8>) {
        record.extend_from_slice(&self.id.to_be_bytes());
        record.extend_from_slice(&self.label);
        record.push(self.height);
    }

    fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        Ok(Self { id: id_be(reader)?, label: reader.array()?, height: reader.u8()? })
    }
}

/// One node of a dictionary.
#[derive(Clone, Copy, Debug)]
pub(super) enum NodeRecord<'a> {
    Leaf { key: &'a [u8], next_key: &'a [u8], value: &'a [u8] },
    Internal { balance: i8, separator: &'a [u8], ids: [u64; 2], labels: [Label; 2] },
}

impl<'a> NodeRecord<'a> {
    pub(super) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Leaf { key, next_key, value } => [&[0], *key, next_key, value].concat(),
            Self::Internal { balance, separator, ids: [left, right], labels } => {
                let [balance] = balance.to_be_bytes();
                let (left, right) = (left.to_be_bytes(), right.to_be_bytes());
                [&[1, balance], *separator, &left, &right, &labels[0], &labels[1]].concat()
            }
        }
    }

    /// The label of the node.
    pub(super) fn label(&self) -> Label {
        self.preimage().label()
    }

    /// The preimage of the label.
    pub(super) const fn preimage(&self) -> LabelPreimage<'_> {
        match self {
            Self::Leaf { key, next_key, value } => LabelPreimage::Leaf { key, value, next_key },
            Self::Internal { balance, labels: [left, right], .. } => {
                LabelPreimage::Internal { balance: *balance, left, right }
            }
        }
    }

    pub(super) fn decode(record: &'a [u8], key_length: usize) -> Result<Self> {
        let mut reader = ByteReader::new(record);
        let node = match reader.u8()? {
            0 => {
                let key = reader.take(key_length)?;
                let next_key = reader.take(key_length)?;
                return Ok(Self::Leaf { key, next_key, value: reader.rest() });
            }
            1 => Self::Internal {
                balance: i8::from_be_bytes(reader.array()?),
                separator: reader.take(key_length)?,
                ids: [id_be(&mut reader)?, id_be(&mut reader)?],
                labels: [reader.array()?, reader.array()?],
            },
            other => return Err(corrupt("a node of kind 0 or 1", other)),
        };
        reader.finish()?;
        Ok(node)
    }
}
