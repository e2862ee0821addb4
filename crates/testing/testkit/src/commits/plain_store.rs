//! The store alone, to compare with.

use prooflight_core::store::{Store, WriteBatch};

use super::{CaseFigures, KeyPut, MeasuredStore};

/// Values by their keys, without any tree.
#[derive(Debug)]
pub struct PlainStore<S>(pub S);

impl<S: Store> MeasuredStore for PlainStore<S> {
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.0.get(key).unwrap()
    }

    fn commit(&mut self, ops: &[KeyPut]) {
        let mut batch = WriteBatch::new();
        for (key, value) in ops {
            batch.put(*key, *value);
        }
        self.0.write(batch).unwrap();
    }

    fn prune(&mut self) {}

    fn finish(self, _: &mut CaseFigures, _: &[[u8; 32]]) {}
}
