//! A key's path: its hash, read `log_n` bits a level from the most significant bit on.

use prooflight_core::{Hash, keccak256};

/// The bits of a key hash.
const KEY_HASH_BITS: u32 = 256;

/// The hash of a key, which fixes the key's path.
pub fn key_hash(key: &[u8]) -> Hash {
    keccak256(&[key])
}

/// The number of levels when each consumes `log_n` bits; `log_n` must not be 0.
pub const fn levels(log_n: u8) -> u32 {
    KEY_HASH_BITS / log_n as u32
}

/// The index of a key's entry in its AMT at a level, which must be below [`levels`].
pub fn index_at(key_hash: &Hash, log_n: u8, level: u8) -> u32 {
    let start = u32::from(log_n) * u32::from(level);
    let bit = |position: u32| {
        let byte = key_hash.get(position as usize / 8).copied().unwrap_or(0);
        u32::from(byte >> (7 - position % 8) & 1)
    };
    (start..start + u32::from(log_n)).fold(0, |index, position| index << 1 | bit(position))
}

/// The length of the common prefix of two key hashes, in bits.
pub fn common_bits(a: &Hash, b: &Hash) -> u32 {
    let mut common = 0;
    for (a, b) in a.iter().zip(b) {
        common += (a ^ b).leading_zeros();
        if a != b {
            break;
        }
    }
    common
}

/// The prefix that names an AMT: the first `log_n * level` bits of a key hash as a big-endian integer in the
/// fewest bytes that hold these bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix {
    length: usize,
    bytes: Hash,
}

impl Prefix {
    /// The prefix of the AMT at a level that is on a key's walk.
    pub fn new(key_hash: &Hash, log_n: u8, level: u8) -> Self {
        let bits = (usize::from(log_n) * usize::from(level)).min(KEY_HASH_BITS as usize);
        let (length, shift) = (bits.div_ceil(8), bits.next_multiple_of(8) - bits);
        let mut bytes = [0; 32];
        let mut carry = 0;
        for (to, &from) in bytes.iter_mut().zip(key_hash).take(length) {
            let [high, low] = (u16::from_be_bytes([from, 0]) >> shift).to_be_bytes();
            *to = carry | high;
            carry = low;
        }
        Self { length, bytes }
    }

    /// The bytes of the integer.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 89ab cdef 0000 … 0003.
    const HASH: Hash = {
        let mut hash = [0; 32];
        (hash[0], hash[1], hash[2], hash[3], hash[31]) = (0x89, 0xab, 0xcd, 0xef, 0x03);
        hash
    };

    #[test]
    fn an_index_is_the_bits_of_its_level() {
        assert_eq!([index_at(&HASH, 16, 0), index_at(&HASH, 16, 1)], [0x89ab, 0xcdef]);
        assert_eq!(index_at(&HASH, 16, 15), 3);
        assert_eq!([0, 1, 2, 3, 4].map(|level| index_at(&HASH, 2, level)), [2, 0, 2, 1, 2]);
        assert_eq!([0, 1, 2, 3].map(|level| index_at(&HASH, 3, level)), [4, 2, 3, 2]);
        assert_eq!([254, 255].map(|level| index_at(&HASH, 1, level)), [1, 1]);
        assert_eq!([1, 2, 3, 16].map(levels), [256, 128, 85, 16]);
    }

    #[test]
    fn a_prefix_is_an_integer_of_that_many_bits() {
        let prefix = |log_n, level| Prefix::new(&HASH, log_n, level).as_bytes().to_vec();
        assert!(prefix(16, 0).is_empty());
        assert_eq!(prefix(16, 1), [0x89, 0xab]);
        assert_eq!(prefix(16, 2), [0x89, 0xab, 0xcd, 0xef]);
        // 1000 1001 1010 1011 1…: three bits a level.
        assert_eq!(prefix(3, 1), [0b100]);
        assert_eq!(prefix(3, 3), [0b1, 0b0001_0011]);
        assert_eq!(prefix(3, 4), [0b1000, 0b1001_1010]);
        assert_eq!(prefix(1, 255).len(), 32);
        assert_eq!(prefix(1, 255)[..2], [0x44, 0xd5]);
    }

    #[test]
    fn common_bits_are_counted_from_the_front() {
        let mut other = HASH;
        assert_eq!(common_bits(&HASH, &other), 256);
        other[31] ^= 1;
        assert_eq!(common_bits(&HASH, &other), 255);
        other[1] ^= 0x10;
        assert_eq!(common_bits(&HASH, &other), 11);
        other[0] ^= 0x80;
        assert_eq!(common_bits(&HASH, &other), 0);
    }
}
