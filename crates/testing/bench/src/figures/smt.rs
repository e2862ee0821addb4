//! The sparse Merkle tree of `prooflight-smt`: the newest block in memory, histories from snapshot
//! files in a temporary folder.

use std::collections::HashMap;
use std::path::PathBuf;

use prooflight_bench::Result;
use prooflight_bench::sstore::{Key, KeyVersion, Value};
use prooflight_core::store::RawKeyChange;
use prooflight_core::{Hash, Limits};
use prooflight_smt::hash::{hash_key, hash_keys, hash_values};
use prooflight_smt::snapshot::{
    HistoryProof, SnapshotFiles, SnapshotReader, SnapshotWriter, WriterOptions,
};
use prooflight_smt::tree::{HashedChange, MemoryTree};
use prooflight_smt::{PastState, verify, verify_history};

use super::side::FigureSide;

/// The tree, and the values whose hashes it has.
#[derive(Default)]
pub(crate) struct SmtSide {
    tree: MemoryTree,
    values: HashMap<Hash, Value>,
}

impl FigureSide for SmtSide {
    type Proof = Vec<u8>;
    type History = ();

    fn put(&mut self, block: u64, changes: &[(Key, Value)]) -> Result<()> {
        let keys = hash_keys(changes.iter().map(|(key, _)| key.as_slice()));
        let values = hash_values(changes.iter().map(|(_, value)| value.as_slice()));
        let hashed = keys
            .iter()
            .zip(values)
            .map(|(&key_hash, value_hash)| HashedChange { key_hash, value_hash: Some(value_hash) });
        self.tree.update(block, &hashed.collect::<Vec<_>>())?;
        self.values.extend(keys.into_iter().zip(changes.iter().map(|(_, value)| *value)));
        Ok(())
    }

    fn get(&self, key: &Key) -> Result<Vec<u8>> {
        Ok(self.tree.prove(&[hash_key(key)], |key| Ok(self.values[key]))?)
    }

    fn verify(&self, key: &Key, proof: &Vec<u8>) -> Result<Option<Value>> {
        let height = self.tree.height().ok_or("no block")?;
        let answers = verify(&self.tree.root(), height, &[key], proof, &Limits::DEFAULT)?;
        Ok(answers[0].value().map(Value::try_from).transpose()?)
    }

    fn bytes(proof: &Vec<u8>) -> usize {
        proof.len()
    }

    fn hist(&self, _key: &Key, _from: u64, _to: u64) -> Result<()> {
        Err("only the newest block".into())
    }

    fn verify_hist(&self, _: &Key, _: u64, _: u64, (): &()) -> Result<Vec<KeyVersion>> {
        Err("only the newest block".into())
    }

    fn history_bytes((): &()) -> usize {
        0
    }
}

/// The tree with a snapshot of every block.
pub(crate) struct SnapshotSide {
    folder: PathBuf,
    writer: SnapshotWriter,
    reader: Option<SnapshotReader>,
}

impl SnapshotSide {
    pub(crate) fn new() -> Result<Self> {
        let name = format!("prooflight-bench-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let (writer, _) =
            SnapshotWriter::open(SnapshotFiles::local(&folder)?, WriterOptions::default())?;
        Ok(Self { folder, writer, reader: None })
    }
}

impl Drop for SnapshotSide {
    fn drop(&mut self) {
        // Nothing can be done about a folder that stays.
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

impl FigureSide for SnapshotSide {
    type Proof = ();
    type History = HistoryProof;

    fn put(&mut self, block: u64, changes: &[(Key, Value)]) -> Result<()> {
        let changes: Vec<_> =
            changes.iter().map(|(key, value)| RawKeyChange::set(key, value)).collect();
        self.writer.apply(block, &changes)?;
        Ok(())
    }

    fn get(&self, _key: &Key) -> Result<()> {
        Err("only histories".into())
    }

    fn verify(&self, _key: &Key, (): &()) -> Result<Option<Value>> {
        Err("only histories".into())
    }

    fn bytes((): &()) -> usize {
        0
    }

    fn settle(&mut self) -> Result<()> {
        self.writer.publish()?;
        // A cache that everything fits in.
        self.reader = Some(SnapshotReader::open(SnapshotFiles::local(&self.folder)?, 1 << 30)?);
        Ok(())
    }

    fn hist(&self, key: &Key, from: u64, to: u64) -> Result<HistoryProof> {
        let reader = self.reader.as_ref().ok_or("settle first")?;
        Ok(reader.history(key, from, to)?)
    }

    fn verify_hist(
        &self,
        key: &Key,
        from: u64,
        to: u64,
        proved: &HistoryProof,
    ) -> Result<Vec<KeyVersion>> {
        let HistoryProof { roots, proof } = proved;
        let history = verify_history(roots, key, from, to, proof, &Limits::DEFAULT)?;
        let mut versions = Vec::new();
        for change in history.changes.iter().rev() {
            if let PastState::Present { value, since } = *change {
                versions.push(KeyVersion { block: since, value: Value::try_from(value)? });
            }
        }
        Ok(versions)
    }

    fn history_bytes(proved: &HistoryProof) -> usize {
        proved.proof.len()
    }
}
