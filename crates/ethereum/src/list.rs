//! The roots of lists, which headers have for transactions, receipts and withdrawals.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, keccak256};
use prooflight_mpt::{EMPTY_ROOT, encode};

/// Shorter nodes are embedded in their parent.
const HASHED_NODE_BYTES: usize = 32;

/// The root of the trie that has each value at the RLP of its index.
///
/// Source: Ethereum Yellow Paper, section 4.3.2 and appendix D.
pub fn list_root(values: &[&[u8]]) -> Hash {
    let mut entries: Vec<ListEntry<'_>> = (0_u64..).zip(values).map(ListEntry::new).collect();
    entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    if entries.is_empty() { EMPTY_ROOT } else { keccak256(&[&node(&entries, 0)]) }
}

/// Checks the list of a block against the root in its header; otherwise `root_mismatch`.
pub(crate) fn check_list(values: &[&[u8]], root: &Hash, limits: &Limits) -> Result<()> {
    let bytes = values.iter().fold(0, |bytes: usize, value| bytes.saturating_add(value.len()));
    limits.check_proof(bytes)?;
    let found = list_root(values);
    if found == *root {
        return Ok(());
    }
    Err(Error::new(
        Reason::RootMismatch,
        Hex(root),
        format_args!("{} of a list of {}", Hex(&found), values.len()),
    ))
}

/// A value with the nibbles of its key.
struct ListEntry<'a> {
    path: Vec<u8>,
    value: &'a [u8],
}

impl<'a> ListEntry<'a> {
    fn new((index, value): (u64, &&'a [u8])) -> Self {
        let key = encode::integer(&index.to_be_bytes());
        Self { path: key.iter().flat_map(|byte| [byte >> 4, byte & 0xf]).collect(), value }
    }

    fn from(&self, depth: usize) -> &[u8] {
        self.path.get(depth..).unwrap_or_default()
    }
}

/// The node over entries that have the same nibbles above `depth`; no key is a prefix of another.
///
/// A key has at most 18 nibbles, which bounds the recursion.
fn node(entries: &[ListEntry<'_>], depth: usize) -> Vec<u8> {
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
        return Vec::from([0x80]);
    };
    if entries.len() == 1 {
        return encode::list(&[encode::path(first.from(depth), true), encode::string(first.value)]);
    }
    let shared = first.from(depth).iter().zip(last.from(depth)).take_while(|(a, b)| a == b).count();
    if shared > 0 {
        let path = first.from(depth).get(..shared).unwrap_or_default();
        return encode::list(&[
            encode::path(path, false),
            reference(node(entries, depth + shared)),
        ]);
    }
    let mut children = Vec::with_capacity(17);
    for nibble in 0..16 {
        let nibble_of =
            |entry: &ListEntry<'_>| entry.from(depth).first().copied().unwrap_or_default();
        let start = entries.partition_point(|entry| nibble_of(entry) < nibble);
        let end = entries.partition_point(|entry| nibble_of(entry) <= nibble);
        let below = entries.get(start..end).unwrap_or_default();
        children.push(if below.is_empty() {
            encode::string(&[])
        } else {
            reference(node(below, depth + 1))
        });
    }
    children.push(encode::string(&[]));
    encode::list(&children)
}

fn reference(node: Vec<u8>) -> Vec<u8> {
    if node.len() < HASHED_NODE_BYTES { node } else { encode::string(&keccak256(&[&node])) }
}
