//! The file with the nodes of the newest state of `avl`, for fast opening.

use std::sync::Arc;

use prooflight_avl::state::state_params;
use prooflight_avl::{GatherEvent, GatheringParams};
use prooflight_core::chain::ChainConfig;

use super::Place;

/// The file, in the folder of a chain.
const FILE: &str = "avl-nodes";

/// A state with fewer nodes opens quickly without the file.
const LEAST: u64 = 1 << 16;

/// The parameters of a chain's `avl`.
pub fn gathering(config: &ChainConfig, place: Place<'_>) -> GatheringParams {
    GatheringParams {
        state: state_params(&config.limits),
        file: place.folder.join(FILE),
        least: LEAST,
        watch: Arc::new(watch),
    }
}

fn watch(event: &GatherEvent<'_>) {
    match *event {
        GatherEvent::Unused => tracing::info!(
            file = FILE,
            "opened avl from the store, since its file is missing, damaged or of another store"
        ),
        GatherEvent::Written { nodes } => {
            tracing::debug!(file = FILE, nodes, "gathered the nodes of avl");
        }
        GatherEvent::Failed(error) => tracing::warn!(
            file = FILE, code = %error.code(), reason = %error.reason(), %error,
            "the nodes of avl were not gathered; the next opening reads the store"
        ),
    }
}
