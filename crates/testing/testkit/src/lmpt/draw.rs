//! Draws layers and changes of proofs from bytes, random or from a fuzzer.

use arbitrary::{Result, Unstructured};
use prooflight_core::keccak256;

use super::layers::{LayerNodes, StateLayers, TOMBSTONE, leaf};
use super::trie::LeafMap;
use crate::mpt::mutation::{mutate, mutate_bytes};

/// Draws layers over a few keys. Sometimes a leaf is one that no chain has.
pub fn layers(u: &mut Unstructured<'_>) -> Result<StateLayers> {
    let keys = *u.choose(&[1, 2, 5, 40])?;
    let mut layer = |is_snapshot| -> Result<LeafMap> {
        let count = u.int_in_range(0..=keys)?;
        (0..count).map(|_| Ok((keccak256(&[&key(u, keys)?]), draw_leaf(u, is_snapshot)?))).collect()
    };
    Ok(StateLayers { delta: layer(false)?, intermediate: layer(false)?, snapshot: layer(true)? })
}

/// Draws one of `keys` keys.
pub fn key(u: &mut Unstructured<'_>, keys: u8) -> Result<Vec<u8>> {
    let number = u.int_in_range(0..=keys - 1)?;
    // The empty key is one of them.
    Ok(if number == 0 { Vec::new() } else { vec![number] })
}

/// Draws up to five keys, some of which no layer has.
pub fn keys(u: &mut Unstructured<'_>) -> Result<Vec<Vec<u8>>> {
    (0..u.int_in_range(1..=5)?).map(|_| key(u, 50)).collect()
}

fn draw_leaf(u: &mut Unstructured<'_>, is_snapshot: bool) -> Result<Vec<u8>> {
    if u.ratio(1, 40)? {
        return Ok(u.choose(&[&[0][..], &[0, 1], &[2], &[2, 7], &[0xff; 40]])?.to_vec());
    }
    if !is_snapshot && u.ratio(1, 4)? {
        return Ok(TOMBSTONE.to_vec());
    }
    let length = *u.choose(&[0, 1, 2, 8, 32, 65])?;
    Ok(leaf(&vec![u.arbitrary()?; length]))
}

/// Makes one change to the lists of a proof; `other` is an honest proof of another question.
pub fn change(u: &mut Unstructured<'_>, lists: &mut LayerNodes, other: &LayerNodes) -> Result<()> {
    let (at, with) = (u.choose_index(3)?, u.choose_index(3)?);
    match u.int_in_range(0..=7)? {
        0 => lists.swap(at, with),
        1 => lists[at].clone_from(&other[at]),
        2 => {
            let node = lists[at].pop();
            lists[with].extend(node);
        }
        3 => lists[at].clear(),
        4 => {
            let moved = std::mem::take(&mut lists[at]);
            lists[with].extend(moved);
        }
        _ => mutate(u, &mut lists[at], &other[with])?,
    }
    Ok(())
}

/// Changes some bytes of a proof.
pub fn change_bytes(u: &mut Unstructured<'_>, proof: &mut Vec<u8>) -> Result<()> {
    mutate_bytes(u, proof)
}
