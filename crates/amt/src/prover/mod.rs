//! The prover: setups, tables, commitments, tree states, openings.

mod build;
mod cache;
mod class;
mod fixed_base;
mod group;
mod halves;
mod known;
mod known_rows;
mod open;
mod open_tree;
mod ptau;
mod remembered;
mod setup;
mod tables;
mod transform;
mod tree;

pub use build::Progress;
pub use class::Class;
pub use group::Point;
pub use open_tree::open_entries;
pub use setup::Setup;
pub use tables::{Change, Parts, Tables};
pub use tree::{TreeDraft, TreeState};
