//! Records that end with a checksum over their key and value, so that each read detects damage.

use alloc::vec::Vec;

use xxhash_rust::xxh3::Xxh3;

/// Bytes of a checksum: XXH3, big-endian.
pub const CHECKSUM_BYTES: usize = 8;

/// Appends the checksum to a record.
pub fn seal(key: &[u8], mut record: Vec<u8>) -> Vec<u8> {
    record.extend_from_slice(&checksum(key, &record));
    record
}

/// Removes the checksum from a value as it was read; `None` if it does not match.
pub fn unseal(key: &[u8], mut value: Vec<u8>) -> Option<Vec<u8>> {
    let length = value.len().checked_sub(CHECKSUM_BYTES)?;
    let (record, found) = value.split_at(length);
    if found != checksum(key, record) {
        return None;
    }
    value.truncate(length);
    Some(value)
}

fn checksum(key: &[u8], record: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = Xxh3::new();
    hasher.update(key);
    hasher.update(record);
    hasher.digest().to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_of_key_or_value_is_found() {
        let sealed = seal(b"key", Vec::from(*b"value"));
        assert_eq!(unseal(b"key", sealed.clone()).as_deref(), Some(&b"value"[..]));
        assert_eq!(unseal(b"kez", sealed.clone()), None);
        for bit in 0..sealed.len() * 8 {
            let mut changed = sealed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(unseal(b"key", changed), None, "{bit}");
        }
        assert_eq!(unseal(b"key", Vec::from(*b"short")), None);
    }
}
