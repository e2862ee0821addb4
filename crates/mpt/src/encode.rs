//! RLP encoding. Source: Ethereum Yellow Paper, appendices B and C.

use alloc::vec::Vec;

/// Encodes a string.
pub fn string(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        [0x00..=0x7f] => bytes.to_vec(),
        _ => with_header(0x80, bytes),
    }
}

/// Encodes a list of already encoded items.
pub fn list(items: &[Vec<u8>]) -> Vec<u8> {
    list_of(&items.concat())
}

/// Encodes a list, given its encoded items one after the other.
pub fn list_of(items: &[u8]) -> Vec<u8> {
    with_header(0xc0, items)
}

/// Encodes an integer, given big-endian.
pub fn integer(bytes: &[u8]) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    string(bytes.get(zeros..).unwrap_or_default())
}

fn with_header(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(payload.len() + 9);
    let length = payload.len().to_be_bytes();
    let digits = length.get(payload.len().leading_zeros() as usize / 8..).unwrap_or_default();
    match *digits {
        [] => encoded.push(kind),
        [short @ 0..=55] => encoded.push(kind + short),
        _ => {
            // A length has at most eight bytes.
            encoded.push(kind + 55 + digits.len().to_be_bytes().last().copied().unwrap_or(0));
            encoded.extend_from_slice(digits);
        }
    }
    encoded.extend_from_slice(payload);
    encoded
}

/// Encodes a path in hex-prefix form.
pub fn path(nibbles: &[u8], is_leaf: bool) -> Vec<u8> {
    let odd = nibbles.len() % 2;
    let flag = if is_leaf { 0x20 } else { 0x00 };
    let (first, pairs) = nibbles.split_at(odd);
    let mut compact = Vec::with_capacity(1 + pairs.len() / 2);
    compact.push(first.first().map_or(flag, |nibble| flag | 0x10 | nibble));
    compact.extend(pairs.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]));
    string(&compact)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::nibbles::CompactPath;
    use crate::rlp::{self, RlpItem};
    use alloc::vec;

    #[test]
    fn what_is_written_is_read_again() {
        for length in (0..300).chain([65_535, 65_536, 1 << 24]) {
            for byte in [0x00, 0x7f, 0x80] {
                let bytes = vec![byte; length];
                assert_eq!(rlp::decode(&string(&bytes)), Ok(RlpItem::String(&bytes)), "{length}");
            }
            let items = vec![string(&[]); length];
            assert_eq!(rlp::decode(&list(&items)), Ok(RlpItem::List(&items.concat())), "{length}");
        }
        assert_eq!(integer(&[0, 0]), [0x80]);
        assert_eq!(integer(&[0, 5]), [5]);
        assert_eq!(integer(&[1, 0]), [0x82, 1, 0]);
    }

    #[test]
    fn paths_are_read_again() {
        for nibbles in [&[][..], &[1], &[1, 2], &[0, 0, 0], &[0xf; 64], &[0xe; 65]] {
            for is_leaf in [false, true] {
                let written = path(nibbles, is_leaf);
                let RlpItem::String(compact) = rlp::decode(&written).unwrap() else { panic!() };
                let (read, leaf) = CompactPath::decode(compact).unwrap();
                assert_eq!((&read.to_nibbles()[..], leaf), (nibbles, is_leaf));
            }
        }
    }
}
