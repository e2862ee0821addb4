//! The authenticated stores of a chain, and where each keeps its data.

mod merges;
mod nodes;
mod open;
mod options;
mod setup;
mod snapshots;
mod store;

pub use nodes::avl_params;
pub use open::{SchemeContext, namespace, open};
pub(crate) use open::{begin, unknown_scheme};
pub use options::{ProgressCallback, SchemeOptions, ShardOption, StoreMetrics};
pub(crate) use setup::copy as copy_setup;
pub use snapshots::{CACHE_BYTES, SNAPSHOTS_FOLDER};
pub use store::{NextState, SchemeReader, SchemeStore};
