//! Reads a chain as of one block, while further blocks are made.

use std::collections::BTreeSet;
use std::sync::Arc;

use prooflight_amb::state as amb;
use prooflight_avl::read_chunk;
use prooflight_avl::state::state_params;
use prooflight_core::chain::{
    Blake2bTree, ChainConfig, ChainLimits, Header, SignedHeader, verify_ancestors,
};
use prooflight_core::merkle::{leaf_hash, verify_inclusion};
use prooflight_core::statement::Statement;
use prooflight_core::store::{ReadStore, StateProof, StoreEntry, TransferRequest};
use prooflight_core::{Ability, Error, Hash, Hex, PastState, Reason, Result, Scheme};

use crate::chain::block::{
    Block, check_kept, decode_height, height_key, oldest_kept, read_body, read_header,
};
use crate::chain::history;
use crate::chain::schemes::{self, SchemeReader};
use crate::chain::store::{EmbeddedSnapshot, corrupt};

/// A chain up to one head: a snapshot that no later block changes.
///
/// Everything read is checked: headers against the history tree, operations against their header,
/// proofs against the header's root. A contradiction is `store_corrupt`.
#[derive(Clone)]
pub struct View {
    snapshot: EmbeddedSnapshot,
    config: Arc<ChainConfig>,
    head: Arc<SignedHeader>,
    head_hash: Hash,
    readers: SchemeReaders,
}

/// The reader of each scheme's state.
pub(crate) type SchemeReaders = Arc<[(Scheme, SchemeReader)]>;

/// The identification of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockId {
    /// The head.
    #[default]
    Latest,
    /// The block of this height.
    Height(u64),
    /// The block whose header has this hash.
    Hash(Hash),
}

/// Several headers, and the proof of their positions in the history of a head.
#[derive(Clone, Debug)]
pub struct AncestorHeaders {
    /// The head.
    pub head: SignedHeader,
    /// The headers before the head, ascending.
    pub headers: Vec<Header>,
    /// The proof of the positions.
    pub hashes: Vec<Hash>,
}

/// A proof about a range of blocks, with the headers that it needs: those of the blocks whose roots it
/// uses, of the blocks that made the changes, and of the first block of the range.
#[derive(Clone, Debug)]
pub struct BlocksProof {
    /// The headers.
    pub headers: AncestorHeaders,
    /// The proof, in the scheme's format.
    pub proof: Vec<u8>,
}

impl View {
    pub(crate) fn new(
        snapshot: EmbeddedSnapshot,
        config: Arc<ChainConfig>,
        head: Arc<SignedHeader>,
        readers: SchemeReaders,
    ) -> Self {
        let head_hash = head.header.hash();
        Self { snapshot, config, head, head_hash, readers }
    }

    /// The chain's configuration.
    pub fn config(&self) -> &ChainConfig {
        &self.config
    }

    /// The newest header.
    pub fn head(&self) -> &SignedHeader {
        &self.head
    }

    /// The hash of the newest header.
    pub const fn head_hash(&self) -> &Hash {
        &self.head_hash
    }

    /// The height of the newest header.
    pub fn height(&self) -> u64 {
        self.head.header.height
    }

    /// The height of a block; `unknown_block` if this chain does not have it.
    pub fn height_of(&self, at: BlockId) -> Result<u64> {
        match at {
            BlockId::Latest => Ok(self.height()),
            BlockId::Height(height) if height <= self.height() => Ok(height),
            BlockId::Height(height) => Err(Error::new(
                Reason::UnknownBlock,
                format_args!("a height of at most {}", self.height()),
                height,
            )),
            BlockId::Hash(hash) => match self.snapshot.get(&height_key(&hash))? {
                Some(height) => decode_height(&height),
                None => Err(Error::new(
                    Reason::UnknownBlock,
                    "the hash of a header of this chain",
                    Hex(&hash),
                )),
            },
        }
    }

    /// The header of a block.
    pub fn header(&self, at: BlockId) -> Result<SignedHeader> {
        let height = self.height_of(at)?;
        if height == self.height() {
            return Ok(SignedHeader::clone(&self.head));
        }
        let header = read_header(&self.snapshot, height)?
            .ok_or_else(|| corrupt(format_args!("header {height}"), "none"))?;
        let hash = header.header.hash();
        let committed = history::leaf(&self.snapshot, height)?;
        if leaf_hash::<Blake2bTree>(&hash) != committed {
            return Err(corrupt(
                format_args!("header {height} with the hash in the history tree"),
                Hex(&hash),
            ));
        }
        if let BlockId::Hash(asked) = at
            && asked != hash
        {
            return Err(corrupt(format_args!("the height of header {}", Hex(&asked)), height));
        }
        Ok(header)
    }

