//! Copies of a chain while it grows: a backup of everything, or an export of the newest state.
//!
//! A copy is taken from a snapshot of the store, so it is the chain up to one block, and no writer waits for it.
//! It is a stream: the receiver writes the files, with its own permissions, on any machine.

mod receive;
mod running;
mod send;
mod stream;

pub use receive::receive;
pub use running::{AdminAccess, RunningNode, put};
pub use send::StateLine;
pub use stream::{PipeReader, PipeWriter, pipe};

use std::path::{Path, PathBuf};

use crate::View;

/// The source of copies: a chain up to one block, and the folder with its files.
#[derive(Clone, Debug)]
pub struct BackupSource {
    view: View,
    folder: PathBuf,
}

impl BackupSource {
    /// The chain of this view, in this folder.
    pub fn new(view: View, folder: &Path) -> Self {
        Self { view, folder: folder.to_owned() }
    }

    /// The chain.
    pub const fn view(&self) -> &View {
        &self.view
    }
}

/// The folder of LVMT's setup and its tables.
const SETUP_FOLDER: &str = "lvmt";

/// The files of a chain's folder that a backup contains, besides its store and folders. Keys are left out. `log` is
/// included: a node that adds the keys to a backup must not make a second chain beside the log.
const BACKUP_FILES: [&str; 4] = ["checkpoint.json", "format", "log", "schemes.json"];
