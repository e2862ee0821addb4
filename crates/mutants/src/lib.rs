//! Plants single faults in Rust sources, all of them in one build.
//!
//! [`find()`] reads a file and lists the places where a fault can be, each with its faults. [`render()`] writes
//! the file again so that each place asks `prooflight_mutants_switch::at` which of its faults is on. So one
//! build serves every fault, where one build for each would take hours. [`Planting`] does it for crates, and
//! gives up faults that do not compile.

#![forbid(unsafe_code)]

mod cfg;
mod compile;
mod faults;
mod find;
mod operators;
mod planting;
mod render;
mod site;

pub use find::{Found, find};
pub use planting::{Mutant, Planting};
pub use render::{Rendered, render};
pub use site::{Form, Site, Variant};
