//! Opens the newest state: the branches above the pages are built from the pages' records.

use alloc::vec::Vec;

use prooflight_core::store::{ReadStore, corrupt};
use prooflight_core::{Hex, Result};

use super::branches::above_pages;
use super::draft::SubtreeDraft;
use super::piece::TreePiece;
use super::stored_record::{check, decode, decode_node, kind};
use super::top::{TopChild, TopNode};
use crate::hash::NodeRecord;

/// The newest block, and the tree after it; `None` for an empty store.
pub(super) fn open<S: ReadStore + ?Sized>(store: &S) -> Result<Option<(u64, TopChild)>> {
    let Some((height, head)) = newest(store)? else { return Ok(None) };
    let mut pieces = Vec::new();
    for summary in store.range(&[kind::SUMMARY], &[kind::SUMMARY + 1]) {
        let (key, value) = summary?;
        let first = key.get(1..).unwrap_or_default();
        let name = format_args!("the record of the page from {} on", Hex(first));
        let record = decode(&check(&key, value, &name)?, &name, decode_node)?;
        pieces.push(TreePiece::Node(TopChild { record, node: TopNode::Page(first.into()) }));
    }
    let top = above_pages(&SubtreeDraft::over(&pieces), &pieces, |_, _| ());
    if top.record == head {
        return Ok(Some((height, top)));
    }
    let expected =
        format_args!("pages whose root after block {height} is {}", Hex(&head.state_root()));
    Err(corrupt(expected, Hex(&top.record.state_root())))
}

/// The newest block, and the record of the tree after it.
fn newest<S: ReadStore + ?Sized>(store: &S) -> Result<Option<(u64, NodeRecord)>> {
    let mut heads = store.range(&[kind::HEAD], &[kind::HEAD + 1]);
    let Some((key, value)) = heads.next().transpose()? else {
        return match store.range(&[], &[0xff]).next().transpose()? {
            Some(_) => Err(corrupt("a newest block", "none")),
            None => Ok(None),
        };
    };
    if heads.next().transpose()?.is_some() {
        return Err(corrupt("one newest block", "two"));
    }
    let name = "the newest block";
    let height = key.get(1..).and_then(|height| height.try_into().ok()).map(u64::from_be_bytes);
    let height = height.ok_or_else(|| corrupt("a block in 8 bytes", Hex(&key)))?;
    let record = decode(&check(&key, value, &name)?, &name, decode_node)?;
    Ok(Some((height, record)))
}
