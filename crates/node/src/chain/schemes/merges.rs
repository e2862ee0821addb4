//! The background merges of `lmpt`: logged and counted.

use std::sync::Arc;
use std::time::Duration;

use prooflight_core::chain::ChainConfig;
use prooflight_core::{Error, Reason, Result};
use prooflight_lmpt::{LmptParams, MergeEvent, MergingParams};

use super::{SchemeContext, StoreMetrics};

/// The parameters of a chain's `lmpt`, without a flat copy of the values: the chain's raw state has them.
pub(super) fn params(config: &ChainConfig, context: SchemeContext<'_>) -> Result<MergingParams> {
    let Some(eras) = config.lmpt() else {
        let expected = "the parameters of lmpt in the chain's configuration";
        return Err(Error::new(Reason::InvalidConfig, expected, "none"));
    };
    let store = LmptParams { replays: context.options.lmpt_replay, ..LmptParams::new(eras) };
    let metrics = context.options.metrics.clone();
    Ok(MergingParams { store, on_event: Arc::new(move |event| log_event(event, &metrics)) })
}

/// The shortest wait that is logged as a warning.
const LONG_WAIT: Duration = Duration::from_millis(100);

fn log_event(event: &MergeEvent<'_>, StoreMetrics(metrics): &StoreMetrics) {
    match *event {
        MergeEvent::Part { era, keys, total } => {
            if let Some(metrics) = metrics {
                metrics.merged(keys, total);
            }
            if keys == total {
                tracing::info!(era, keys, "merged the snapshot of the next era");
            } else {
                tracing::debug!(era, keys, total, "merging");
            }
        }
        MergeEvent::Waited { era, time } => {
            if let Some(metrics) = metrics {
                metrics.waited(time);
            }
            if time >= LONG_WAIT {
                let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                tracing::warn!(era, milliseconds, "a block waited for the merge of its era");
            }
        }
        MergeEvent::Failed(error) => tracing::error!(
            code = %error.code(), reason = %error.reason(), %error, "the merge failed"
        ),
    }
}
