//! The chain of a folder: opened by this command, or by the node that runs there.

use std::path::Path;

use prooflight_core::{Error, Reason, Result};
use prooflight_node::Chain;
use prooflight_node::copy::{Running, Source};

/// A chain to copy from.
pub(super) enum Reached {
    /// This command has opened it.
    Here(Source),
    /// A node has it open.
    Running(Asked),
}

/// The client of a node that has a chain open.
pub(super) struct Asked(Running);

/// Opens the chain in a folder, or finds the node that has it open.
pub(super) fn reach(folder: &Path) -> Result<Reached> {
    match Chain::open(folder) {
        Ok(chain) => Ok(Reached::Here(Source::new(chain.view()?, folder))),
        Err(error) if error.reason() == Reason::StoreFailed => match Running::of(folder)? {
            Some(node) => Ok(Reached::Running(Asked(node))),
            None => Err(error),
        },
        Err(error) => Err(error),
    }
}

impl Asked {
    /// Fetches a path of the node's admin listener, and passes each piece to `take`.
    pub(super) fn fetch(&self, path: &str, take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::new(Reason::Bug, "a runtime", error))?;
        runtime.block_on(self.0.fetch(path, take))
    }
}
