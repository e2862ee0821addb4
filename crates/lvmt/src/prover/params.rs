//! The shape of a store, and the keys that it can prove.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use prooflight_amt::{OpeningKind, TableParts, Tables};
use prooflight_core::{Error, Reason, Result};

use super::shard::ProofShard;
use crate::MAX_LOG_N;

/// The shape of a store, and the keys that it can prove.
#[derive(Clone)]
pub struct StoreParams {
    /// The points of the setup, which also determine the number of entries of an AMT.
    pub tables: Arc<Tables>,
    /// log2 of the arity of the root AMT's opening tree; it divides `log_n`.
    pub log_arity: u8,
    /// The keys that can be proved.
    pub shard: ProofShard,
    /// Whether blocks skip the nodes that only proofs need, as during an import. Each block is then cheaper, and the
    /// nodes are [rebuilt](super::LvmtStore::catch_up) once before the next proof.
    pub defer_proof_nodes: bool,
}

/// The version of the layout of the records.
const LAYOUT_VERSION: u8 = 3;

impl StoreParams {
    /// log2 of the number of entries of an AMT.
    pub fn log_n(&self) -> u8 {
        self.tables.verifying_key().log_n()
    }

    pub(super) fn check(&self) -> Result<()> {
        let log_n = self.log_n();
        if log_n > MAX_LOG_N {
            let expected = format_args!("tables with a log_n of at most {MAX_LOG_N}");
            return Err(Error::new(Reason::InvalidArgument, expected, log_n));
        }
        OpeningKind::Tree { log_arity: self.log_arity }.points(log_n)?;
        let needed = TableParts { single: true, tree: Some(self.log_arity) };
        if self.shard != ProofShard::None && self.tables.parts() != needed {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("{needed:?} of the tables"),
                format_args!("{:?}", self.tables.parts()),
            ));
        }
        self.shard.check(log_n)
    }

    /// Refuses other parameters than those that the store was created with, as `invalid_argument`.
    pub(super) fn check_store(&self, kept: Option<&[u8]>) -> Result<()> {
        if kept == Some(&self.encode()) {
            return Ok(());
        }
        Err(Error::new(
            Reason::InvalidArgument,
            "the layout, setup, shape and shard that the store was made with",
            "others",
        ))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let shape = [self.log_n(), self.log_arity];
        let params_id = self.tables.verifying_key().params_id();
        [&shape[..], &self.shard.encode(), &params_id, &[LAYOUT_VERSION]].concat()
    }
}

impl fmt::Debug for StoreParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("StoreParams");
        shown.field("log_n", &self.log_n()).field("log_arity", &self.log_arity);
        shown.field("shard", &self.shard).finish_non_exhaustive()
    }
}
