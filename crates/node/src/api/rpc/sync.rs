//! `prooflight_sync`: the state after a block in chunks, for a replica that begins with this state.

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::{Result, Scheme};
use prooflight_json::{Hash32, HexBytes, Quantity};
use serde::{Deserialize, Serialize};

use super::context::{NodeApi, NodeCall, newest};
use super::method::method;
use crate::View;
use crate::chain::wire::{HeaderJson, RawJson, to_raw_json};
use crate::replication::sync::{StatePart, chunk};

/// The processor time of a chunk, in tenths of a millisecond.
const CHUNK_COST: u64 = 400;

pub(super) fn register(module: &mut RpcModule<NodeApi>) -> Result<(), RegisterMethodError> {
    method(module, "prooflight_sync", sync)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SyncParams {
    /// The block. If absent, the node chooses a block and pins its state for some time.
    head: Option<Hash32>,
    part: Option<StatePart>,
    #[serde(default)]
    from: HexBytes,
}

/// A block whose state can be fetched.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SyncHeadJson {
    header: HeaderJson,
    blocks_per_snapshot: Quantity,
}

#[derive(Serialize)]
struct ChunkJson {
    chunk: HexBytes,
}

async fn sync(call: NodeCall, SyncParams { head, part, from }: SyncParams) -> Result<RawJson> {
    let source = call.context.sync.clone();
    let (Some(Hash32(head)), Some(part)) = (head, part) else {
        let view = source.pin(call.client(), &newest(&call.context.views));
        let blocks_per_snapshot = Quantity(source.blocks_per_file()?);
        return to_raw_json(&SyncHeadJson {
            header: HeaderJson::from(view.head()),
            blocks_per_snapshot,
        });
    };
    let pinned = source.pinned(&head)?;
    let scheme = match part {
        StatePart::Avl => Some(Scheme::Avl),
        StatePart::Amb => Some(Scheme::Amb),
        StatePart::Smt => Some(Scheme::Smt),
        StatePart::Headers | StatePart::Values => None,
    };
    let read = move |_: &View| {
        let chunk = chunk(&source, &pinned, part, &from.0)?;
        to_raw_json(&ChunkJson { chunk: HexBytes(chunk) })
    };
    call.context.prove(call.ask(scheme, CHUNK_COST), read).await
}
