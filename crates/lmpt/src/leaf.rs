//! A leaf's value: a value with its tag, or a tombstone, which says that the key was deleted.

use prooflight_core::{Error, Hex, Reason, Result};

/// The tag of a value.
const VALUE: u8 = 1;

/// The leaf of a deleted key.
pub(crate) const TOMBSTONE: &[u8] = &[0];

/// Reads a leaf's value; `None` for a tombstone, `invalid_layer_value` for anything else.
pub(crate) fn decode(leaf: &[u8]) -> Result<Option<&[u8]>> {
    match leaf {
        [VALUE, value @ ..] => Ok(Some(value)),
        TOMBSTONE => Ok(None),
        _ => Err(Error::new(Reason::InvalidLayerValue, "01 and a value, or 00", Hex(leaf))),
    }
}

/// Writes a leaf's value; `None` is a tombstone.
#[cfg(feature = "prover")]
pub(crate) fn encode(value: Option<&[u8]>) -> alloc::vec::Vec<u8> {
    value.map_or_else(|| TOMBSTONE.to_vec(), |value| [&[VALUE], value].concat())
}
