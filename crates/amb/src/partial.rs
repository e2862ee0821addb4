//! A partial tree: opened nodes, and the records of the others.

use alloc::vec::Vec;
use core::mem;

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Error, Hash, Hex, Reason, Result};

use crate::hash::{EMPTY_PAST_ROOT, KeyVersion, NodeRecord, hash_value, past_root};
use crate::path::{KeyBits, Path, bit, first_bits, first_difference};

/// A part of a tree, built in post-order: a branch follows its children.
#[derive(Debug, Default)]
pub(crate) struct PartialTree<'a> {
    nodes: Vec<Node<'a>>,
    /// The complete nodes that have no branch yet; at the end, the root of each part.
    tops: Vec<usize>,
}

#[derive(Clone, Debug)]
enum Node<'a> {
    Closed(NodeRecord),
    Leaf(Leaf<'a>),
    Branch(Branch),
}

#[derive(Clone, Debug)]
struct Leaf<'a> {
    key: Vec<u8>,
    versions: u64,
    newest: KeyVersion,
    /// The roots of the perfect trees over the past versions; `None` if the leaf does not show them.
    peaks: Option<&'a [Hash]>,
    record: NodeRecord,
}

#[derive(Clone, Debug)]
struct Branch {
    /// The bytes of the prefix of which a bit is known.
    prefix: Vec<u8>,
    depth: usize,
    children: [usize; 2],
    record: NodeRecord,
    /// Whether something below it has changed, so that its record is stale.
    is_changed: bool,
}

impl<'a> PartialTree<'a> {
    /// Adds a closed node.
    pub(crate) fn closed(&mut self, node: NodeRecord) {
        self.push(Node::Closed(node));
    }

    /// Adds a leaf.
    pub(crate) fn leaf(
        &mut self,
        key: Vec<u8>,
        versions: u64,
        newest: KeyVersion,
        peaks: Option<&'a [Hash]>,
        record: NodeRecord,
    ) {
        self.push(Node::Leaf(Leaf { key, versions, newest, peaks, record }));
    }

    /// Adds the branch over the last two nodes; the path is its prefix.
    pub(crate) fn branch(&mut self, path: &Path, record: NodeRecord) {
        let (right, left) = (self.tops.pop(), self.tops.pop());
        if let (Some(left), Some(right)) = (left, right) {
            let (prefix, depth) = (path.bits().known_bytes().to_vec(), path.length());
            let children = [left, right];
            self.push(Node::Branch(Branch { prefix, depth, children, record, is_changed: false }));
        }
    }

    /// Merges the last two parts, which have one root: a node opened in either is opened.
    pub(crate) fn merge(&mut self) {
        let [.., into, from] = self.tops[..] else { return };
        self.tops.pop();
        let mut pairs = Vec::from([(into, from)]);
        while let Some((into, from)) = pairs.pop() {
            match (&self.nodes[into], &self.nodes[from]) {
                (Node::Branch(a), Node::Branch(b)) => {
                    pairs.extend(a.children.into_iter().zip(b.children));
                }
                (Node::Closed(_), Node::Leaf(_) | Node::Branch(_))
                | (Node::Leaf(Leaf { peaks: None, .. }), Node::Leaf(_)) => {
                    self.nodes[into] =
                        mem::replace(&mut self.nodes[from], Node::Closed(NodeRecord::EMPTY));
                }
                _ => {}
            }
        }
    }

