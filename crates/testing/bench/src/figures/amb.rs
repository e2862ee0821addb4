//! The tree of `prooflight-amb`.

use prooflight_amb::prover::{MemoryTree, PageSize};
use prooflight_amb::{
    HistoryQuestion, KeysQuestion, RangeQuestion, TrustedRoot, verify, verify_history, verify_range,
};
use prooflight_bench::Result;
use prooflight_bench::sstore::{Key, KeyVersion, Value};
use prooflight_core::store::RawKeyChange;
use prooflight_core::{Limits, PastState};

use super::displayed;
use super::side::FigureSide;

#[derive(Default)]
pub(crate) struct AmbSide(MemoryTree);

impl AmbSide {
    fn root(&self) -> Result<TrustedRoot> {
        Ok(TrustedRoot { hash: self.0.root(), height: self.0.height().ok_or("no block")? })
    }
}

impl FigureSide for AmbSide {
    type Proof = Vec<u8>;
    type History = Vec<u8>;

    fn put(&mut self, block: u64, changes: &[(Key, Value)]) -> Result<()> {
        let mut changes: Vec<_> =
            changes.iter().map(|(key, value)| RawKeyChange::set(key, value)).collect();
        changes.sort_unstable_by_key(|change| change.key);
        self.0.update(block, &changes)?;
        Ok(())
    }

    fn get(&self, key: &Key) -> Result<Vec<u8>> {
        Ok(self.0.prove(&KeysQuestion { keys: &[key], at: self.root()?.height })?)
    }

    fn verify(&self, key: &Key, proof: &Vec<u8>) -> Result<Option<Value>> {
        let root = self.root()?;
        let question = KeysQuestion { keys: &[key], at: root.height };
        let answers = verify(&root, &question, proof, &Limits::DEFAULT)?;
        Ok(answers[0].value().map(Value::try_from).transpose()?)
    }

    fn bytes(proof: &Vec<u8>) -> usize {
        proof.len()
    }

    fn hist(&self, key: &Key, from: u64, to: u64) -> Result<Vec<u8>> {
        Ok(self.0.prove_history(&HistoryQuestion { keys: &[key], from, to })?)
    }

    fn verify_hist(
        &self,
        key: &Key,
        from: u64,
        to: u64,
        proof: &Vec<u8>,
    ) -> Result<Vec<KeyVersion>> {
        let question = HistoryQuestion { keys: &[key], from, to };
        let histories = verify_history(&self.root()?, &question, proof, &Limits::DEFAULT)?;
        let mut versions = Vec::new();
        for change in histories.distinct[0].changes.iter().rev() {
            if let PastState::Present { value, since } = *change {
                versions.push(KeyVersion { block: since, value: Value::try_from(value)? });
            }
        }
        Ok(versions)
    }

    fn history_bytes(proof: &Vec<u8>) -> usize {
        proof.len()
    }

    fn range_overhead(&self, lo: &Key, entries: usize) -> Result<Option<f64>> {
        let root = self.root()?;
        let question = RangeQuestion { lo, hi: None, at: root.height, reverse: false };
        let size = PageSize { entries, ..PageSize::default() };
        let proof = self.0.prove_range(&question, size)?;
        let page = verify_range(&root, &question, &proof, &Limits::DEFAULT)?;
        let shown = page.entries.len() * (size_of::<Key>() + size_of::<Value>());
        Ok(Some(displayed(proof.len()) / displayed(shown)))
    }
}
