//! The snapshot files of `smt`, in the folder of a chain.

use prooflight_core::chain::SignedHeader;
use prooflight_core::{Hash, Result, Scheme};
use prooflight_smt::snapshot::{Retention, SmtParams, SnapshotFiles, WriterOptions};

use super::SchemeContext;
use crate::chain::block;
use crate::chain::store::EmbeddedStore;

/// The folder of the snapshot files, in that of the chain.
pub const SNAPSHOTS_FOLDER: &str = "snapshots";

/// The files of a chain.
pub(super) fn files(context: SchemeContext<'_>) -> Result<SnapshotFiles> {
    SnapshotFiles::local(&context.folder.join(SNAPSHOTS_FOLDER))
}

/// The parameters of the files; each file is compared with the stored header of its block.
pub(super) fn params(store: &EmbeddedStore, context: SchemeContext<'_>) -> SmtParams {
    let blocks_per_file = context.options.blocks_per_file;
    let store = store.clone();
    SmtParams {
        options: WriterOptions { blocks_per_file, retention: Retention::All },
        cache_bytes: context.options.cache_bytes,
        root_of: Box::new(move |block| {
            Ok(block::read_header(&store, block)?.as_ref().and_then(root_in))
        }),
        on_damage: |damage| {
            tracing::warn!(file = damage.file, error = %damage.error, "damaged snapshot file rewritten");
        },
    }
}

fn root_in(header: &SignedHeader) -> Option<Hash> {
    header.header.root(Scheme::Smt)?.try_into().ok()
}
