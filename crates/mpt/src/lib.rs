//! Merkle Patricia proofs of Ethereum: single tries, `eth_getProof` answers and block headers.
//!
//! A state is identified by its root. [`verify_get_proof`] takes a root that the caller trusts and a
//! node's whole answer, made canonical by [`read_get_proof`]; [`verify_header`] leads from a trusted block
//! hash to the root.
//! [`verify_account`], [`verify_slot`] and [`verify_proof`] check single proofs.
//!
//! ```
//! use prooflight_core::{Limits, keccak256};
//! use prooflight_mpt::verify_proof;
//!
//! # fn main() -> prooflight_core::Result<()> {
//! // The keys 10 and 11 with the values aa and bb: an extension over a branch over two leaves.
//! let mut node = vec![0xd9, 0x11, 0xd7, 0xc3, 0x20, 0x81, 0xaa, 0xc3, 0x20, 0x81, 0xbb];
//! node.extend([0x80; 15]);
//! let (root, proof) = (keccak256(&[&node]), [&node[..]]);
//! let verify = |key: &[u8]| verify_proof(&root, key, &proof, &Limits::DEFAULT);
//! assert_eq!(*verify(&[0x10])?, Some(&[0xaa][..]));
//! assert_eq!(*verify(&[0x12])?, None);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod account;
#[doc(hidden)]
pub mod encode;
mod get_proof;
mod hash;
mod header;
mod nibbles;
mod node;
mod nodes;
#[cfg(feature = "prover")]
mod prover;
mod read;
#[doc(hidden)]
pub mod rlp;
mod transaction;
mod verify;
mod walk;

pub use account::{Account, Address, Word, verify_account, verify_slot};
pub use get_proof::{AccountState, GetProof, SlotProof, verify_get_proof};
pub use hash::{EMPTY_CODE_HASH, EMPTY_ROOT};
pub use header::{StateHeader, verify_header};
pub use nodes::ProofNodes;
#[cfg(feature = "prover")]
pub use prover::{
    AccountProof, ChangedTrie, MptReader, MptState, PersistentState, PersistentTrie, PreparedTrie,
    ProvedAccount, ProvedKey, ProvedKeys, ProvedSlot, StateChange, TrieRoot, prove_at,
    prove_state_at,
};
pub use read::{read_get_proof, read_proof};
pub use transaction::{signed_part, verify_code, verify_transaction_hash};
pub use verify::{MAX_KEY_LENGTH, verify_keys, verify_proof};
