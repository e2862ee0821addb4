//! Proves lookups at any kept revision, reading only the nodes on the paths.

use core::cmp::Ordering;
use std::collections::HashMap;

use prooflight_core::Result;
use prooflight_core::store::{ReadStore, corrupt, require_node, root_at};

use super::arena::{Arena, ArenaSlabs, Node, index, prefix};
use super::record::{NodeRecord, PARAMS_KEY, TreeRoot, params_record};
use super::{AvlProver, ProvedBatch};
use crate::operation::Operation;
use crate::params::{Label, Params};
use crate::tree::{NodeId, NodeKind};

/// Proves lookups in a kept revision, reading only the nodes that the proof expands.
///
/// The proof equals that of [`AvlProver::prove_batch`] for the same lookups in that revision. Each
/// node read must have the label that its parent (for the root, the revision) commits to, else
/// `store_corrupt`. `version_unavailable` if the revision is not kept.
pub fn prove_lookups_at<S: ReadStore + ?Sized>(
    store: &S,
    params: &Params,
    revision: u64,
    keys: &[&[u8]],
) -> Result<ProvedBatch> {
    let ops: Vec<Operation<'_>> = keys.iter().map(|key| Operation::Lookup { key }).collect();
    params.check(&ops)?;
    if store.get(PARAMS_KEY)? != Some(params_record(params)) {
        return Err(corrupt("the dictionary's key and value lengths", "others, or none"));
    }
    let root = root_at(store, revision)?;
    let mut paths = PathLoader::new(store, params, &root)?;
    for key in keys {
        paths.load(key)?;
    }
    AvlProver { params: *params, arena: paths.into_arena(&root) }.prove_batch(&ops)
}

/// The nodes of a revision that some path needs; all others are only labels.
struct PathLoader<'s, S: ?Sized> {
    store: &'s S,
    params: &'s Params,
    height: u8,
    loaded: ArenaSlabs,
    labels: Vec<Label>,
    /// The store's id of each node, including those that are only labels.
    ids: Vec<u64>,
    keys: HashMap<Vec<u8>, u32>,
}

const ROOT_NODE: NodeId = 0;

impl<'s, S: ReadStore + ?Sized> PathLoader<'s, S> {
    fn new(store: &'s S, params: &'s Params, root: &TreeRoot) -> Result<Self> {
        let mut paths = Self {
            store,
            params,
            height: root.height,
            loaded: ArenaSlabs::default(),
            labels: Vec::new(),
            ids: Vec::new(),
            keys: HashMap::new(),
        };
        // The separator and value of a label-only node are never read.
        paths.intern(&vec![0; params.key_length])?;
        paths.loaded.values.push(Box::default());
        paths.add_label(root.id, root.label)?;
        Ok(paths)
    }

    /// Expands the path to the leaf that covers a key.
    fn load(&mut self, key: &[u8]) -> Result<()> {
        let mut id = ROOT_NODE;
        let mut matches = false;
        let mut path = Vec::new();
        loop {
            self.expand(id)?;
            let node = self.loaded.nodes[id as usize];
            if node.kind == NodeKind::Leaf {
                break;
            }
            if path.len() == usize::from(self.height) {
                return Err(corrupt(format_args!("a tree of height {}", self.height), "more"));
            }
            let right = !matches
                && match key.cmp(&self.loaded.keys[node.key as usize]) {
                    Ordering::Less => false,
                    Ordering::Greater => true,
                    Ordering::Equal => {
                        matches = true;
                        true
                    }
                };
            path.push((node.balance, right));
            id = if right { node.right } else { node.left };
        }
        self.check_leaf(id, key, matches)?;
        self.check_height(&path)
    }

    /// Labels do not cover separators, so a wrong separator shows only in the leaf that it leads
    /// to.
    fn check_leaf(&self, id: NodeId, key: &[u8], matches: bool) -> Result<()> {
        let leaf = self.loaded.nodes[id as usize];
        let (first, next) =
            (&*self.loaded.keys[leaf.key as usize], &*self.loaded.keys[leaf.right as usize]);
        let leads_there = if matches { first == key } else { first < key && key < next };
        if leads_there {
            return Ok(());
        }
        Err(corrupt(
            format_args!("separators that lead to the key, above node {}", self.ids[id as usize]),
            "others",
        ))
    }

    /// Labels do not cover the height either, but it follows from the balances on any path.
    fn check_height(&self, path: &[(i8, bool)]) -> Result<()> {
        let height = path.iter().rev().fold(0, |below: u32, &(balance, right)| {
            let is_lower_side = if right { balance < 0 } else { balance > 0 };
            below + 1 + u32::from(is_lower_side)
        });
        if height == u32::from(self.height) {
            return Ok(());
        }
        Err(corrupt(format_args!("height {height}"), self.height))
    }

    /// Reads a node that so far is only a label, and checks it against that label.
    fn expand(&mut self, at: NodeId) -> Result<()> {
        if self.loaded.nodes[at as usize].kind != NodeKind::Label {
            return Ok(());
        }
        let id = self.ids[at as usize];
        let record = require_node(self.store, id)?;
        let decoded = NodeRecord::decode(&record, self.params.key_length).map_err(|error| {
            corrupt(format_args!("node {id}, {}", error.expected()), error.found())
        })?;
        if decoded.label() != self.labels[at as usize] {
            return Err(corrupt(format_args!("the committed label at node {id}"), "another"));
        }
        let node = match decoded {
            NodeRecord::Leaf { key, next_key, value } => {
                let left = index(self.loaded.values.len())?;
                self.loaded.values.push(value.into());
                let (key, right) = (self.intern(key)?, self.intern(next_key)?);
                Node { left, right, key, prefix: 0, balance: 0, kind: NodeKind::Leaf }
            }
            NodeRecord::Internal { balance, separator, ids, labels } => Node {
                left: self.add_label(ids[0], labels[0])?,
                right: self.add_label(ids[1], labels[1])?,
                key: self.intern(separator)?,
                prefix: prefix(separator),
                balance,
                kind: NodeKind::Internal,
            },
        };
        self.loaded.nodes[at as usize] = node;
        Ok(())
    }

    fn add_label(&mut self, id: u64, label: Label) -> Result<NodeId> {
        let at = index(self.loaded.nodes.len())?;
        let node = Node { left: 0, right: 0, key: 0, prefix: 0, balance: 0, kind: NodeKind::Label };
        self.loaded.nodes.push(node);
        self.labels.push(label);
        self.ids.push(id);
        Ok(at)
    }

    fn intern(&mut self, key: &[u8]) -> Result<u32> {
        if let Some(&at) = self.keys.get(key) {
            return Ok(at);
        }
        let at = index(self.loaded.keys.len())?;
        self.loaded.keys.push(key.into());
        self.keys.insert(key.to_vec(), at);
        Ok(at)
    }

    fn into_arena(self, root: &TreeRoot) -> Arena {
        Arena::from_slabs(self.loaded, self.labels, ROOT_NODE, root.height)
    }
}
