//! The chain, its head, its blocks, and the node's progress.

use std::sync::Arc;

use jsonrpsee::core::{RegisterMethodError, SubscriptionResult};
use jsonrpsee::{Extensions, PendingSubscriptionSink, RpcModule, SubscriptionMessage};
use prooflight_core::Result;
use prooflight_json::Quantity;
use serde::{Deserialize, Serialize};

use super::context::{NodeApi, NodeCall};
use super::cost;
use super::headers::HeaderParams;
use super::method::{account, method};
use crate::chain::wire::{BlockJson, ChainJson, HeaderJson, RawJson, to_object, to_raw_json};

pub(super) fn register(module: &mut RpcModule<NodeApi>) -> Result<(), RegisterMethodError> {
    method(module, "prooflight_chain", chain)?;
    method(module, "prooflight_head", head)?;
    method(module, "prooflight_progress", progress)?;
    method(module, "prooflight_block", block)?;
    module.register_subscription(
        "prooflight_newHeads",
        "prooflight_newHeads",
        "prooflight_unsubscribe",
        |_, pending, context, extensions| new_heads(pending, context, extensions),
    )?;
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParams {}

async fn chain(call: NodeCall, _: NoParams) -> Result<ChainJson> {
    ChainJson::new(&call.context.views.borrow())
}

async fn head(call: NodeCall, _: NoParams) -> Result<HeaderJson> {
    Ok(HeaderJson::from(call.context.views.borrow().head()))
}

/// The newest height that a node knows of, and the age of that knowledge.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgressJson {
    height: Quantity,
    newest: Option<Quantity>,
    age_ms: Option<Quantity>,
}

async fn progress(call: NodeCall, _: NoParams) -> Result<ProgressJson> {
    let height = call.context.views.borrow().height();
    let (newest, age_ms) = match &call.context.progress {
        None => (Some(height), Some(0)),
        Some(progress) => {
            let known = progress.borrow().newest();
            let age = known.map(|known| known.at.elapsed().as_millis());
            let age = age.map(|age| u64::try_from(age).unwrap_or(u64::MAX));
            (known.map(|known| known.height.max(height)), age)
        }
    };
    Ok(ProgressJson {
        height: Quantity(height),
        newest: newest.map(Quantity),
        age_ms: age_ms.map(Quantity),
    })
}

async fn block(call: NodeCall, HeaderParams { at }: HeaderParams) -> Result<RawJson> {
    let ask = call.ask(None, cost::BLOCK_COST);
    call.context.prove(ask, move |view| to_raw_json(&BlockJson::new(view.block(at)?)?)).await
}

/// Sends the head, then every new head; a subscriber too slow for all of them skips to the newest.
async fn new_heads(
    pending: PendingSubscriptionSink,
    context: Arc<NodeApi>,
    extensions: Extensions,
) -> SubscriptionResult {
    if let Err(error) = account(&extensions).and_then(|account| account.check_read()) {
        pending.reject(to_object(&error)).await;
        return Ok(());
    }
    let sink = pending.accept().await?;
    let mut views = context.views.clone();
    views.mark_changed();
    loop {
        tokio::select! {
            () = sink.closed() => return Ok(()),
            changed = views.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                let head = HeaderJson::from(views.borrow_and_update().head());
                let text = serde_json::value::to_raw_value(&head)?;
                sink.send(SubscriptionMessage::from(text)).await?;
            }
        }
    }
}
