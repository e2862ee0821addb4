//! The honest prover.

use super::proof::{HistoryPart, ModelProof, ProofLeaf, ProofNode, VersionContent, integer};
use super::query::{Query, begins_with};
use super::state::AmbModel;
use super::tree::{
    KeyVersion, NodeKind, NodeRecord, TreeNode, label, past, past_hashes, peaks, roots_outside,
    value_hash,
};

/// The proof of a query; of a page, up to the cut.
pub fn prove(state: &AmbModel, query: &Query, cut: Option<&[u8]>) -> ModelProof {
    let mut flag = Vec::new();
    if let Query::Range { .. } | Query::Transfer { .. } = query {
        flag.push(u8::from(cut.is_some()));
    }
    if let Some(cut) = cut {
        integer(&mut flag, cut.len() as u64);
        flag.extend_from_slice(cut);
    }
    let prover = QueryProver { height: state.height, query, cut };
    let root = match state.tree() {
        Some(tree) => prover.node(&[], &tree),
        None => ProofNode::closed(&NodeRecord::EMPTY, 0, !query.covers(&[])),
    };
    ModelProof { envelope: [1, 6, query.kind()], cut: flag, root }
}

struct QueryProver<'a> {
    height: u64,
    query: &'a Query,
    cut: Option<&'a [u8]>,
}

impl QueryProver<'_> {
    fn node(&self, way: &[bool], node: &TreeNode) -> ProofNode {
        if !self.query.meets(self.cut, way) || self.query.covers(way) {
            return ProofNode::closed(&node.record, self.height, false);
        }
        if self.query.settles(&node.record) {
            return ProofNode::closed(&node.record, self.height, true);
        }
        match &node.kind {
            NodeKind::Leaf { key, versions } => ProofNode::Leaf(self.leaf(way, key, versions)),
            NodeKind::Branch { prefix, children } => {
                let child = |side: bool| {
                    let way = [&prefix[..], &[side]].concat();
                    self.node(&way, &children[usize::from(side)])
                };
                let tag = prefix.len() - way.len() + 2;
                let known = if tag == 2 { usize::MAX } else { way.len() / 9 };
                let label = label(prefix).get(known..).unwrap_or_default().to_vec();
                let children = Box::new([child(false), child(true)]);
                ProofNode::Branch { tag: tag as u64, label, children }
            }
        }
    }

    fn leaf(&self, way: &[bool], key: &[u8], versions: &[KeyVersion]) -> ProofLeaf {
        let mut leaf = other_leaf(self.height, way.len(), key, versions);
        if let Some(keys) = self.query.keys() {
            let mut here: Vec<_> = keys.iter().filter(|key| begins_with(key, way)).collect();
            here.sort();
            here.dedup();
            let number = here.iter().position(|asked| *asked == key).map_or(0, |at| at + 1);
            leaf.number = Some(number as u64);
            if number == 0 {
                return leaf;
            }
        } else {
            let (first, end) = self.query.page(self.cut);
            if key < first || end.is_some_and(|end| key >= end) {
                return leaf;
            }
        }
        self.fill(&mut leaf, versions);
        leaf
    }

    /// Adds the parts of an entry that the query asks for.
    fn fill(&self, leaf: &mut ProofLeaf, versions: &[KeyVersion]) {
        let Some(((newest, value), before)) = versions.split_last() else { return };
        let hashes = past_hashes(versions);
        let shown = content(value.as_deref(), true);
        match *self.query {
            Query::Get { at, .. } | Query::Range { at, .. } => {
                if *newest <= at {
                    leaf.content = shown;
                } else if !before.is_empty() {
                    let m = before.partition_point(|(block, _)| *block <= at);
                    let window = m.saturating_sub(1)..(m + 1).min(before.len());
                    leaf.past = vec![HistoryPart::Integer(m as u64)];
                    self.window(leaf, before, &hashes, window, at);
                }
            }
            Query::Hist { from, to, .. } => {
                if *newest <= to {
                    leaf.content = shown;
                }
                if *newest >= from && !before.is_empty() {
                    let first =
                        before.partition_point(|(block, _)| *block < from).saturating_sub(1);
                    let end = before.partition_point(|(block, _)| *block <= to);
                    let end = (end + 1).min(before.len());
                    let numbers =
                        [first, end - first].map(|number| HistoryPart::Integer(number as u64));
                    leaf.past = numbers.to_vec();
                    self.window(leaf, before, &hashes, first..end, to);
                }
            }
            Query::Transfer { .. } => {
                leaf.content = shown;
                leaf.past = peaks(&hashes).into_iter().map(HistoryPart::Hash).collect();
            }
            Query::Update { .. } => {
                leaf.past = peaks(&hashes).into_iter().map(HistoryPart::Hash).collect();
            }
            Query::Count { .. } => {}
        }
    }

    /// Adds a window of past versions, with values up to a block, and the hashes of the versions outside of it.
    fn window(
        &self,
        leaf: &mut ProofLeaf,
        before: &[KeyVersion],
        hashes: &[prooflight_core::Hash],
        window: std::ops::Range<usize>,
        shown_up_to: u64,
    ) {
        for (block, value) in &before[window.clone()] {
            let content = content(value.as_deref(), *block <= shown_up_to);
            leaf.past.push(HistoryPart::Version(self.height - block, content));
        }
        let hashes = roots_outside(hashes, window.start, window.end);
        leaf.past.extend(hashes.into_iter().map(HistoryPart::Hash));
    }
}

/// The leaf of an entry outside of the query, in a kind without requested keys.
fn other_leaf(height: u64, way: usize, key: &[u8], versions: &[KeyVersion]) -> ProofLeaf {
    let (newest, value) = versions.last().expect("an entry has a version");
    ProofLeaf {
        number: None,
        rest: key.get(way / 9..).unwrap_or_default().to_vec(),
        versions: versions.len() as u64,
        age: height - newest,
        content: content(value.as_deref(), false),
        past: if versions.len() > 1 { vec![HistoryPart::Hash(past(versions))] } else { vec![] },
    }
}

/// A version's content: the value itself, or its hash.
fn content(value: Option<&[u8]>, shown: bool) -> VersionContent {
    match value {
        None => VersionContent::Tombstone,
        Some(value) if shown => VersionContent::Value(value.to_vec()),
        Some(_) => VersionContent::Hash(value_hash(value)),
    }
}