    /// The oldest block whose operations are kept.
    pub fn oldest_block(&self) -> Result<u64> {
        oldest_kept(&self.snapshot)
    }

    /// A block; its operations are those that the header commits to.
    ///
    /// `version_unavailable` if its operations are no longer kept.
    pub fn block(&self, at: BlockId) -> Result<Block> {
        let header = self.header(at)?;
        check_kept(&self.snapshot, header.header.height)?;
        let body = read_body(&self.snapshot, &header.header)?;
        Ok(Block { header, body })
    }

    /// The path of the header hash at `height` in the history of the header `head`.
    pub fn header_path(&self, height: u64, head: &Header) -> Result<Vec<Hash>> {
        if height == head.height {
            return Ok(Vec::new());
        }
        let path = history::path(&self.snapshot, height, head.height)?;
        let leaf = history::leaf(&self.snapshot, height)?;
        let root = &head.history_root;
        verify_inclusion::<Blake2bTree>(root, &leaf, height, head.height, &path).map_err(
            |error| {
                corrupt(
                    format_args!(
                        "the history tree of header {}: {}",
                        head.height,
                        error.expected()
                    ),
                    error.found(),
                )
            },
        )?;
        Ok(path)
    }

    /// Proves a statement in one scheme, against the roots in the blocks' headers.
    ///
    /// `unknown_statement` for a scheme that the chain does not keep, or that has no such proofs; `unknown_block` for a
    /// block after the head; `version_unavailable` for one whose state is no longer kept.
    pub fn prove(&self, scheme: Scheme, statement: &Statement<'_>) -> Result<StateProof> {
        let reader = self.reader(scheme)?;
        self.height_of(BlockId::Height(statement.height()))?;
        self.check(scheme, reader.prove(statement)?)
    }

    /// Proves a statement against the root after the block `root`; a page of a range opens at most `entries` entries.
    ///
    /// Errors are those of [`prove`](Self::prove); `unknown_statement` also for a scheme whose roots prove only their
    /// own states, and `version_unavailable` for a root that is no longer kept.
    pub fn prove_at(
        &self,
        scheme: Scheme,
        root: u64,
        statement: &Statement<'_>,
        entries: usize,
    ) -> Result<StateProof> {
        self.check(scheme, self.reader(scheme)?.prove_at(root, statement, entries)?)
    }

    /// Proves entries for a replica; errors are those of [`prove_at`](Self::prove_at).
    pub fn transfer(
        &self,
        scheme: Scheme,
        root: u64,
        entries: &TransferRequest<'_>,
    ) -> Result<StateProof> {
        self.check(scheme, self.reader(scheme)?.transfer(root, entries)?)
    }

    fn reader(&self, scheme: Scheme) -> Result<&SchemeReader> {
        let found = self.readers.iter().find(|(known, _)| *known == scheme);
        found.map(|(_, reader)| reader).ok_or_else(|| schemes::unknown_scheme(scheme))
    }

    /// Checks the roots of a proof.
    fn check(&self, scheme: Scheme, proved: StateProof) -> Result<StateProof> {
        for (block, root) in &proved.roots {
            check_root(&self.header(BlockId::Height(*block))?.header, scheme, root)?;
        }
        Ok(proved)
    }

    /// Proves a statement about a range of blocks, with the headers that it needs.
    ///
    /// `invalid_argument` if the range ends before it begins, or after the given head; other errors are
    /// those of [`prove`](Self::prove).
    pub fn prove_range(
        &self,
        scheme: Scheme,
        statement: &Statement<'_>,
        head: BlockId,
    ) -> Result<BlocksProof> {
        let head = self.header(head)?;
        let (last, to) = (head.header.height, statement.height());
        if to > last {
            let expected = format_args!("a range that ends at {last}, the head's height");
            return Err(Error::new(Reason::InvalidArgument, expected, to));
        }
        let (proved, heights) = if proves_past_states(scheme) {
            let proved = self.prove_at(scheme, last, statement, usize::MAX)?;
            let limits = &self.config.limits;
            let heights = history_blocks(&head.header, statement, &proved.proof, limits)?;
            (proved, heights)
        } else {
            let proved = self.prove(scheme, statement)?;
            let heights = needed_heights(statement, &proved);
            (proved, heights)
        };
        let headers = self.prove_headers(head, heights)?;
        Ok(BlocksProof { headers, proof: proved.proof })
    }

