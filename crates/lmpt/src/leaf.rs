//! A leaf's value: a value with its tag, or a tombstone, which says that the key was deleted.

use prooflight_core::{Error, Hex, Reason, Result};

/// The tag of a value.
const VALUE_TAG: u8 = 1;

/// The leaf of a deleted key.
pub(crate) const TOMBSTONE_LEAF: &[u8] = &[0];

/// Reads a leaf's value; `None` for a tombstone, `invalid_layer_value` for anything else.
pub(crate) fn decode(leaf: &[u8]) -> Result<Option<&[u8]>> {
    match leaf {
        [VALUE_TAG, value @ ..] => Ok(Some(value)),
        TOMBSTONE_LEAF => Ok(None),
        _ => Err(Error::new(Reason::InvalidLayerValue, "01 and a value, or 00", Hex(leaf))),
    }
}

/// Writes a leaf's value; `None` is a tombstone.
#[cfg(feature = "prover")]
pub(crate) fn encode(value: Option<&[u8]>) -> alloc::vec::Vec<u8> {
    value.map_or_else(|| TOMBSTONE_LEAF.to_vec(), |value| [&[VALUE_TAG], value].concat())
}
