//! `promote`: makes a standby lead at once.

use clap::Args;
use prooflight_core::{Error, Reason, Result};
use prooflight_node::replication::backup::{RunningNode, put};

use super::chain::FolderArgs;
use super::log_commands::runtime;

/// The arguments of `promote`.
#[derive(Debug, Args)]
pub(super) struct PromoteArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// The admin listener of the standby, as http://HOST:PORT, instead of the folder of one on this machine
    #[arg(long)]
    admin: Option<String>,
}

impl PromoteArgs {
    pub(super) fn run(&self) -> Result<()> {
        let folder = &self.folder.data_dir;
        let admin = if let Some(admin) = &self.admin {
            admin.clone()
        } else {
            let running = RunningNode::of(folder)?.ok_or_else(|| {
                let expected = format_args!("a node that runs in {}", folder.display());
                Error::new(Reason::InvalidArgument, expected, "none")
            })?;
            running.admin()
        };
        println!("{}", runtime()?.block_on(put(&admin, "/promote"))?);
        Ok(())
    }
}
