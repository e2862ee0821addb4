//! The sparse Merkle tree of Nervos' rollups, with its own store and hash (BLAKE2b). It keeps only
//! the newest state.

use cpu_time::ProcessTime;
use prooflight_bench::Result;
use sparse_merkle_tree::blake2b::Blake2bHasher;
use sparse_merkle_tree::default_store::DefaultStore;
use sparse_merkle_tree::traits::Hasher as _;
use sparse_merkle_tree::{CompiledMerkleProof, H256, SparseMerkleTree};

use crate::tree::{BlockChanges, KeyBytes, TreeSide, VerifiedProofs};

#[derive(Default)]
pub(crate) struct NervosTree(SparseMerkleTree<Blake2bHasher, H256, DefaultStore<H256>>);

impl TreeSide for NervosTree {
    type Prepared = Vec<(H256, H256)>;

    /// An all-zero value means that the key is absent.
    fn hash(&self, block: &BlockChanges) -> Self::Prepared {
        let change = |(key, value): &(KeyBytes, Option<KeyBytes>)| {
            (hash(key), value.as_ref().map_or(H256::zero(), hash))
        };
        block.iter().map(change).collect()
    }

    fn apply(&mut self, _height: u64, block: Self::Prepared) -> Result<()> {
        self.0.update_all(block)?;
        Ok(())
    }

    fn prove(&self, _height: u64, live: &[(KeyBytes, KeyBytes)]) -> Result<VerifiedProofs> {
        let prove = |(key, _): &(KeyBytes, KeyBytes)| {
            let keys = vec![hash(key)];
            Ok(self.0.merkle_proof(keys.clone())?.compile(keys)?.0)
        };
        let proofs = live.iter().map(prove).collect::<Result<Vec<_>>>()?;
        let bytes = proofs.iter().map(Vec::len).sum();
        // Decoding only takes ownership of the bytes.
        let proofs: Vec<_> = proofs.into_iter().map(CompiledMerkleProof).collect();
        let (root, start) = (*self.0.root(), ProcessTime::now());
        for ((key, value), proof) in live.iter().zip(&proofs) {
            if !proof.verify::<Blake2bHasher>(&root, vec![(hash(key), hash(value))])? {
                return Err("the proof of a live key is refused".into());
            }
        }
        let time = start.elapsed();
        Ok(VerifiedProofs { bytes, time, decoded: None })
    }
}

fn hash(bytes: &KeyBytes) -> H256 {
    let mut hasher = Blake2bHasher::default();
    hasher.write_h256(&H256::from(*bytes));
    hasher.finish()
}
