//! Plants single faults in Rust sources, all of them in one build.
//!
//! [`find()`] reads a file and lists its fault sites, each with its faults. [`render()`] rewrites
//! the file so that each site asks `prooflight_mutants_switch::at` which of its faults is active.
//! One build thus serves every fault; one build per fault would take hours. [`PlantedFaults`] does this
//! for whole crates, and drops faults that do not compile.

#![forbid(unsafe_code)]

mod cfg;
mod compile;
mod faults;
mod find;
mod operators;
mod planting;
mod render;
mod site;

pub use find::{FileFaults, find};
pub use planting::{Mutant, PlantedFaults};
pub use render::{RenderedFile, render};
pub use site::{FaultForm, FaultSite, FaultVariant};
