//! Nodes of any form, linked to each other, under a root that matches them.

use arbitrary::{Result, Unstructured};
use prooflight_core::{Limits, keccak256};
use prooflight_mpt::verify_proof;

use super::honest::{assert_is_refusal, owned_value};
use super::mutation::mutate_bytes;
use super::rlp::Rlp;
use super::{oracle, slices};

#[derive(Debug)]
pub struct HostileProof {
    pub root: [u8; 32],
    pub key: Vec<u8>,
    pub proof: Vec<Vec<u8>>,
}

impl HostileProof {
    /// Draws nodes from the last to the first, mostly along the path of a key.
    pub fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        let length = *u.choose(&[0, 1, 2, 3, 32])?;
        let key = u.bytes(length)?.to_vec();
        let nibbles: Vec<_> = key.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
        let mut proof = Vec::new();
        let mut walked = u.int_in_range(0..=nibbles.len().min(6))?;
        let mut node = draw_end(u, &nibbles[walked..])?;
        loop {
            let mut bytes = node.encode();
            if u.ratio(1, 12)? {
                mutate_bytes(u, &mut bytes)?;
            }
            let inline = bytes.len() < 32 && !u.ratio(1, 12)?;
            let below =
                if inline { node.clone() } else { Rlp::String(keccak256(&[&bytes]).into()) };
            if !inline || walked == 0 {
                proof.insert(0, bytes);
            }
            if walked == 0 {
                break;
            }
            let length = u.int_in_range(1..=walked)?;
            walked -= length;
            node = draw_over(u, below, &nibbles[walked..walked + length])?;
        }
        let root = keccak256(&[proof.first().map_or(&[0x80], Vec::as_slice)]);
        Ok(Self { root, key, proof })
    }

    /// Checks that our verifier and the second one agree.
    pub fn check(&self) {
        let Self { root, key, proof } = self;
        let expected = oracle::verify(root, key, proof);
        match verify_proof(root, key, &slices(proof), &Limits::DEFAULT) {
            Ok(verified) => assert_eq!(Some(owned_value(verified)), expected, "{self:02x?}"),
            Err(error) => {
                assert_is_refusal(&error);
                assert_eq!(expected, None, "{error}: {self:02x?}");
            }
        }
    }
}

/// Draws a node that ends a path.
fn draw_end(u: &mut Unstructured<'_>, path: &[u8]) -> Result<Rlp> {
    let value = draw_string(u)?;
    Ok(match u.int_in_range(0..=4)? {
        0 | 1 => Rlp::List(vec![compact(u, path, true)?, value]),
        2 => Rlp::List(vec![draw_string(u)?, draw_item(u)?]),
        3 => {
            let mut items = draw_children(u)?;
            items[16] = value;
            Rlp::List(items)
        }
        _ => draw_item(u)?,
    })
}

/// Draws a node that leads to the one below along some nibbles.
fn draw_over(u: &mut Unstructured<'_>, below: Rlp, path: &[u8]) -> Result<Rlp> {
    if let [nibble] = path
        && !u.ratio(1, 4)?
    {
        let mut items = draw_children(u)?;
        items[usize::from(*nibble)] = below;
        return Ok(Rlp::List(items));
    }
    Ok(Rlp::List(vec![compact(u, path, false)?, below]))
}

fn draw_children(u: &mut Unstructured<'_>) -> Result<Vec<Rlp>> {
    let mut items = vec![Rlp::String(vec![]); 17];
    if u.ratio(1, 20)? {
        items.push(Rlp::String(vec![]));
    }
    for _ in 0..u.int_in_range(0..=3)? {
        let at = u.choose_index(17)?;
        items[at] = match u.int_in_range(0..=3)? {
            0 => Rlp::List(vec![Rlp::String(vec![0x20]), Rlp::String(vec![u.arbitrary()?])]),
            1 => draw_item(u)?,
            _ => Rlp::String(vec![u.arbitrary()?; 32]),
        };
    }
    Ok(items)
}

fn draw_item(u: &mut Unstructured<'_>) -> Result<Rlp> {
    if u.ratio(1, 2)? {
        return draw_string(u);
    }
    let count = u.int_in_range(0..=3)?;
    (0..count).map(|_| draw_item(u)).collect::<Result<_>>().map(Rlp::List)
}

fn draw_string(u: &mut Unstructured<'_>) -> Result<Rlp> {
    let length = *u.choose(&[0, 1, 1, 2, 20, 31, 32, 33, 56])?;
    Ok(Rlp::String(vec![u.arbitrary()?; length]))
}

/// A path in hex-prefix form, sometimes malformed.
fn compact(u: &mut Unstructured<'_>, path: &[u8], is_leaf: bool) -> Result<Rlp> {
    let odd = path.len() % 2;
    let mut flag = 2 * u8::from(is_leaf) + u8::from(odd == 1);
    let mut pad = 0;
    if u.ratio(1, 20)? {
        (flag, pad) = (u.int_in_range(0..=15)?, u.int_in_range(0..=15)?);
    }
    let mut nibbles = vec![flag];
    if odd == 0 {
        nibbles.push(pad);
    }
    nibbles.extend(path);
    Ok(Rlp::String(nibbles.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()))
}
