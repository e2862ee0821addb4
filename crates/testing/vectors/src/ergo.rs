//! `ErgoAdProofs`: the state transition of an Ergo block.

use prooflight_avl::Digest;
use prooflight_avl::ergo::{AdProofsHeader, verify_ad_proofs};
use prooflight_core::{Error, Reason, Result};
use prooflight_json::HexBytes;
use prooflight_json::strict::objects;
use serde::{Deserialize, Serialize};

use crate::answer::VerifierAnswer;
use crate::avl::{AvlOp, answer};

/// The input of an `ErgoAdProofs` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdProofs {
    /// The state root of the parent block.
    pub parent_state_root: HexBytes,
    /// The state root of the block.
    pub state_root: HexBytes,
    /// The hash of the proof.
    pub ad_proofs_root: HexBytes,
    /// The block's operations, in order.
    #[serde(deserialize_with = "objects")]
    pub ops: Vec<AvlOp>,
    /// The proof.
    pub proof: HexBytes,
}

impl AdProofs {
    /// Verifies the block's state transition.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let header = AdProofsHeader {
            parent_state_root: Digest::try_from(self.parent_state_root.0.as_slice())?,
            state_root: Digest::try_from(self.state_root.0.as_slice())?,
            ad_proofs_root: self.ad_proofs_root.0.as_slice().try_into().map_err(|_| {
                let found = format!("{} bytes", self.ad_proofs_root.0.len());
                Error::new(Reason::InvalidArgument, "an adProofsRoot of 32 bytes", found)
            })?,
        };
        let ops = self.ops.iter().map(AvlOp::borrow).collect::<Vec<_>>();
        verify_ad_proofs(&header, &ops, &self.proof.0).map(|batch| answer(&batch))
    }
}
