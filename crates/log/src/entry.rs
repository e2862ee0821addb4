//! A block in the log.

use prooflight_core::chain::SignedHeader;
use prooflight_core::{Error, Hash, Limits, Reason, Result};

use crate::object::{self, ObjectKind};

/// A block as the log has it: its signed header, and a body whose format is the caller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The header, with the signatures of authorities.
    pub header: SignedHeader,
    /// The operations, and whatever else the caller keeps with them.
    pub body: Vec<u8>,
}

impl LogEntry {
    /// The height of the block.
    pub const fn height(&self) -> u64 {
        self.header.header.height
    }

    /// The hash of its header.
    pub fn hash(&self) -> Hash {
        self.header.header.hash()
    }

    /// The bytes of the object: the length of the header as u32, little-endian, the header, the body.
    pub(crate) fn encode(&self) -> Result<Vec<u8>> {
        let header = self.header.encode();
        let length = u32::try_from(header.len())
            .map_err(|_| Error::new(Reason::Bug, "a header of less than 4 GiB", header.len()))?;
        object::encode(
            ObjectKind::Block,
            &[&length.to_le_bytes(), &header[..], &self.body].concat(),
        )
    }

    /// Decodes the object of the block at a height; `wrong_block` if it is that of another height.
    pub(crate) fn decode(height: u64, bytes: &[u8]) -> Result<Self> {
        let name = name(height);
        let content = object::decode(ObjectKind::Block, &name, bytes)?;
        let cut =
            || Error::new(Reason::Truncated, format_args!("a header in {name}"), content.len());
        let (length, rest) = content.split_first_chunk().ok_or_else(cut)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| cut())?;
        let (header, body) = rest.split_at_checked(length).ok_or_else(cut)?;
        let header = SignedHeader::decode(header, &Limits::DEFAULT)?;
        let found = header.header.height;
        if found != height {
            let expected = format_args!("block {height} in {name}");
            return Err(Error::new(Reason::WrongBlock, expected, found));
        }
        Ok(Self { header, body: body.to_vec() })
    }
}

/// The name of the block at a height. Names sort in the order of heights.
pub(crate) fn name(height: u64) -> String {
    format!("blocks/{height:016}")
}
