//! The wire format: the opened part of a tree as a stream of bytes.
//!
//! A body is in the envelope of its kind. It has each opened node before its children, the left child before the right
//! one; which nodes are opened follows from the question.
//!
//! ```text
//! body    = node                                                GET, HIST, COUNT, UPDATE
//!         | ( 00 | 01 || bytes ) || node                        RANGE, TRANSFER: perhaps the cut of a page
//! node    = closed                                              where the question does not meet it, or covers it
//!         | 00 || closed                                        of which nothing is to be shown
//!         | 01 || leaf
//!         | 2 + further || pre, after the path || node || node   a branch `further` bits below
//! closed  = 00 || 00 | live || dead || age || hash[32]
//! leaf    = ( index | 00 || key, after the path ) || versions || age || content || past
//! content = 00 | 01 || bytes | 01 || hash[32]
//! ```
//!
//! Integers are unsigned LEB128 of at most 8 bytes, *bytes* an integer length and the bytes, an age the root's block minus
//! a node's. Source: `test-vectors/spec/amb.md`.

use prooflight_core::{ByteReader, Envelope, Error, Hash, Limits, Reason, Result, Scheme};

use crate::hash::{KeyVersion, hash_value};

/// The envelope of a proof of keys at a block.
pub const GET_ENVELOPE: Envelope = Envelope { scheme: Scheme::Amb, kind: 1 };
/// The envelope of a proof of keys' histories.
pub const HIST_ENVELOPE: Envelope = Envelope { scheme: Scheme::Amb, kind: 2 };
/// The envelope of a page of a range.
pub const RANGE_ENVELOPE: Envelope = Envelope { scheme: Scheme::Amb, kind: 3 };
/// The envelope of a count.
pub const COUNT_ENVELOPE: Envelope = Envelope { scheme: Scheme::Amb, kind: 4 };
/// The envelope of a page of entries.
pub const TRANSFER_ENVELOPE: Envelope = Envelope { scheme: Scheme::Amb, kind: 5 };
/// The envelope of a partial tree on which operations can be executed.
pub const UPDATE_ENVELOPE: Envelope = Envelope { scheme: Scheme::Amb, kind: 6 };

/// The first byte of a version's content. Hashes have the same bytes for tombstones and values.
const TOMBSTONE_STATE: u8 = 0;
const VALUE_STATE: u8 = 1;

/// A version as a leaf has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafVersion<'a> {
    pub(crate) version: KeyVersion,
    /// The value, unless it is a tombstone or only its hash is given.
    pub(crate) value: Option<&'a [u8]>,
}

/// Reads a body, and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct ProofStream<'a> {
    reader: ByteReader<'a>,
    limits: Limits,
    /// The block of the trusted root.
    height: u64,
}

impl<'a> ProofStream<'a> {
    /// The body of a message of this kind, about a tree of the block at `height`.
    pub(crate) fn open(
        kind: Envelope,
        bytes: &'a [u8],
        height: u64,
        limits: &Limits,
    ) -> Result<Self> {
        let reader = ByteReader::new(kind.open(bytes, limits)?);
        Ok(Self { reader, limits: *limits, height })
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.reader.finish()
    }

    #[inline]
    pub(crate) fn integer(&mut self) -> Result<u64> {
        self.reader.integer()
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        self.reader.u8()
    }

    #[inline]
    pub(crate) fn hash(&mut self) -> Result<Hash> {
        self.reader.array()
    }

    pub(crate) fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        // A length beyond the address space is beyond the input, too.
        self.reader.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// An age, as the block.
    #[inline]
    pub(crate) fn block(&mut self) -> Result<u64> {
        let age = self.integer()?;
        self.height.checked_sub(age).ok_or_else(|| {
            let expected = format_args!("an age of at most {} blocks", self.height);
            Error::new(Reason::VersionOutOfRange, expected, age)
        })
    }

    /// The content of the version that a block wrote; its value is shown, or only its hash.
    pub(crate) fn version(&mut self, block: u64, is_shown: bool) -> Result<LeafVersion<'a>> {
        let (hash, value) = match self.byte()? {
            TOMBSTONE_STATE => (None, None),
            VALUE_STATE if is_shown => {
                let value = self.value()?;
                (Some(hash_value(value)), Some(value))
            }
            VALUE_STATE => (Some(self.hash()?), None),
            state => {
                return Err(Error::new(
                    Reason::InvalidEncoding,
                    "a content's state, 0 or 1",
                    state,
                ));
            }
        };
        Ok(LeafVersion { version: KeyVersion { block, value: hash }, value })
    }

    /// The roots of the perfect trees over `n` leaves, largest first.
    pub(crate) fn peaks(&mut self, n: u64) -> Result<&'a [Hash]> {
        let (peaks, _) = self.take(32 * u64::from(n.count_ones()))?.as_chunks();
        Ok(peaks)
    }

    fn value(&mut self) -> Result<&'a [u8]> {
        let length = self.integer()?;
        self.limits.check_value(length)?;
        self.take(length)
    }
}
