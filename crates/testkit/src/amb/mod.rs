//! Ordered keys with versions: the fuzz target.

pub mod targets;
