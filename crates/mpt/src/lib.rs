//! Merkle Patricia proofs of Ethereum: single tries, `eth_getProof` answers and block headers.
//!
//! A state is known by its root. [`verify_get_proof`] takes a root that the caller trusts and a
//! node's whole answer; [`verify_header`] leads from a trusted block hash to the root.
//! [`verify_account`], [`verify_slot`] and [`verify_proof`] check single proofs.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod account;
mod get_proof;
mod hash;
mod header;
mod nibbles;
mod node;
#[cfg(feature = "prover")]
mod prover;
mod rlp;
mod verify;

pub use account::{Account, Address, Word, verify_account, verify_slot};
pub use get_proof::{GetProof, SlotProof, VerifiedState, verify_get_proof};
pub use hash::{EMPTY_CODE_HASH, EMPTY_ROOT, Hash, keccak256};
pub use header::{Header, verify_header};
#[cfg(feature = "prover")]
pub use prover::{
    Change, PersistentState, PersistentTrie, PreparedVersion, ProvedAccount, ProvedKey, ProvedSlot,
    StateChange, prove_at, prove_state_at,
};
pub use verify::{MAX_KEY_LENGTH, verify_proof};
