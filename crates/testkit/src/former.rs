//! Records of stores as earlier programs wrote them.

use prooflight_core::store::sealed::{seal, unseal};

/// A record of `lvmt` in its first layout: its parameters had no version, its nodes other points, and its head another sum.
pub fn first_layout_of_lvmt(key: &[u8], value: Vec<u8>) -> Vec<u8> {
    let mut record = unseal(key, value.clone()).unwrap();
    match key[0] {
        b'p' => drop(record.pop()),
        b'u' => record.truncate(64),
        b'h' => *record.last_mut().unwrap() ^= 1,
        _ => return value,
    }
    seal(key, record)
}
