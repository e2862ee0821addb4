//! The authenticated stores of a chain, and where each keeps its data.

mod merges;
mod nodes;
mod open;
mod options;
mod setup;
mod snapshots;
mod store;

pub use nodes::avl_params;
pub(crate) use open::{begin, unknown_scheme};
pub use open::{namespace, open};
pub use options::{
    CACHE_BYTES, ProgressCallback, SchemeContext, SchemeOptions, ShardOption, StoreMetrics,
};
pub(crate) use setup::copy as copy_setup;
pub use snapshots::SNAPSHOTS_FOLDER;
pub use store::{NextState, SchemeReader, SchemeStore};
