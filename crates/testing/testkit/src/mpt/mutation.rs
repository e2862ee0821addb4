//! Changes of honest proofs.

use arbitrary::{Result, Unstructured};

/// Makes one change to a list of nodes, or to the bytes of one of them.
pub fn mutate(u: &mut Unstructured<'_>, proof: &mut Vec<Vec<u8>>, other: &[Vec<u8>]) -> Result<()> {
    if proof.is_empty() {
        proof.extend_from_slice(other);
        return Ok(());
    }
    let at = u.choose_index(proof.len())?;
    match u.int_in_range(0..=9)? {
        0 => drop(proof.remove(at)),
        1 => proof.insert(at, proof[at].clone()),
        2 => {
            let with = u.choose_index(proof.len())?;
            proof.swap(at, with);
        }
        3 => proof.truncate(at),
        4 => {
            let node = if other.is_empty() { vec![0x80] } else { u.choose(other)?.clone() };
            let at = u.int_in_range(0..=proof.len())?;
            proof.insert(at, node);
        }
        5 => {
            let from = at.min(other.len());
            proof.truncate(at);
            proof.extend_from_slice(&other[from..]);
        }
        _ => mutate_bytes(u, &mut proof[at])?,
    }
    Ok(())
}

/// Changes some bytes.
pub fn mutate_bytes(u: &mut Unstructured<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    if bytes.is_empty() {
        bytes.push(u.arbitrary()?);
        return Ok(());
    }
    let at = u.choose_index(bytes.len())?;
    match u.int_in_range(0..=5)? {
        0 => bytes[at] ^= 1 << u.int_in_range(0..=7)?,
        1 => bytes[at] = *u.choose(&[0x00, 0x7f, 0x80, 0x81, 0xa0, 0xb8, 0xc0, 0xf8, 0xff])?,
        2 => drop(bytes.remove(at)),
        3 => bytes.insert(at, u.arbitrary()?),
        4 => bytes.truncate(at),
        _ => {
            let with = u.choose_index(bytes.len())?;
            bytes.swap(at, with);
        }
    }
    Ok(())
}
