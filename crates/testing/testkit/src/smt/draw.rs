//! Draws chains of blocks from bytes, random or from a fuzzer.

use arbitrary::{Result, Unstructured};

use super::plain::{BlockOp, PlainTree};

/// Draws a short chain over few keys, so that operations affect each other; also returns its number of blocks.
pub fn chain(u: &mut Unstructured<'_>) -> Result<(PlainTree, u64)> {
    let blocks = u.int_in_range(1..=12)?;
    let keys = *u.choose(&[1, 2, 5, 40])?;
    let mut plain = PlainTree::default();
    for height in 0..blocks {
        let ops = u.int_in_range(0..=6)?;
        let ops: Vec<BlockOp> = (0..ops).map(|_| op(u, keys)).collect::<Result<_>>()?;
        plain.apply(height, ops);
    }
    Ok((plain, blocks))
}

fn op(u: &mut Unstructured<'_>, keys: u8) -> Result<BlockOp> {
    let key = key(u, keys)?;
    let value = match u.int_in_range(0..=3)? {
        0 => None,
        _ => Some(value(u)?),
    };
    Ok((key, value))
}

/// Draws one of `keys` keys.
pub fn key(u: &mut Unstructured<'_>, keys: u8) -> Result<Vec<u8>> {
    let number = u.int_in_range(0..=keys - 1)?;
    // The empty key is one of them.
    Ok(if number == 0 { Vec::new() } else { vec![number] })
}

fn value(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let length = *u.choose(&[0, 1, 2, 8, 32, 65])?;
    Ok(vec![u.arbitrary()?; length])
}

/// Changes some bytes.
pub fn mutate(u: &mut Unstructured<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    if bytes.is_empty() {
        bytes.push(u.arbitrary()?);
        return Ok(());
    }
    let at = u.choose_index(bytes.len())?;
    match u.int_in_range(0..=6)? {
        0 => bytes[at] ^= 1 << u.int_in_range(0..=7)?,
        1 => bytes[at] = *u.choose(&[0, 1, 2, 3, 0x7f, 0x80, 0xff])?,
        2 => drop(bytes.remove(at)),
        3 => bytes.insert(at, u.arbitrary()?),
        4 => bytes.truncate(at),
        5 => bytes.extend_from_within(at..),
        _ => {
            let with = u.choose_index(bytes.len())?;
            bytes.swap(at, with);
        }
    }
    Ok(())
}
