//! The parts of a server that do not depend on a chain: threads, memory, files, the clock and counters.

pub mod answer_memory;
pub(crate) mod backoff;
pub mod blocking;
pub mod clock;
pub(crate) mod durable;
pub mod files;
pub mod metrics;
pub mod scratch;
pub mod space;
pub mod status;
pub(crate) mod token;
