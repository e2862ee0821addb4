//! The paper's structures.

use prooflight_bench::Result;
use prooflight_bench::sstore::{
    AmbTree, BucketTree, Key, KeyVersion, Value, verify_get, verify_history,
};

use super::side::FigureSide;

impl FigureSide for AmbTree {
    type Proof = Vec<u8>;
    type History = Vec<u8>;

    fn put(&mut self, block: u64, changes: &[(Key, Value)]) -> Result<()> {
        self.put(block, changes)?;
        Ok(())
    }

    fn get(&self, key: &Key) -> Result<Vec<u8>> {
        self.get(key).ok_or_else(|| "a key that was never written".into())
    }

    fn verify(&self, key: &Key, proof: &Vec<u8>) -> Result<Option<Value>> {
        Ok(Some(verify_get(&self.root(), key, proof)?.value))
    }

    fn bytes(proof: &Vec<u8>) -> usize {
        proof.len()
    }

    fn hist(&self, key: &Key, from: u64, to: u64) -> Result<Vec<u8>> {
        self.history(key, from, to).ok_or_else(|| "a key that was never written".into())
    }

    fn verify_hist(
        &self,
        key: &Key,
        from: u64,
        to: u64,
        proof: &Vec<u8>,
    ) -> Result<Vec<KeyVersion>> {
        verify_history(&self.root(), key, from, to, proof)
    }

    fn history_bytes(proof: &Vec<u8>) -> usize {
        proof.len()
    }
}

/// The Merkle bucket tree for figures 6 and 7, with the newest values only.
pub(crate) struct BucketSide(pub(crate) BucketTree<64>);

impl FigureSide for BucketSide {
    type Proof = Vec<u8>;
    type History = ();

    fn put(&mut self, _block: u64, changes: &[(Key, Value)]) -> Result<()> {
        let entries: Vec<_> = changes.iter().map(|(key, value)| entry([key, value])).collect();
        self.0.put(&entries);
        Ok(())
    }

    fn get(&self, key: &Key) -> Result<Vec<u8>> {
        Ok(self.0.get(key))
    }

    fn verify(&self, key: &Key, proof: &Vec<u8>) -> Result<Option<Value>> {
        self.0.verify(&self.0.root(), key, proof)
    }

    fn bytes(proof: &Vec<u8>) -> usize {
        proof.len()
    }

    fn hist(&self, _key: &Key, _from: u64, _to: u64) -> Result<()> {
        Err("only the newest values".into())
    }

    fn verify_hist(&self, _: &Key, _: u64, _: u64, (): &()) -> Result<Vec<KeyVersion>> {
        Err("only the newest values".into())
    }

    fn history_bytes((): &()) -> usize {
        0
    }
}

/// The Merkle bucket tree for figure 8: "the version number of each state is appended to its key"
/// (section VII-B). Each version is looked up by itself.
pub(crate) struct VersionedBuckets(pub(crate) BucketTree<72>);

impl FigureSide for VersionedBuckets {
    type Proof = ();
    type History = Vec<Vec<u8>>;

    fn put(&mut self, block: u64, changes: &[(Key, Value)]) -> Result<()> {
        let entry = |(key, value): &(Key, Value)| entry([&versioned(key, block)[..], value]);
        self.0.put(&changes.iter().map(entry).collect::<Vec<_>>());
        Ok(())
    }

    fn get(&self, _key: &Key) -> Result<()> {
        Err("only versions by their blocks".into())
    }

    fn verify(&self, _key: &Key, (): &()) -> Result<Option<Value>> {
        Err("only versions by their blocks".into())
    }

    fn bytes((): &()) -> usize {
        0
    }

    fn hist(&self, key: &Key, from: u64, to: u64) -> Result<Vec<Vec<u8>>> {
        Ok((from..=to).rev().map(|block| self.0.get(&versioned(key, block))).collect())
    }

    fn verify_hist(
        &self,
        key: &Key,
        from: u64,
        to: u64,
        proof: &Vec<Vec<u8>>,
    ) -> Result<Vec<KeyVersion>> {
        let mut versions = Vec::new();
        for (block, proof) in (from..=to).rev().zip(proof) {
            let found = self.0.verify(&self.0.root(), &versioned(key, block), proof)?;
            versions.extend(found.map(|value| KeyVersion { block, value }));
        }
        Ok(versions)
    }

    fn history_bytes(proof: &Vec<Vec<u8>>) -> usize {
        proof.iter().map(Vec::len).sum()
    }
}

/// A key with a block appended.
fn versioned(key: &Key, block: u64) -> [u8; 40] {
    entry([&key[..], &block.to_be_bytes()])
}

/// Two parts, which have `LENGTH` bytes together, as one.
fn entry<const LENGTH: usize, P: AsRef<[u8]>>([front, back]: [P; 2]) -> [u8; LENGTH] {
    let mut entry = [0; LENGTH];
    let (front_of, back_of) = entry.split_at_mut(front.as_ref().len());
    front_of.copy_from_slice(front.as_ref());
    back_of.copy_from_slice(back.as_ref());
    entry
}
