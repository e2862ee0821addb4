//! The bit strings of keys: for each byte a 1 and its eight bits, highest first, then zeros without end.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::limits::MAX_KEY_BYTES;

/// The number of bits that stand for a byte.
const BITS_PER_BYTE: usize = 9;

/// No branch is deeper: the bits of the longest key.
pub(crate) const MAX_DEPTH: usize = BITS_PER_BYTE * MAX_KEY_BYTES;

/// The first bits of a key's bit string.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyBits<'k> {
    /// The key, or at least the bytes of which a bit is known; no more if the key has ended.
    bytes: &'k [u8],
    length: usize,
}

impl<'k> KeyBits<'k> {
    /// The first `length` bits of a key.
    pub(crate) const fn of(key: &'k [u8], length: usize) -> Self {
        Self { bytes: key, length }
    }

    /// The number of bits.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// The bits as bytes, as a branch's hash has them: the whole bytes, and the known bits of the next one with zeros.
    pub(crate) fn pre(&self) -> (&'k [u8], Option<u8>) {
        let (whole, rest) = (self.length / BITS_PER_BYTE, self.length % BITS_PER_BYTE);
        let next = self.bytes.get(whole).filter(|_| rest >= 2);
        (self.bytes.get(..whole).unwrap_or(self.bytes), next.map(|byte| byte & known_mask(rest)))
    }

    /// The bytes of which a bit is known.
    pub(crate) const fn known_bytes(&self) -> &'k [u8] {
        self.bytes
    }

    /// Compares the first bits of a key with these bits.
    pub(crate) fn order_of(&self, key: &[u8]) -> Ordering {
        let (whole, rest) = (self.length / BITS_PER_BYTE, self.length % BITS_PER_BYTE);
        let [of_key, bytes] = [key, self.bytes].map(|bytes| bytes.get(..whole).unwrap_or(bytes));
        let order = of_key.cmp(bytes);
        if order != Ordering::Equal || rest == 0 {
            return order;
        }
        let next = |bytes: &[u8]| bytes.get(whole).map(|byte| byte & known_mask(rest));
        next(key).cmp(&next(self.bytes))
    }

    /// Whether a key begins with these bits.
    pub(crate) fn begin(&self, key: &[u8]) -> bool {
        self.order_of(key) == Ordering::Equal
    }

    /// Whether a key that begins with these bits is the first that can: only zeros follow.
    pub(crate) fn are_all_of(&self, key: &[u8]) -> bool {
        let (whole, rest) = (self.length / BITS_PER_BYTE, self.length % BITS_PER_BYTE);
        match key.get(whole..) {
            None | Some([]) => true,
            Some(&[byte]) => rest > 0 && byte & !known_mask(rest) == 0,
            Some(_) => false,
        }
    }
}

/// The path to a node: the bits that all keys below it have in common.
#[derive(Debug)]
pub(crate) struct Path {
    bytes: [u8; MAX_KEY_BYTES],
    length: usize,
    /// Whether the last bit is a 0 in place of a further byte.
    ended: bool,
}

