//! The prover's side: setups, tables, commitments, tree states, openings.

mod class;
mod fixed_base;
mod group;
mod open;
mod rows;
mod setup;
mod tables;
mod tree;

pub use class::Class;
pub use group::Point;
pub use setup::Setup;
pub use tables::{Change, Parts, Tables};
pub use tree::TreeState;
