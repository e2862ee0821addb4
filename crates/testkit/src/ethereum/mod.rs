//! What the fuzz targets do with blocks, receipts and lists.

pub mod targets;
