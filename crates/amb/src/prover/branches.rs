//! Makes the branches above pages from a draft.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::MAX_PAGE_ENTRIES;
use super::draft::{DraftNode, SubtreeDraft};
use super::piece::{KeyedNode as _, TreePiece};
use super::top::{TopBranch, TopChild, TopNode};

/// The tree of a draft: its largest subtrees of at most 64 entries become pages, which are passed to `page` with their
/// records.
pub(super) fn above_pages<'i, 'p>(
    draft: &SubtreeDraft,
    pieces: &'i [TreePiece<'p>],
    mut page: impl FnMut(&'i [TreePiece<'p>], &TopChild),
) -> TopChild {
    // The branches above pages that have no parent yet.
    let mut made: Vec<Option<TopChild>> = Vec::with_capacity(draft.branches().len());
    let mut take = |at: DraftNode, made: &mut [Option<TopChild>]| {
        let known = match at {
            DraftNode::Item(item) => match &pieces[item] {
                TreePiece::Node(child) => Some(child.clone()),
                TreePiece::Entry(_) => None,
            },
            DraftNode::Branch(branch) => made[branch].take(),
        };
        known.unwrap_or_else(|| {
            let entries = &pieces[draft.items(at)];
            let node = TopNode::Page(entries[0].key().into());
            let child = TopChild { record: *draft.record(at), node };
            page(entries, &child);
            child
        })
    };
    for branch in draft.branches() {
        let is_entry = |piece: &TreePiece<'_>| matches!(piece, TreePiece::Entry(_));
        let entries = branch.record.live + branch.record.dead;
        if entries <= MAX_PAGE_ENTRIES && pieces[branch.items.clone()].iter().all(is_entry) {
            // In a page.
            made.push(None);
            continue;
        }
        let children = branch.children.map(|child| take(child, &mut made));
        let key = children[0].shared_key();
        let node = TopNode::Branch(Arc::new(TopBranch { depth: branch.depth, key, children }));
        made.push(Some(TopChild { record: branch.record, node }));
    }
    draft.top.map_or(TopChild::EMPTY, |top| take(top, &mut made))
}
