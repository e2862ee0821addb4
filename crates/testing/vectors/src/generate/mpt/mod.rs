//! The generated files of `mpt/`: Ethereum's tries, answers and headers.

pub(super) mod answer_valid;
pub(super) mod header;
mod state;
mod trie;
pub(super) mod trie_valid;
