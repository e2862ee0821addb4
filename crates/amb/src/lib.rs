//! Ordered keys with their versions under one root: values at any block, histories, ranges and counts.
//!
//! Source: the AMB-tree of the paper on S-Store, with a canonical radix tree over the raw keys;
//! `test-vectors/spec/amb.md`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
