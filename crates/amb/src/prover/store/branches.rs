//! Makes the branches above pages from a draft.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::PAGE;
use super::draft::{At, Draft};
use super::item::{Item as _, Piece};
use super::top::{Branch, Child, Node};

/// The tree of a draft: its largest subtrees of at most 64 entries become pages, which are passed to `page` with their
/// records.
pub(super) fn above_pages<'i, 'p>(
    draft: &Draft,
    pieces: &'i [Piece<'p>],
    mut page: impl FnMut(&'i [Piece<'p>], &Child),
) -> Child {
    // The branches above pages that have no parent yet.
    let mut made: Vec<Option<Child>> = Vec::with_capacity(draft.branches().len());
    let mut take = |at: At, made: &mut [Option<Child>]| {
        let known = match at {
            At::Item(item) => match &pieces[item] {
                Piece::Node(child) => Some(child.clone()),
                Piece::Entry(_) => None,
            },
            At::Branch(branch) => made[branch].take(),
        };
        known.unwrap_or_else(|| {
            let entries = &pieces[draft.items(at)];
            let node = Node::Page(entries[0].key().into());
            let child = Child { record: *draft.record(at), node };
            page(entries, &child);
            child
        })
    };
    for branch in draft.branches() {
        let is_entry = |piece: &Piece<'_>| matches!(piece, Piece::Entry(_));
        let entries = branch.record.live + branch.record.dead;
        if entries <= PAGE && pieces[branch.items.clone()].iter().all(is_entry) {
            // In a page.
            made.push(None);
            continue;
        }
        let children = branch.children.map(|child| take(child, &mut made));
        let key = children[0].shared_key();
        let node = Node::Branch(Arc::new(Branch { depth: branch.depth, key, children }));
        made.push(Some(Child { record: branch.record, node }));
    }
    draft.top.map_or(Child::EMPTY, |top| take(top, &mut made))
}