impl Path {
    /// The path to the root.
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; MAX_KEY_BYTES], length: 0, ended: false }
    }

    /// The number of its bits.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// Whether the path has a whole key and its end, so that the node has no other key.
    pub(crate) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Its whole bytes, with which each key of the node begins.
    pub(crate) fn whole_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length / BITS_PER_BYTE).unwrap_or_default()
    }

    /// Its bits.
    pub(crate) fn bits(&self) -> KeyBits<'_> {
        let further = !self.length.is_multiple_of(BITS_PER_BYTE) && !self.ended;
        let bytes = self.bytes.get(..self.length / BITS_PER_BYTE + usize::from(further));
        KeyBits { bytes: bytes.unwrap_or_default(), length: self.length }
    }

    /// Whether a longer prefix begins with it; `pre` is that prefix as bytes, from the last whole byte of the path
    /// on.
    pub(crate) fn begins(&self, pre: &[u8]) -> bool {
        match (
            self.length % BITS_PER_BYTE,
            self.bytes.get(self.length / BITS_PER_BYTE),
            pre.first(),
        ) {
            (rest @ 2.., Some(byte), Some(first)) => first & known_mask(rest) == *byte,
            _ => true,
        }
    }

    /// Replaces its last bits by those of a longer prefix: the prefix as bytes, from the last whole byte of the path
    /// on.
    ///
    /// The path must not have ended.
    pub(crate) fn extend(&mut self, pre: &[u8], depth: usize) {
        let from = self.length / BITS_PER_BYTE;
        if let Some(room) = self.bytes.get_mut(from..from + pre.len()) {
            room.copy_from_slice(pre);
        }
        self.truncate(depth);
    }

    /// Goes back up to the branch at `depth`.
    pub(crate) fn truncate(&mut self, depth: usize) {
        self.length = depth;
        self.ended = false;
        let (whole, rest) = (depth / BITS_PER_BYTE, depth % BITS_PER_BYTE);
        if let Some(byte) = self.bytes.get_mut(whole) {
            *byte &= if rest == 0 { 0 } else { known_mask(rest) };
        }
    }

    /// Goes down to a child of a branch; its bit is 0 for the left one, 1 for the right one.
    pub(crate) fn push(&mut self, right: bool) {
        let (whole, rest) = (self.length / BITS_PER_BYTE, self.length % BITS_PER_BYTE);
        self.length += 1;
        match self.bytes.get_mut(whole) {
            None => {}
            Some(_) if rest == 0 => self.ended = !right,
            Some(byte) => *byte |= u8::from(right) << (8 - rest),
        }
    }
}

/// The number of whole bytes in a path of this length.
#[cfg(feature = "prover")]
pub(crate) const fn whole_byte_count(path: usize) -> usize {
    path / BITS_PER_BYTE
}

/// The number of bytes of a prefix: the whole ones, and one of which at least a bit is known.
pub(crate) const fn pre_length(depth: usize) -> usize {
    depth / BITS_PER_BYTE + (depth % BITS_PER_BYTE >= 2) as usize
}

/// The length of a prefix without the whole bytes that the path to its node has.
pub(crate) const fn pre_length_after(path: usize, depth: usize) -> usize {
    pre_length(depth) - path / BITS_PER_BYTE
}

/// Whether the bits of the last byte of a prefix that are not known are 0.
pub(crate) fn is_padded(pre: &[u8], depth: usize) -> bool {
    match (depth % BITS_PER_BYTE, pre.last()) {
        (rest @ 2.., Some(last)) => last & !known_mask(rest) == 0,
        _ => true,
    }
}

/// A bit of a key.
pub(crate) fn bit(key: &[u8], at: usize) -> bool {
    match (key.get(at / BITS_PER_BYTE), at % BITS_PER_BYTE) {
        (None, _) => false,
        (Some(_), 0) => true,
        (Some(byte), rest) => byte >> (8 - rest) & 1 == 1,
    }
}

/// The first bits of a key: its bytes of which a bit is known, without the other bits.
///
/// The key must not end before them.
pub(crate) fn first_bits(key: &[u8], length: usize) -> Vec<u8> {
    let (whole, rest) = (length / BITS_PER_BYTE, length % BITS_PER_BYTE);
    let mut bytes = Vec::from(key.get(..whole + usize::from(rest > 0)).unwrap_or(key));
    if let Some(last) = bytes.get_mut(whole) {
        *last &= known_mask(rest);
    }
    bytes
}

/// The first bit in which two keys differ; `None` if they are equal.
pub(crate) fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let whole = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    match (a.get(whole), b.get(whole)) {
        (None, None) => None,
        (Some(a), Some(b)) => Some(BITS_PER_BYTE * whole + 1 + (a ^ b).leading_zeros() as usize),
        _ => Some(BITS_PER_BYTE * whole),
    }
}

/// The mask of the bits of a byte that `rest` of its nine bits show. The first of the nine only marks that
/// there is a byte.
const fn known_mask(rest: usize) -> u8 {
    !(0xff >> (rest - 1))
}
