//! Fuzz targets for blocks, receipts and lists.

pub mod targets;
