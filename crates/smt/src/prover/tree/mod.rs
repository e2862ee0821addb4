//! The newest state as a tree in memory.
//!
//! The shape that the other modules rely on (`[u8; 32]` are key hashes, value hashes, roots):
//!
//! ```text
//! Tree::new() -> Tree
//! tree.prepare(block, &[Change]) -> Result<Prepared>    reads the tree only; drop it to abandon the block
//! tree.commit(Prepared) -> Result<()>                   all or nothing, in memory
//! tree.update(block, &[Change]) -> Result<[u8; 32]>     both
//! Tree::restore(block, leaves: (key_hash, Entry)...) -> Result<Tree>    after a restart
//! tree.root() -> [u8; 32]
//! tree.get(&key_hash) -> Option<Entry>
//! tree.visit(first_version, |Node| ...)                 nodes with at least that version; 0: all
//! prepared.root(), prepared.block()
//! prepared.visit(|Node| ...)                            nodes that the block changes: version == block
//! ```
//!
//! A block is prepared once, and blocks rise; an empty tree has the root of 32 zero bytes, and shows
//! no node. The root node comes first in every visit.

mod node;

pub use node::{Change, Child, Entry, Kind, Node};
