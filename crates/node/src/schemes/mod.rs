//! The authenticated stores of a chain, and where each keeps its data.

mod merges;
mod nodes;
mod open;
mod options;
mod setup;
mod snapshots;
mod store;

pub use nodes::gathering;
pub use open::{Place, namespace, open};
pub(crate) use open::{begin, not_kept};
pub use options::{Counted, Progress, SchemeOptions, Shard};
pub(crate) use setup::copy as copy_setup;
pub use snapshots::{CACHE_BYTES, SNAPSHOTS};
pub use store::{Next, Reader, SchemeStore};
