//! The proof's bytes: the old tree's nodes in post-order, an end mark, the directions.

use alloc::vec::Vec;
use prooflight_core::{ByteReader, Error, Reason, Result};

use crate::operation::LeafValue;
use crate::params::{Digest, Mode, Params};
use crate::partial::PartialTree;
use crate::tree::{NodeId, Side};

/// A leaf follows: its key unless the previous leaf gives it, its next key, its value.
pub(crate) const LEAF_TOKEN: u8 = 2;
/// A label follows, for a subtree that no operation needs.
pub(crate) const LABEL_TOKEN: u8 = 3;
/// The tree has ended; the directions follow.
pub(crate) const END_TOKEN: u8 = 4;

/// The deepest tree that compat mode reads; an honest height fits in a byte.
const MAX_COMPAT_DEPTH: u32 = 255;

/// A proof that is well-formed and whose tree has the root of the digest.
pub(crate) struct DecodedProof<'a> {
    pub(crate) tree: PartialTree<'a>,
    pub(crate) root: NodeId,
    pub(crate) directions: DirectionReader<'a>,
}

/// Decodes a proof and checks its tree against the digest.
///
/// `max_nodes` bounds the tree; the digest's height bounds its depth in strict mode, 255 in compat.
pub(crate) fn decode<'a>(
    proof: &'a [u8],
    digest: &Digest,
    max_nodes: u64,
    params: &Params,
) -> Result<DecodedProof<'a>> {
    params.limits.check_proof(proof.len())?;
    let mut reader = ByteReader::new(proof);
    let (mut tree, root) = decode_tree(&mut reader, proof.len(), digest, max_nodes, params)?;
    if params.mode == Mode::Strict {
        tree.check_heights(digest.height())?;
    }
    tree.complete();
    if tree.label(root) != digest.root() {
        return Err(Error::new(
            Reason::RootMismatch,
            format_args!("{digest}"),
            format_args!("{}", Digest::new(tree.label(root), digest.height())),
        ));
    }
    Ok(DecodedProof {
        tree,
        root,
        directions: DirectionReader { bytes: reader.rest(), position: 0 },
    })
}

fn decode_tree<'a>(
    reader: &mut ByteReader<'a>,
    length: usize,
    digest: &Digest,
    max_nodes: u64,
    params: &Params,
) -> Result<(PartialTree<'a>, NodeId)> {
    let max_depth = match params.mode {
        Mode::Strict => u32::from(digest.height()),
        Mode::Compat => MAX_COMPAT_DEPTH,
    };
    // A typical node takes 17 bytes or more; this only saves growing.
    let estimate = usize::try_from(max_nodes).map_or(length / 17, |max| max.min(length / 17));
    let mut tree = PartialTree::with_capacity(estimate + 1);
    let mut stack: Vec<NodeId> = Vec::new();
    let mut previous_leaf: Option<&'a [u8]> = None;
    let mut nodes = 0u64;
    loop {
        let token = reader.u8()?;
        if token == END_TOKEN {
            break;
        }
        nodes += 1;
        if nodes > max_nodes {
            return Err(Error::new(
                Reason::TooManyNodes,
                format_args!("at most {max_nodes}"),
                "more",
            ));
        }
        let node = match token {
            LABEL_TOKEN => {
                previous_leaf = None;
                tree.push_label(reader.array()?)?
            }
            LEAF_TOKEN => {
                let key = match previous_leaf {
                    Some(key) => key,
                    None => reader.take(params.key_length)?,
                };
                let next_key = reader.take(params.key_length)?;
                previous_leaf = Some(next_key);
                tree.push_leaf(key, decode_value(reader, params)?, next_key)?
            }
            balance => {
                let (Some(right), Some(left)) = (stack.pop(), stack.pop()) else {
                    return Err(Error::new(
                        Reason::MissingChild,
                        "two subtrees before an internal node",
                        format_args!("fewer at node {}", nodes - 1),
                    ));
                };
                let balance = decode_balance(balance, params.mode)?;
                if tree.level(left).max(tree.level(right)) >= max_depth {
                    return Err(Error::new(
                        Reason::HeightMismatch,
                        format_args!("at most {max_depth} levels"),
                        "more",
                    ));
                }
                tree.push_internal(left, right, balance)?
            }
        };
        stack.push(node);
    }
    match stack[..] {
        [root] => Ok((tree, root)),
        _ => Err(Error::new(Reason::NotOneRoot, 1, stack.len())),
    }
}

fn decode_value<'a>(reader: &mut ByteReader<'a>, params: &Params) -> Result<LeafValue<'a>> {
    if let Some(length) = params.value_length {
        return Ok(LeafValue::Bytes(reader.take(length)?));
    }
    let length = reader.u32_be()?;
    params.limits.check_value(length.into())?;
    Ok(LeafValue::Bytes(reader.take(length as usize)?))
}

fn decode_balance(byte: u8, mode: Mode) -> Result<i8> {
    let balance = i8::from_be_bytes([byte]);
    if mode == Mode::Strict && !(-1..=1).contains(&balance) {
        return Err(Error::new(Reason::InvalidBalance, "ff, 00 or 01", format_args!("{byte:02x}")));
    }
    Ok(balance)
}

/// One bit per internal node descended, least significant bit first, 1 = left.
pub(crate) struct DirectionReader<'a> {
    bytes: &'a [u8],
    /// In bits.
    position: usize,
}

impl DirectionReader<'_> {
    /// The next side; `directions_exhausted` if all directions are used.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Side> {
        let Some(byte) = self.bytes.get(self.position >> 3) else {
            return Err(Error::new(
                Reason::DirectionsExhausted,
                "one more direction",
                format_args!("{} bytes of directions, all used", self.bytes.len()),
            ));
        };
        let left = byte >> (self.position & 7) & 1 == 1;
        self.position += 1;
        Ok(if left { Side::Left } else { Side::Right })
    }

    /// Checks that every byte was used and that unused bits of the last one are zero.
    pub(crate) fn finish(&self) -> Result<()> {
        let used = self.position.div_ceil(8);
        if used != self.bytes.len() {
            return Err(Error::new(
                Reason::DirectionsLeftOver,
                format_args!("{used} bytes of directions"),
                format_args!("{} bytes", self.bytes.len()),
            ));
        }
        let padding = match (self.position & 7, self.bytes.last()) {
            (used_bits @ 1.., Some(last)) => last >> used_bits,
            _ => 0,
        };
        if padding != 0 {
            return Err(Error::new(
                Reason::DirectionsPadding,
                "zero padding",
                format_args!("{padding:#b}"),
            ));
        }
        Ok(())
    }
}
