//! Receives the trees of `avl` and `amb`.

use std::collections::HashMap;

use prooflight_amb::TrustedRoot;
use prooflight_amb::prover as amb;
use prooflight_avl as avl;
use prooflight_avl::state::{digest_of, state_params};
use prooflight_core::chain::{ChainConfig, Header};
use prooflight_core::store::WriteBatch;
use prooflight_core::{Error, Hash, Limits, Reason, Result, Scheme, blake2b256};

use super::StatePart;
use super::part::PartReceiver;
use crate::chain::{EntryWriter, block};

/// The hashes of values, by the hashes of their keys.
pub(super) type ValueHashes = HashMap<Hash, Hash>;

/// Receives the tree of `avl`.
pub(super) struct AvlReceiver {
    height: u64,
    assembly: avl::RevisionAssembly,
    /// The hashes of the tree's values, if the raw values must be compared with them.
    pub(super) values: Option<ValueHashes>,
}

impl AvlReceiver {
    pub(super) fn new(config: &ChainConfig, head: &Header, with_values: bool) -> Result<Self> {
        let params = state_params(config.limits_for(Scheme::Avl)?);
        let assembly = avl::RevisionAssembly::new(digest_of(head)?, params);
        let values = with_values.then(ValueHashes::new);
        Ok(Self { height: head.height, assembly, values })
    }
}

impl PartReceiver for AvlReceiver {
    fn part(&self) -> StatePart {
        StatePart::Avl
    }

    fn next(&self) -> Result<Option<Vec<u8>>> {
        Ok(self.assembly.next().map(<[u8]>::to_vec))
    }

    fn take(&mut self, chunk: &[u8], new: &mut EntryWriter) -> Result<()> {
        let taken = self.assembly.take(chunk)?;
        if let Some(values) = &mut self.values {
            for (key, value) in &taken.values {
                let key = key.as_slice().try_into();
                let key = key.map_err(|_| Error::new(Reason::Bug, "the hash of a key", "none"))?;
                values.insert(key, blake2b256(&[value]));
            }
        }
        let mut nodes = WriteBatch::new();
        for (key, node) in taken.nodes {
            nodes.put(key, node);
        }
        new.add_scheme(Scheme::Avl, nodes)?;
        if self.assembly.next().is_none() {
            // Block 0 is revision 1.
            new.add_scheme(Scheme::Avl, self.assembly.finish(self.height + 1)?)?;
        }
        Ok(())
    }
}

/// Receives the tree of `amb`, which also has the raw keys and values.
pub(super) struct AmbReceiver {
    assembly: amb::StateAssembly,
    limits: Limits,
}

impl AmbReceiver {
    pub(super) fn new(config: &ChainConfig, head: &Header) -> Result<Self> {
        let root = head.expect_root(Scheme::Amb)?;
        let hash = root.try_into().map_err(|_| {
            let found = format_args!("{} bytes", root.len());
            Error::new(Reason::InvalidHeader, "a root of 32 bytes", found)
        })?;
        let limits = config.limits_for(Scheme::Amb)?.proof_limits();
        Ok(Self {
            assembly: amb::StateAssembly::new(TrustedRoot { hash, height: head.height }),
            limits,
        })
    }
}

impl PartReceiver for AmbReceiver {
    fn part(&self) -> StatePart {
        StatePart::Amb
    }

    fn next(&self) -> Result<Option<Vec<u8>>> {
        Ok(self.assembly.next().map(<[u8]>::to_vec))
    }

    fn take(&mut self, chunk: &[u8], new: &mut EntryWriter) -> Result<()> {
        let taken = self.assembly.add_page(chunk, &self.limits)?;
        new.add_scheme(Scheme::Amb, taken.writes)?;
        new.add(taken.values.into_iter().map(|(key, value)| (block::raw_key(&key), value)))?;
        if self.assembly.next().is_none() {
            new.add_scheme(Scheme::Amb, self.assembly.finish()?)?;
        }
        Ok(())
    }
}