    /// Executes an operation of a block.
    ///
    /// `node_not_expanded` if its key's path ends at a node that does not show enough, `key_absent` if it deletes a
    /// key that is not live.
    pub(crate) fn execute(&mut self, block: u64, operation: &RawKeyChange<'_>) -> Result<()> {
        let key = operation.key;
        let newest = KeyVersion { block, value: operation.value.map(hash_value) };
        let Some(mut at) = self.tops.last().copied() else { return Ok(()) };
        loop {
            let goes_on = match &mut self.nodes[at] {
                Node::Closed(node) if !node.is_empty() => return Err(not_expanded(key)),
                Node::Leaf(leaf) if leaf.key == key => return leaf.write(newest),
                Node::Branch(branch) if KeyBits::of(&branch.prefix, branch.depth).begin(key) => {
                    branch.is_changed = true;
                    Some(branch.children[usize::from(bit(key, branch.depth))])
                }
                _ => None,
            };
            match goes_on {
                Some(child) => at = child,
                None if newest.value.is_none() => return Err(absent(key)),
                None => {
                    self.insert(at, key, newest);
                    return Ok(());
                }
            }
        }
    }

    /// Puts a new leaf where its key's path ends: in place of the empty tree, or next to a node, under a new
    /// branch.
    fn insert(&mut self, at: usize, key: &[u8], newest: KeyVersion) {
        let record = NodeRecord::entry(key, 1, &newest, &EMPTY_PAST_ROOT);
        let leaf = Leaf { key: key.to_vec(), versions: 1, newest, peaks: Some(&[]), record };
        let depth = match &self.nodes[at] {
            Node::Closed(_) => None,
            Node::Leaf(other) => first_difference(key, &other.key),
            Node::Branch(branch) => first_difference(key, &branch.prefix),
        };
        let Some(depth) = depth else {
            self.nodes[at] = Node::Leaf(leaf);
            return;
        };
        let beside = self.nodes.len();
        let mut children = [beside, beside + 1];
        if !bit(key, depth) {
            children.reverse();
        }
        let prefix = first_bits(key, depth);
        let branch = Branch { prefix, depth, children, record, is_changed: true };
        let node = mem::replace(&mut self.nodes[at], Node::Branch(branch));
        self.nodes.extend([node, Node::Leaf(leaf)]);
    }

    /// The state root, after hashing the changed branches again.
    pub(crate) fn root(&mut self) -> Hash {
        let Some(&top) = self.tops.last() else { return NodeRecord::EMPTY.state_root() };
        let mut visits = Vec::from([(top, false)]);
        while let Some((at, children_are_done)) = visits.pop() {
            let Node::Branch(branch) = &self.nodes[at] else { continue };
            if !branch.is_changed {
                continue;
            }
            let [left, right] = branch.children;
            if children_are_done {
                let prefix = KeyBits::of(&branch.prefix, branch.depth);
                let record = NodeRecord::branch(prefix, [self.record(left), self.record(right)]);
                self.nodes[at] = Node::Closed(record);
            } else {
                visits.extend([(at, true), (left, false), (right, false)]);
            }
        }
        self.record(top).state_root()
    }

    fn record(&self, at: usize) -> &NodeRecord {
        match &self.nodes[at] {
            Node::Closed(record) => record,
            Node::Leaf(leaf) => &leaf.record,
            Node::Branch(branch) => &branch.record,
        }
    }

    fn push(&mut self, node: Node<'a>) {
        self.tops.push(self.nodes.len());
        self.nodes.push(node);
    }
}

impl Leaf<'_> {
    /// Adds a version.
    fn write(&mut self, newest: KeyVersion) -> Result<()> {
        let Some(peaks) = self.peaks else { return Err(not_expanded(&self.key)) };
        if newest.value.is_none() && self.newest.value.is_none() {
            return Err(absent(&self.key));
        }
        let past = past_root(peaks, Some(self.newest.past_leaf()));
        // The number was below 2^56 before.
        self.versions += 1;
        self.newest = newest;
        self.record = NodeRecord::entry(&self.key, self.versions, &newest, &past);
        Ok(())
    }
}

#[cold]
fn not_expanded(key: &[u8]) -> Error {
    let expected = format_args!("an opened node on the path of {}", Hex(key));
    Error::new(Reason::NodeNotExpanded, expected, "a closed one")
}

#[cold]
fn absent(key: &[u8]) -> Error {
    Error::new(Reason::KeyAbsent, "a key that has a value", Hex(key))
}
