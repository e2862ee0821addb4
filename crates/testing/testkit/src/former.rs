//! Records of stores as earlier programs wrote them.

use prooflight_core::store::StoreEntry;
use prooflight_core::store::sealed::{seal, unseal};

/// A record of `lvmt` as a store of layout 1 or 2 had it; `None` if it had no such record.
///
/// Layout 1 had no version among its parameters. Both had one record for each node, of other points in layout 1, and
/// another sum of their checksums. The content of the nodes is not reproduced, since nothing reads it.
pub fn former_layout_of_lvmt(layout: u8, key: &[u8], value: Vec<u8>) -> Option<StoreEntry> {
    let (mut key, mut record) = (key.to_vec(), unseal(key, value.clone())?);
    match key[0] {
        b'p' => {
            record.pop();
            record.extend((layout > 1).then_some(layout));
        }
        b'u' => {
            let part = u32::from_be_bytes(*key.last_chunk()?);
            if !part.is_multiple_of(6) {
                return None;
            }
            key = [b"u", &(part / 6).to_be_bytes()[..]].concat();
            record = if layout > 1 { record.repeat(6) } else { record[..64].to_vec() };
        }
        b'h' => *record.last_mut()? ^= 1,
        _ => return Some((key, value)),
    }
    let value = seal(&key, record);
    Some((key, value))
}
