//! The work of the fuzz targets, shared with the tests that replay their inputs.

pub mod targets;
