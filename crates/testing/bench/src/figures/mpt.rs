//! The Merkle Patricia trie of `prooflight-mpt`, with its store in memory and hashed keys. As in the
//! paper, versions are "tracked through seeking each version upon all related snapshots".

use prooflight_bench::Result;
use prooflight_bench::sstore::{Key, KeyVersion, Value};
use prooflight_core::store::{MemoryStore, RawKeyChange};
use prooflight_core::{Hash, Limits, keccak256};
use prooflight_mpt::{PersistentTrie, prove_at, verify_proof};

use super::side::FigureSide;

pub(crate) struct MptSide {
    trie: PersistentTrie<MemoryStore>,
    /// The root of each block.
    roots: Vec<Hash>,
    /// The store as it was when [`settle`](Side::settle) was called.
    store: MemoryStore,
}

/// The nodes from the root to a key.
type PathNodes = Vec<Vec<u8>>;

impl MptSide {
    pub(crate) fn new() -> Result<Self> {
        let trie = PersistentTrie::open(MemoryStore::default())?;
        Ok(Self { trie, roots: Vec::new(), store: MemoryStore::default() })
    }

    fn newest_root(&self) -> Hash {
        self.trie.root()
    }
}

impl FigureSide for MptSide {
    type Proof = PathNodes;
    type History = Vec<PathNodes>;

    fn put(&mut self, _block: u64, changes: &[(Key, Value)]) -> Result<()> {
        let hashed: Vec<_> = changes.iter().map(|(key, _)| keccak256(&[key])).collect();
        let pairs = hashed.iter().zip(changes);
        let changes: Vec<_> =
            pairs.map(|(key, (_, value))| RawKeyChange::set(key, value)).collect();
        self.roots.push(self.trie.apply(&changes)?);
        Ok(())
    }

    fn forget(&mut self) -> Result<()> {
        Ok(self.trie.prune(self.trie.revision())?)
    }

    fn get(&self, key: &Key) -> Result<PathNodes> {
        Ok(self.trie.prove(&keccak256(&[key]))?.proof)
    }

    fn verify(&self, key: &Key, proof: &PathNodes) -> Result<Option<Value>> {
        verify(&self.newest_root(), key, proof)
    }

    fn bytes(proof: &PathNodes) -> usize {
        proof.iter().map(Vec::len).sum()
    }

    fn settle(&mut self) -> Result<()> {
        let empty = PersistentTrie::open(MemoryStore::default())?;
        self.store = core::mem::replace(&mut self.trie, empty).into_store();
        Ok(())
    }

    fn hist(&self, key: &Key, from: u64, to: u64) -> Result<Vec<PathNodes>> {
        let key = keccak256(&[key]);
        // Revision 0 is the empty trie.
        let prove = |block| Ok(prove_at(&self.store, block + 1, &key)?.proof);
        (from..=to).rev().map(prove).collect()
    }

    fn verify_hist(
        &self,
        key: &Key,
        from: u64,
        to: u64,
        proof: &Vec<PathNodes>,
    ) -> Result<Vec<KeyVersion>> {
        let mut versions = Vec::new();
        for (block, nodes) in (from..=to).rev().zip(proof) {
            let root = &self.roots[usize::try_from(block)?];
            versions.extend(verify(root, key, nodes)?.map(|value| KeyVersion { block, value }));
        }
        Ok(versions)
    }

    fn history_bytes(proof: &Vec<PathNodes>) -> usize {
        proof.iter().map(Self::bytes).sum()
    }
}

fn verify(root: &Hash, key: &Key, proof: &PathNodes) -> Result<Option<Value>> {
    let nodes: Vec<_> = proof.iter().map(Vec::as_slice).collect();
    let value = verify_proof(root, &keccak256(&[key]), &nodes, &Limits::DEFAULT)?.into_inner();
    Ok(value.map(Value::try_from).transpose()?)
}
