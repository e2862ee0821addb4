//! `prooflight_sync`: the state after a block in chunks, for a replica that begins with this state.

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::{Result, Scheme};
use prooflight_json::{Hash32, Hex, Quantity};
use serde::{Deserialize, Serialize};

use super::json::{HeaderJson, Json, json};
use super::method::{Call, method};
use super::{Context, newest};
use crate::View;
use crate::sync::{Part, chunk};

/// The processor time of a chunk, in tenths of a millisecond.
const COST: u64 = 400;

pub(super) fn register(module: &mut RpcModule<Context>) -> Result<(), RegisterMethodError> {
    method(module, "prooflight_sync", sync)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// The block. If absent, the node names a block whose state it keeps for a while.
    head: Option<Hash32>,
    part: Option<Part>,
    #[serde(default)]
    from: Hex,
}

/// A block whose state can be fetched.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Begun {
    header: HeaderJson,
    blocks_per_snapshot: Quantity,
}

#[derive(Serialize)]
struct Chunk {
    chunk: Hex,
}

async fn sync(call: Call, Asked { head, part, from }: Asked) -> Result<Json> {
    let source = call.context.sync.clone();
    let (Some(Hash32(head)), Some(part)) = (head, part) else {
        let view = source.pin(call.client(), &newest(&call.context.views));
        let blocks_per_snapshot = Quantity(source.blocks_per_file()?);
        return json(&Begun { header: HeaderJson::from(view.head()), blocks_per_snapshot });
    };
    let pinned = source.pinned(&head)?;
    let scheme = match part {
        Part::Avl => Some(Scheme::Avl),
        Part::Amb => Some(Scheme::Amb),
        Part::Smt => Some(Scheme::Smt),
        Part::Headers | Part::Values => None,
    };
    let read = move |_: &View| {
        let chunk = chunk(&source, &pinned, part, &from.0)?;
        json(&Chunk { chunk: Hex(chunk) })
    };
    call.context.prove(call.ask(scheme, COST), read).await
}
