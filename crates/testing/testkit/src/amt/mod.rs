//! The work of the fuzz targets, shared with the tests that run their inputs again.

pub mod targets;
