//! Changes of bytes and operations.

use arbitrary::{Result, Unstructured};

use super::draw::EntryShape;
use super::op::OwnedOperation;

/// Changes bytes in one to four places; `other` is a proof to splice from.
pub fn mutate_bytes(u: &mut Unstructured<'_>, bytes: &mut Vec<u8>, other: &[u8]) -> Result<()> {
    for _ in 0..u.int_in_range(1..=4)? {
        let at = u.int_in_range(0..=bytes.len())?;
        let to = u.int_in_range(0..=bytes.len())?;
        let (from, to) = (at.min(to), at.max(to));
        match u.int_in_range(0..=8)? {
            0 if at < bytes.len() => bytes[at] ^= 1 << u.int_in_range(0..=7)?,
            1 if at < bytes.len() => bytes[at] = u.arbitrary()?,
            2 => bytes.insert(at, u.arbitrary()?),
            3 if at < bytes.len() => drop(bytes.remove(at)),
            4 if to < bytes.len() => bytes.swap(from, to),
            5 => bytes.truncate(at),
            6 => drop(bytes.drain(from..to)),
            7 => {
                let copy = bytes[from..to].to_vec();
                let at = u.int_in_range(0..=bytes.len())?;
                bytes.splice(at..at, copy);
            }
            _ => {
                let start = u.int_in_range(0..=other.len())?;
                let end = u.int_in_range(start..=other.len())?;
                bytes.splice(from..to, other[start..end].iter().copied());
            }
        }
    }
    Ok(())
}

/// Changes, drops, repeats, adds or swaps one operation.
pub fn mutate_ops(
    u: &mut Unstructured<'_>,
    ops: &mut Vec<OwnedOperation>,
    shape: EntryShape,
) -> Result<()> {
    let choice = u.int_in_range(0..=4)?;
    let at = u.int_in_range(0..=ops.len())?;
    if ops.is_empty() || choice == 0 {
        ops.insert(at, shape.draw_op(u)?);
        return Ok(());
    }
    let at = at % ops.len();
    match choice {
        1 => ops[at] = shape.draw_op(u)?,
        2 => drop(ops.remove(at)),
        3 => ops.insert(at, ops[at].clone()),
        _ => {
            let other = u.choose_index(ops.len())?;
            ops.swap(at, other);
        }
    }
    Ok(())
}
