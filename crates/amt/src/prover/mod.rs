//! The prover: setups, tables, commitments, tree states, openings.

mod build;
mod class;
mod entry_change;
mod fixed_base;
mod glv;
mod group;
mod index;
mod known_rows;
mod known_tau;
mod open;
mod open_tree;
mod ptau;
mod row_cache;
mod setup;
mod table_file;
mod tables;
mod transform;
mod tree;

pub use build::BuildProgress;
pub use class::IndexClass;
pub use entry_change::EntryChange;
pub use group::Point;
pub use open_tree::open_entries;
pub use setup::ProverSetup;
pub use tables::{TableParts, Tables};
pub use tree::{TreeDraft, TreeState};
