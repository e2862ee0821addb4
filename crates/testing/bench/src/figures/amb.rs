//! The state of `prooflight-amb`, over a store in memory.

use prooflight_amb::prover::{AmbState, PageSize};
use prooflight_amb::{
    HistoryQuestion, KeysQuestion, RangeQuestion, verify, verify_history, verify_range,
};
use prooflight_bench::Result;
use prooflight_bench::sstore::{Key, KeyVersion, Value};
use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore as _};
use prooflight_core::{Limits, PastState};

use super::side::{FigureSide, displayed};

pub(crate) struct AmbSide(AmbState<MemoryStore>);

impl AmbSide {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self(AmbState::open(MemoryStore::default(), ())?))
    }
}

impl FigureSide for AmbSide {
    type Proof = Vec<u8>;
    type History = Vec<u8>;

    /// Blocks begin at 0, and each follows the one before.
    fn put(&mut self, _block: u64, changes: &[(Key, Value)]) -> Result<()> {
        let mut changes: Vec<_> =
            changes.iter().map(|(key, value)| RawKeyChange::set(key, value)).collect();
        changes.sort_unstable_by_key(|change| change.key);
        self.0.apply(&changes)?;
        Ok(())
    }

    fn get(&self, key: &Key) -> Result<Vec<u8>> {
        let prover = self.0.prover()?;
        Ok(prover.keys(&KeysQuestion { keys: &[key], at: prover.root().height })?)
    }

    fn verify(&self, key: &Key, proof: &Vec<u8>) -> Result<Option<Value>> {
        let root = *self.0.prover()?.root();
        let question = KeysQuestion { keys: &[key], at: root.height };
        let answers = verify(&root, &question, proof, &Limits::DEFAULT)?;
        Ok(answers[0].value().map(Value::try_from).transpose()?)
    }

    fn bytes(proof: &Vec<u8>) -> usize {
        proof.len()
    }

    fn hist(&self, key: &Key, from: u64, to: u64) -> Result<Vec<u8>> {
        Ok(self.0.prover()?.history(&HistoryQuestion { keys: &[key], from, to })?)
    }

    fn verify_hist(
        &self,
        key: &Key,
        from: u64,
        to: u64,
        proof: &Vec<u8>,
    ) -> Result<Vec<KeyVersion>> {
        let question = HistoryQuestion { keys: &[key], from, to };
        let histories =
            verify_history(self.0.prover()?.root(), &question, proof, &Limits::DEFAULT)?;
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
        let prover = self.0.prover()?;
        let question = RangeQuestion { lo, hi: None, at: prover.root().height, reverse: false };
        let size = PageSize { entries, ..PageSize::default() };
        let proof = prover.range(&question, size)?;
        let page = verify_range(prover.root(), &question, &proof, &Limits::DEFAULT)?;
        let shown = page.entries.len() * (size_of::<Key>() + size_of::<Value>());
        Ok(Some(displayed(proof.len()) / displayed(shown)))
    }
}
