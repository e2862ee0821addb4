//! The file with the nodes of the newest state of `avl`, for fast opening.

use std::sync::Arc;

use prooflight_avl::state::state_params;
use prooflight_avl::{CachedAvlParams, RevisionFileEvent};
use prooflight_core::chain::ChainConfig;

use super::SchemeContext;

/// The file, in the folder of a chain.
const NODES_FILE: &str = "avl-nodes";

/// A state with fewer nodes opens quickly without the file.
const MIN_NODES: u64 = 1 << 16;

/// The parameters of a chain's `avl`.
pub fn avl_params(config: &ChainConfig, context: SchemeContext<'_>) -> CachedAvlParams {
    CachedAvlParams {
        state: state_params(&config.limits),
        file: context.folder.join(NODES_FILE),
        min_new_nodes: MIN_NODES,
        on_event: Arc::new(log_event),
    }
}

fn log_event(event: &RevisionFileEvent<'_>) {
    match *event {
        RevisionFileEvent::Unused => tracing::info!(
            file = NODES_FILE,
            "opened avl from the store, since its file is missing, damaged or of another store"
        ),
        RevisionFileEvent::Written { nodes } => {
            tracing::debug!(file = NODES_FILE, nodes, "copied the nodes of avl into the file");
        }
        RevisionFileEvent::Failed(error) => tracing::warn!(
            file = NODES_FILE, code = %error.code(), reason = %error.reason(), %error,
            "the nodes of avl were not copied; the next opening reads the store"
        ),
    }
}
