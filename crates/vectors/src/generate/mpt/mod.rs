//! The generated files of `mpt/`: Ethereum's tries, answers and headers.

pub(super) mod answer_negative;
pub(super) mod answer_valid;
pub(super) mod hashed;
pub(super) mod header;
mod long_header;
pub(super) mod mainnet;
mod state;
mod trie;
pub(super) mod trie_negative;
pub(super) mod trie_valid;
