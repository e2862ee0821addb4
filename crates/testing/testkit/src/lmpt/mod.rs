//! Layered tries as they are defined, for tests, fuzz targets and the vectors: dictionaries for the layers, and tries
//! built anew for each question.

pub mod draw;
pub mod eras;
pub mod layers;
pub mod targets;
pub mod trie;
