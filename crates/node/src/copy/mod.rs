//! Copies of a chain while it grows: of everything, for a backup, or of its newest state.
//!
//! A copy is taken from a snapshot of the store, so it is the chain up to one block, and no writer waits for it.
//! It is a stream, so that whoever wants it writes the files: with rights of its own, on any machine.

mod receive;
mod running;
mod send;
mod stream;

pub use receive::receive;
pub use running::{Access, Running, put};
pub use send::Line;
pub use stream::{Pipe, PipeReader, pipe};

use std::path::{Path, PathBuf};

use crate::View;

/// What can be copied: a chain up to one block, and the folder with its files.
#[derive(Clone, Debug)]
pub struct Source {
    view: View,
    folder: PathBuf,
}

impl Source {
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
const SETUP: &str = "lvmt";

/// The files of a chain's folder that a backup has, besides its store and folders. Keys are not among them. `log` is: whoever
/// puts the keys beside a backup must not make a second chain beside the log.
const FILES: [&str; 4] = ["checkpoint.json", "format", "log", "schemes.json"];