    /// Returns the headers of several blocks, and the proof of their positions in the history of a head. The head
    /// may be one of the blocks. `unknown_block` for a height above the head's.
    pub fn headers(&self, heights: BTreeSet<u64>, head: BlockId) -> Result<AncestorHeaders> {
        let head = self.header(head)?;
        let last = head.header.height;
        match heights.last() {
            Some(&height) if height > last => {
                let expected = format_args!("heights of at most {last}");
                Err(Error::new(Reason::UnknownBlock, expected, height))
            }
            _ => self.prove_headers(head, heights),
        }
    }

    fn prove_headers(
        &self,
        head: SignedHeader,
        mut heights: BTreeSet<u64>,
    ) -> Result<AncestorHeaders> {
        let last = head.header.height;
        heights.remove(&last);
        let heights: Vec<u64> = heights.into_iter().collect();
        let header = |&height: &u64| Ok(self.header(BlockId::Height(height))?.header);
        let headers = heights.iter().map(header).collect::<Result<Vec<_>>>()?;
        let hashes = history::hashes(&self.snapshot, &heights, last)?;
        verify_ancestors(&head.header, &headers, &hashes).map_err(|error| {
            let expected = format_args!("the history tree of header {last}: {}", error.expected());
            corrupt(expected, error.found())
        })?;
        Ok(AncestorHeaders { head, headers, hashes })
    }

    /// The newest value of a raw key, without a proof.
    pub fn value(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.snapshot.get(&crate::chain::block::raw_key(key))
    }

    /// All entries of the store, ascending by key.
    pub(crate) fn stored(&self) -> impl Iterator<Item = Result<StoreEntry>> + '_ {
        self.snapshot.range(b"", &[0xff])
    }

    /// All raw keys with their newest values, ascending.
    pub fn entries(&self) -> impl Iterator<Item = Result<(Vec<u8>, Vec<u8>)>> + '_ {
        self.entries_from(b"")
    }

    /// A chunk of the tree of `avl` after the newest block, see [`read_chunk`].
    pub(crate) fn avl_chunk(&self, from: &[u8], max_bytes: usize) -> Result<Vec<u8>> {
        self.reader(Scheme::Avl)?;
        let params = state_params(self.config.limits_for(Scheme::Avl)?);
        let store = schemes::namespace(self.snapshot.clone(), Scheme::Avl);
        // Block 0 is revision 1.
        read_chunk(&store, &params, self.height() + 1, from, max_bytes)
    }

    /// The raw keys from `from` on with their newest values, ascending.
    pub(crate) fn entries_from(
        &self,
        from: &[u8],
    ) -> impl Iterator<Item = Result<StoreEntry>> + '_ {
        self.snapshot.range(&crate::chain::block::raw_key(from), b"t").map(|entry| {
            entry.map(|(mut key, value)| {
                key.remove(0);
                (key, value)
            })
        })
    }
}

impl core::fmt::Debug for View {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("View").field("height", &self.height()).finish_non_exhaustive()
    }
}

/// The blocks whose headers a proof needs: those of its roots, those of a history's changes, and a history's
/// first block.
pub(crate) fn needed_heights(statement: &Statement<'_>, proved: &StateProof) -> BTreeSet<u64> {
    let blocks = proved.roots.iter().map(|(block, _)| *block);
    // Each tree after the first is that of the block before a change.
    let changed = proved.roots.iter().skip(1).map(|(block, _)| block + 1);
    let first = match *statement {
        Statement::History { from, .. } => Some(from),
        _ => None,
    };
    blocks.chain(changed).chain(first).collect()
}

/// Whether each root of a scheme also proves the states of all earlier blocks.
pub(crate) fn proves_past_states(scheme: Scheme) -> bool {
    scheme.proves(Ability::Past)
}

/// The blocks that an answer of `amb` names: those of a history's changes, the first and the last.
fn history_blocks(
    head: &Header,
    statement: &Statement<'_>,
    proof: &[u8],
    limits: &ChainLimits,
) -> Result<BTreeSet<u64>> {
    let Statement::History { key, from, to } = *statement else { return Ok(BTreeSet::new()) };
    let history = amb::verify_history(head, key, (from, to), proof, limits).map_err(|error| {
        let expected = format_args!("a history that verifies: {}", error.expected());
        corrupt(expected, error.found())
    })?;
    let changed = history.changes.iter().filter_map(PastState::changed_at);
    Ok(changed.chain([from, to]).collect())
}

/// Checks that a scheme's root is the one in the header.
pub(crate) fn check_root(header: &Header, scheme: Scheme, root: &[u8]) -> Result<()> {
    if header.root(scheme) == Some(root) {
        return Ok(());
    }
    let expected = format_args!("the {} root of header {}", scheme.as_str(), header.height);
    Err(corrupt(expected, Hex(root)))
}
