//! The chain of a folder: opened by this command, or by the node that runs there.

use std::path::Path;

use prooflight_core::{Error, Reason, Result};
use prooflight_node::Chain;
use prooflight_node::replication::backup::{BackupSource, RunningNode};

/// A chain to copy from.
pub(super) enum ChainSource {
    /// This command has opened it.
    Opened(BackupSource),
    /// A node has it open.
    Running(NodeClient),
}

/// The client of a node that has a chain open.
pub(super) struct NodeClient(RunningNode);

/// Opens the chain in a folder, or finds the node that has it open.
pub(super) fn open_source(folder: &Path) -> Result<ChainSource> {
    match Chain::open(folder) {
        Ok(chain) => Ok(ChainSource::Opened(BackupSource::new(chain.view()?, folder))),
        Err(error) if error.reason() == Reason::StoreFailed => match RunningNode::of(folder)? {
            Some(node) => Ok(ChainSource::Running(NodeClient(node))),
            None => Err(error),
        },
        Err(error) => Err(error),
    }
}

impl NodeClient {
    /// Fetches a path of the node's admin listener, and passes each piece to `take`.
    pub(super) fn fetch(&self, path: &str, take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::new(Reason::Bug, "a runtime", error))?;
        runtime.block_on(self.0.fetch(path, take))
    }
}
