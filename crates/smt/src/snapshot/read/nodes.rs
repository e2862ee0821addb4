//! Finds the nodes of any block's tree in snapshot files, and checks them against the hashes that
//! lead to them.

use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Hash, Hex, Result};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::pages::PageReader;
use super::record_location::{RecordLocation, impossible};
use crate::hash::{Preimage, hash_key, hash_value};
use crate::part::bit;
use crate::snapshot::files::SnapshotFiles;
use crate::snapshot::format::clusters::{Cluster, MAX_CLUSTER_BYTES};
use crate::snapshot::format::header::{FileHeader, HEADER_BYTES};
use crate::snapshot::format::manifest::last_of_group;
use crate::snapshot::format::record::RECORD_HEAD_BYTES;
use crate::snapshot::format::{NodePosition, NodeRef, corrupt, file_name};
use crate::tree::NodeKind;

/// The nodes in the files of a folder.
#[derive(Debug)]
pub(crate) struct NodeReader {
    pages: PageReader,
    blocks_per_file: u64,
    headers: Arc<Cache<u64, FileHeader>>,
    /// Keyed by the last block of the file and the position in it.
    clusters: Arc<Cache<(u64, u64), Arc<Cluster>, ClusterWeighter>>,
}

/// Weighs a cluster by its memory.
#[derive(Clone, Debug)]
struct ClusterWeighter;

impl Weighter<(u64, u64), Arc<Cluster>> for ClusterWeighter {
    fn weight(&self, _: &(u64, u64), cluster: &Arc<Cluster>) -> u64 {
        cluster.memory_bytes()
    }
}

/// A node that matches the hash in its reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NodeContent {
    Branch { depth: u8, children: [NodeRef; 2] },
    Leaf { key_hash: Hash, key: Vec<u8>, value: Option<Vec<u8>>, value_hash: Option<Hash> },
}

/// The path to a node: it is below a branch at depth `parent`, and its keys have the bits of
/// `prefix` at the depths of all its ancestors.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodePath<'k> {
    pub(super) prefix: &'k Hash,
    pub(super) parent: Option<u8>,
}

/// The bytes of a record that are read at first: most records are shorter.
const FIRST_READ_BYTES: u64 = 256;

/// The usual memory of a cluster, of which the cache is a multiple.
const USUAL_CLUSTER_BYTES: u64 = 4096;

/// The number of headers kept in memory.
const MAX_CACHED_HEADERS: usize = 1 << 14;

impl NodeReader {
    pub(crate) fn new(files: SnapshotFiles, blocks_per_file: u64, cache_bytes: u64) -> Self {
        // The system caches the pages of a local folder.
        let for_pages = cache_bytes / if files.is_local() { 64 } else { 2 };
        let pages = PageReader::new(files, for_pages);
        let for_clusters = cache_bytes - for_pages;
        let items = usize::try_from(for_clusters / USUAL_CLUSTER_BYTES).unwrap_or(usize::MAX);
        let clusters = Arc::new(Cache::with_weighter(items, for_clusters, ClusterWeighter));
        let headers = Arc::new(Cache::new(MAX_CACHED_HEADERS));
        Self { pages, blocks_per_file, headers, clusters }
    }

    /// The same nodes, but only cached ones can be opened; `store_failed` for others. Damaged entries are dropped from
    /// the shared cache.
    pub(super) fn cached(&self) -> Self {
        let Self { pages, blocks_per_file, headers, clusters } = self;
        let (headers, clusters) = (headers.clone(), clusters.clone());
        Self { pages: pages.cached(), blocks_per_file: *blocks_per_file, headers, clusters }
    }

    pub(crate) fn files(&self) -> &SnapshotFiles {
        self.pages.files()
    }

    /// Returns the root hash after the last block of a group, and the root node unless the tree is
    /// empty.
    pub(crate) fn root(&self, last: u64) -> Result<(Hash, Option<NodeRef>)> {
        let header = self.header(last)?;
        let root = header.root.map(|link| {
            NodeRef::new(&header, link, header.root_hash).ok_or_else(|| impossible(last, "root"))
        });
        Ok((header.root_hash, root.transpose()?))
    }

    /// Reads a node and checks it against its reference; `store_corrupt`, naming the file, if it
    /// does not match.
    pub(super) fn open(&self, node: &NodeRef, path: NodePath<'_>) -> Result<NodeContent> {
        let last = last_of_group(node.height, self.blocks_per_file);
        let header = self.header(last)?;
        let at = match node.at {
            Some(at) => at,
            None => self.find(&header, path)?,
        };
        let (opened, hash) = match node.kind {
            NodeKind::Branch => self.open_branch(&header, at)?,
            NodeKind::Leaf | NodeKind::Tombstone => self.open_leaf(&header, at.offset, node)?,
        };
        self.check(node, &hash)?;
        Ok(opened)
    }

    /// Compares the hash of a node that was read with its reference; `store_corrupt`, naming the file, if they differ.
    pub(super) fn check(&self, node: &NodeRef, hash: &Hash) -> Result<()> {
        if *hash == node.hash {
            return Ok(());
        }
        let last = self.last_block_of(node);
        self.forget(last);
        let expected = format_args!("a node with the hash {}", Hex(&node.hash));
        Err(corrupt(&file_name(last), expected, Hex(hash)))
    }

    /// The last block of the file that has a node.
    pub(super) fn last_block_of(&self, node: &NodeRef) -> u64 {
        last_of_group(node.height, self.blocks_per_file)
    }

