//! Reads the opened part of a tree, from its root down.

use alloc::vec::Vec;

use prooflight_core::{Error, Reason, Result};

use crate::answers::ProofAnswers;
use crate::hash::NodeRecord;
use crate::leaf::read_leaf;
use crate::path::{MAX_DEPTH, Path, is_padded, pre_length_after};
use crate::proof::ProofStream;
use crate::query::{QueryLead, TreeQuery};

/// Reads the nodes that a query opens; returns the root's record.
///
/// The branches above the current node are kept in a list: at most 2,304, since their depths
/// ascend.
pub(crate) fn read_nodes<'a>(
    stream: &mut ProofStream<'a>,
    query: &TreeQuery<'_>,
    found: &mut ProofAnswers<'a>,
) -> Result<NodeRecord> {
    let mut above: Vec<Branch> = Vec::with_capacity(TYPICAL_DEPTH);
    let mut path = Path::new();
    let mut lead = query.lead();
    loop {
        let mut node = match read_node(stream, query, &mut path, lead, found)? {
            Node::Complete(record) => record,
            Node::Branch => {
                above.push(Branch { depth: path.length(), lead, left: None });
                path.push(false);
                lead = query.lead_to(lead, path.bits());
                continue;
            }
        };
        // Each branch whose right child this was is complete, too.
        loop {
            let Some(branch) = above.last_mut() else { return Ok(node) };
            path.truncate(branch.depth);
            let Some(left) = &branch.left else {
                branch.left = Some(node);
                path.push(true);
                lead = query.lead_to(branch.lead, path.bits());
                break;
            };
            node = NodeRecord::branch(path.bits(), [left, &node]);
            above.pop();
            check_opened(query, &node)?;
            found.branch(&path, &node);
        }
    }
}

/// The usual number of branches above a leaf in a tree of a few million keys.
const TYPICAL_DEPTH: usize = 32;

/// A branch with children that are not read yet.
struct Branch {
    depth: usize,
    lead: QueryLead,
    /// The record of the left child, once it is complete.
    left: Option<NodeRecord>,
}

enum Node {
    Complete(NodeRecord),
    /// A branch, at the end of the path; its children follow.
    Branch,
}

/// `node(p)` of the specification, without the children of a branch.
fn read_node<'a>(
    stream: &mut ProofStream<'a>,
    query: &TreeQuery<'_>,
    path: &mut Path,
    lead: QueryLead,
    found: &mut ProofAnswers<'a>,
) -> Result<Node> {
    if let QueryLead::Closed | QueryLead::Covered = lead {
        let node = read_closed(stream, path)?;
        found.closed(&node, matches!(lead, QueryLead::Covered));
        return Ok(Node::Complete(node));
    }
    match stream.integer()? {
        0 => {
            let node = read_closed(stream, path)?;
            if !query.is_settled(&node) {
                let found = "a closed one";
                return Err(Error::new(Reason::NodeNotExpanded, "an opened node", found));
            }
            found.closed(&node, false);
            Ok(Node::Complete(node))
        }
        1 => {
            let leaf = read_leaf(stream, query, path, lead, found)?;
            let node = leaf.record;
            check_opened(query, &node)?;
            found.leaf(leaf);
            Ok(Node::Complete(node))
        }
        tag => read_branch(stream, path, tag - 2),
    }
}

/// Reads a branch `further` bits below its parent's child; the path becomes its prefix.
fn read_branch(stream: &mut ProofStream<'_>, path: &mut Path, further: u64) -> Result<Node> {
    let depth = usize::try_from(further).ok().and_then(|it| it.checked_add(path.length()));
    let Some(depth) = depth.filter(|&depth| depth < MAX_DEPTH) else {
        let expected = format_args!("at most {} bits below", MAX_DEPTH - 1);
        return Err(Error::new(Reason::DepthOutOfRange, expected, further));
    };
    if path.has_ended() {
        return Err(off_path("a leaf, as the key has ended"));
    }
    if further > 0 {
        let pre = stream.take(pre_length_after(path.length(), depth) as u64)?;
        if !is_padded(pre, depth) {
            return Err(Error::new(Reason::InvalidEncoding, "a prefix padded with 0 bits", "1"));
        }
        if !path.begins(pre) {
            return Err(off_path("a prefix that begins with the path to it"));
        }
        path.extend(pre, depth);
    }
    Ok(Node::Branch)
}

#[cold]
fn off_path(expected: &str) -> Error {
    Error::new(Reason::LabelOffPath, expected, "another branch")
}

fn read_closed(stream: &mut ProofStream<'_>, path: &Path) -> Result<NodeRecord> {
    let [live, dead] = [stream.integer()?, stream.integer()?];
    check_count(live, dead)?;
    if live == 0 && dead == 0 {
        if path.length() > 0 {
            return Err(Error::new(Reason::InvalidEncoding, "a node with entries", "none"));
        }
        return Ok(NodeRecord::EMPTY);
    }
    Ok(NodeRecord { version: stream.block()?, live, dead, hash: stream.hash()? })
}

fn check_opened(query: &TreeQuery<'_>, node: &NodeRecord) -> Result<()> {
    check_count(node.live, node.dead)?;
    if query.is_settled(node) {
        let expected = "a closed node, as nothing in it is asked for";
        return Err(Error::new(Reason::NodeNotVisited, expected, "an opened one"));
    }
    Ok(())
}

fn check_count(live: u64, dead: u64) -> Result<()> {
    // Both are below 2^57: integers, or sums of two such.
    if live + dead < 1 << 56 {
        return Ok(());
    }
    Err(Error::new(Reason::CountOutOfRange, "fewer than 2^56 entries", live + dead))
}
