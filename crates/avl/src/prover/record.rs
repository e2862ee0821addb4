//! How a kept dictionary looks in its store.
//!
//! | key | value |
//! |---|---|
//! | `p` | key length u32, `00` or `01` and the value length u64 |
//! | `h` | the newest version u64, the oldest kept version u64 |
//! | `v` version u64 | root id u64, root label, height u8, first id u64, next id u64, removed ids u64… |
//! | `n` id u64 | `00`, key, next key, value; or `01`, balance i8, separator, two child ids u64, two labels |
//!
//! All integers are big-endian. Nodes are never changed: a version writes its new nodes under ids
//! that no version had before, `first..next`, and lists the ids that it no longer uses.

use prooflight_core::store::Read;
use prooflight_core::{Error, Reader, Reason, Result};

use crate::params::{Label, Params};

pub(super) const PARAMS_KEY: &[u8] = b"p";
pub(super) const HEAD_KEY: &[u8] = b"h";

pub(super) fn version_key(version: u64) -> Vec<u8> {
    [b"v", &version.to_be_bytes()[..]].concat()
}

pub(super) fn node_key(id: u64) -> Vec<u8> {
    [b"n", &id.to_be_bytes()[..]].concat()
}

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

/// The newest version and the oldest one that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) newest: u64,
    pub(super) oldest: u64,
}

impl Head {
    pub(super) fn encode(self) -> Vec<u8> {
        [self.newest.to_be_bytes(), self.oldest.to_be_bytes()].concat()
    }

    pub(super) fn decode(record: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(record);
        let head = Self { newest: u64_be(&mut reader)?, oldest: u64_be(&mut reader)? };
        reader.finish()?;
        Ok(head)
    }

    /// Refuses a version that is not kept, as `version_unavailable`.
    pub(super) fn check_kept(self, version: u64) -> Result<()> {
        if (self.oldest..=self.newest).contains(&version) {
            return Ok(());
        }
        Err(Error::new(
            Reason::VersionUnavailable,
            format_args!("a version of {} to {}", self.oldest, self.newest),
            version,
        ))
    }
}

pub(super) fn read_head<S: Read + ?Sized>(store: &S) -> Result<Head> {
    let record = store.get(HEAD_KEY)?.ok_or_else(|| corrupt("an entry h", "none"))?;
    Head::decode(&record)
        .map_err(|error| corrupt(format_args!("the entry h, {}", error.expected()), error.found()))
}

/// One version of a dictionary.
#[derive(Clone, Debug)]
pub(super) struct VersionRecord {
    pub(super) root_id: u64,
    pub(super) root_label: Label,
    pub(super) height: u8,
    pub(super) first_id: u64,
    pub(super) next_id: u64,
    /// Nodes of the version before that this one no longer has.
    pub(super) removed: Vec<u64>,
}

impl VersionRecord {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut record = self.root_id.to_be_bytes().to_vec();
        record.extend_from_slice(&self.root_label);
        record.push(self.height);
        for id in [self.first_id, self.next_id].iter().chain(&self.removed) {
            record.extend_from_slice(&id.to_be_bytes());
        }
        record
    }

    pub(super) fn decode(record: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(record);
        let mut version = Self {
            root_id: u64_be(&mut reader)?,
            root_label: reader.array()?,
            height: reader.u8()?,
            first_id: u64_be(&mut reader)?,
            next_id: u64_be(&mut reader)?,
            removed: Vec::new(),
        };
        while !reader.rest().is_empty() {
            version.removed.push(u64_be(&mut reader)?);
        }
        Ok(version)
    }
}

pub(super) fn read_version<S: Read + ?Sized>(store: &S, version: u64) -> Result<VersionRecord> {
    let record = store
        .get(&version_key(version))?
        .ok_or_else(|| corrupt(format_args!("version {version}"), "none"))?;
    VersionRecord::decode(&record).map_err(|error| {
        corrupt(format_args!("version {version}, {}", error.expected()), error.found())
    })
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

    pub(super) fn decode(record: &'a [u8], key_length: usize) -> Result<Self> {
        let mut reader = Reader::new(record);
        let node = match reader.u8()? {
            0 => {
                let key = reader.take(key_length)?;
                let next_key = reader.take(key_length)?;
                return Ok(Self::Leaf { key, next_key, value: reader.rest() });
            }
            1 => Self::Internal {
                balance: i8::from_be_bytes(reader.array()?),
                separator: reader.take(key_length)?,
                ids: [u64_be(&mut reader)?, u64_be(&mut reader)?],
                labels: [reader.array()?, reader.array()?],
            },
            other => return Err(corrupt("a node of kind 0 or 1", other)),
        };
        reader.finish()?;
        Ok(node)
    }
}

fn u64_be(reader: &mut Reader<'_>) -> Result<u64> {
    reader.array().map(u64::from_be_bytes)
}

#[cold]
pub(super) fn corrupt(expected: impl core::fmt::Display, found: impl core::fmt::Display) -> Error {
    Error::new(Reason::StoreCorrupt, expected, found)
}
