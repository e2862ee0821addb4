//! Paths: sequences of nibbles, the high half of each byte before the low one.

use prooflight_core::{Error, Hex, Reason, Result};

/// A key as a path from the root, and the current position on it.
#[derive(Clone, Debug)]
pub(crate) struct KeyPath<'k> {
    key: &'k [u8],
    /// In nibbles.
    walked: usize,
}

impl<'k> KeyPath<'k> {
    /// A key of which some nibbles have been walked.
    pub(crate) const fn after(key: &'k [u8], walked: usize) -> Self {
        Self { key, walked }
    }

    /// The next nibble; `None` if the key ends here.
    pub(crate) fn next(&self) -> Option<usize> {
        nibble(self.key, self.walked).map(usize::from)
    }

    /// Walks a node's path if the key continues with it. Returns whether it does.
    pub(crate) fn follow(&mut self, path: &CompactPath<'_>) -> bool {
        let follows =
            (0..path.length()).all(|at| path.nibble(at) == nibble(self.key, self.walked + at));
        if follows {
            self.walked += path.length();
        }
        follows
    }

    /// Whether the key ends here.
    pub(crate) const fn is_walked(&self) -> bool {
        self.walked == 2 * self.key.len()
    }
}

/// A node's path in hex-prefix form, which also encodes whether the node is a leaf.
///
/// The first nibble has a bit for leaves (2) and one for an odd number of nibbles (1); if the number
/// is even, a zero nibble follows. Source: Ethereum Yellow Paper, appendix C.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompactPath<'a> {
    bytes: &'a [u8],
    /// The start of the path in `bytes`, in nibbles.
    start: usize,
}

impl<'a> CompactPath<'a> {
    /// Decodes a path, and whether it is that of a leaf; `invalid_path` if it has another form.
    pub(crate) fn decode(bytes: &'a [u8]) -> Result<(Self, bool)> {
        let (start, is_leaf) = match bytes.first() {
            Some(0x00) => (2, false),
            Some(0x10..=0x1f) => (1, false),
            Some(0x20) => (2, true),
            Some(0x30..=0x3f) => (1, true),
            _ => {
                return Err(Error::new(
                    Reason::InvalidPath,
                    "a first byte 00, 1x, 20 or 3x",
                    Hex(bytes),
                ));
            }
        };
        Ok((Self { bytes, start }, is_leaf))
    }

    /// The number of nibbles.
    pub(crate) const fn length(&self) -> usize {
        (2 * self.bytes.len()).saturating_sub(self.start)
    }

    fn nibble(&self, at: usize) -> Option<u8> {
        nibble(self.bytes, self.start + at)
    }

    /// The nibbles, one per byte.
    #[cfg(feature = "prover")]
    pub(crate) fn to_nibbles(self) -> alloc::vec::Vec<u8> {
        (0..self.length()).filter_map(|at| self.nibble(at)).collect()
    }
}

/// The nibble of a byte string at a position.
pub(crate) fn nibble(bytes: &[u8], at: usize) -> Option<u8> {
    let byte = bytes.get(at / 2)?;
    Some(if at.is_multiple_of(2) { byte >> 4 } else { byte & 0x0f })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn paths_are_read_as_the_yellow_paper_writes_them() {
        let cases: [(&[u8], bool, &[u8]); 6] = [
            (&[0x00], false, &[]),
            (&[0x00, 0x12], false, &[1, 2]),
            (&[0x1a], false, &[0xa]),
            (&[0x11, 0x23], false, &[1, 2, 3]),
            (&[0x20], true, &[]),
            (&[0x3f, 0x00], true, &[0xf, 0, 0]),
        ];
        for (bytes, is_leaf, nibbles) in cases {
            let (path, leaf) = CompactPath::decode(bytes).unwrap();
            let found: Vec<_> = (0..path.length()).map(|at| path.nibble(at).unwrap()).collect();
            assert_eq!((leaf, &found[..]), (is_leaf, nibbles), "{bytes:02x?}");
            assert_eq!(path.nibble(nibbles.len()), None);
        }
    }

    #[test]
    fn a_key_follows_what_lies_ahead_and_nothing_else() {
        let path = |bytes| CompactPath::decode(bytes).unwrap().0;
        let mut key = KeyPath::after(&[0x12, 0x34], 1);
        assert_eq!(key.next(), Some(2));
        for other in [&[0x00, 0x24][..], &[0x14], &[0x12, 0x34, 0x50]] {
            assert!(!key.follow(&path(other)));
        }
        assert!(key.follow(&path(&[0x20])));
        assert!(key.follow(&path(&[0x00, 0x23])));
        assert!(!key.is_walked());
        assert!(!key.follow(&path(&[0x00, 0x40])));
        assert!(key.follow(&path(&[0x34])));
        assert!(key.is_walked() && key.next().is_none());
    }
}