    /// Finds the record of a leaf, without reading it.
    pub(super) fn locate_record(
        &self,
        node: &NodeRef,
        path: NodePath<'_>,
    ) -> Result<RecordLocation> {
        let header = self.header(self.last_block_of(node))?;
        let at = match node.at {
            Some(at) => at,
            None => self.find(&header, path)?,
        };
        Ok(RecordLocation {
            node: *node,
            last: header.last,
            at: at.offset,
            end: header.branches_at,
        })
    }

    /// Returns the header of the file whose group ends with this block.
    pub(super) fn header(&self, last: u64) -> Result<FileHeader> {
        if let Some(header) = self.headers.get(&last) {
            return Ok(header);
        }
        let bytes = self.pages.read_array::<HEADER_BYTES>(last, 0)?;
        let name = file_name(last);
        let (header, _) = FileHeader::decode(&name, &bytes).inspect_err(|_| self.forget(last))?;
        if header.last != last {
            self.forget(last);
            return Err(corrupt(&name, format_args!("block {last}"), header.last));
        }
        self.headers.insert(last, header);
        Ok(header)
    }

    /// Drops what is cached of a damaged file, since the file may be written again.
    fn forget(&self, last: u64) {
        self.pages.forget(last);
        self.clusters.retain(|(of, _), _| *of != last);
        self.headers.remove(&last);
    }

    /// Finds a node that another file links to: the first one in this file on the path below its
    /// parent.
    ///
    /// Branches are never removed, so the branches of the older tree on this path are among those
    /// of the newer tree, and the prefix has the bits at all their depths.
    fn find(&self, header: &FileHeader, path: NodePath<'_>) -> Result<NodePosition> {
        let lost = || impossible(header.last, "path to a node");
        let (_, root) = self.root(header.last)?;
        let mut node = root.map(|root| (root.at, root.kind)).ok_or_else(lost)?;
        let mut above = None;
        let mut cluster: Option<(u64, Arc<Cluster>)> = None;
        loop {
            let (Some(at), kind) = node else { return Err(lost()) };
            if kind != NodeKind::Branch {
                return Ok(at);
            }
            let here = match &cluster {
                Some((place, here)) if *place == at.offset => here,
                _ => &cluster.insert((at.offset, self.cluster(header, at.offset)?)).1,
            };
            let depth = here.depth(at.branch).ok_or_else(lost)?;
            if path.parent.is_none_or(|parent| depth > parent) {
                return Ok(at);
            }
            if above.is_some_and(|above| depth <= above) {
                return Err(lost());
            }
            above = Some(depth);
            node = here.child_position(at.branch, bit(path.prefix, depth)).ok_or_else(lost)?;
        }
    }

    fn open_branch(&self, header: &FileHeader, at: NodePosition) -> Result<(NodeContent, Hash)> {
        let branch = self.cluster(header, at.offset)?.branch(at.branch);
        let branch = branch.ok_or_else(|| impossible(header.last, "place of a branch"))?;
        let (depth, children, hash) = branch;
        Ok((NodeContent::Branch { depth, children }, hash))
    }

    fn cluster(&self, header: &FileHeader, place: u64) -> Result<Arc<Cluster>> {
        let key = (header.last, place);
        if let Some(cluster) = self.clusters.get(&key) {
            return Ok(cluster);
        }
        if place >= header.branch_bytes {
            return Err(impossible(header.last, "place of a branch"));
        }
        let start = header.branches_at + place;
        let end = header.blocks_at().min(start + MAX_CLUSTER_BYTES as u64);
        let bytes = self.pages.read_once(header.last, start..end)?;
        let Some(cluster) = Cluster::read(header, place, &bytes) else {
            self.forget(header.last);
            return Err(impossible(header.last, "branch"));
        };
        let cluster = Arc::new(cluster);
        self.clusters.insert(key, cluster.clone());
        Ok(cluster)
    }

    fn open_leaf(
        &self,
        header: &FileHeader,
        at: u64,
        node: &NodeRef,
    ) -> Result<(NodeContent, Hash)> {
        let place = RecordLocation { node: *node, last: header.last, at, end: header.branches_at };
        let mut bytes = self.read_record(&place, FIRST_READ_BYTES)?;
        bytes.truncate(place.length(&bytes)?);
        let RawKeyChange { key, value } = place.change(&bytes)?;
        let (key_hash, value_hash) = (hash_key(key), value.map(hash_value));
        let hash = match &value_hash {
            Some(value_hash) => Preimage::leaf(node.height, &key_hash, value_hash).hash(),
            None => Preimage::tombstone(node.height, &key_hash).hash(),
        };
        let key = key.to_vec();
        let value = value.is_some().then(|| bytes.split_off(RECORD_HEAD_BYTES + key.len()));
        Ok((NodeContent::Leaf { key_hash, key, value, value_hash }, hash))
    }

    /// Reads the record of a leaf, and what follows it up to `most` bytes.
    pub(super) fn read_record(&self, place: &RecordLocation, most: u64) -> Result<Vec<u8>> {
        place.range(RECORD_HEAD_BYTES)?;
        let most = place.at.saturating_add(most).min(place.end);
        let bytes = self.pages.read_once(place.last, place.at..most)?;
        let range = place.range(place.length(&bytes)?)?;
        if range.end <= most { Ok(bytes) } else { self.pages.read_once(place.last, range) }
    }
}
