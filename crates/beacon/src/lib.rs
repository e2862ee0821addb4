//! Ethereum's light-client protocol: from one trusted beacon block root to the newest block hash.
//!
//! [`LightClient`] starts at a checkpoint that the application pins, and follows the sync committees
//! with the updates of any beacon server, Altair to Gloas. It yields a [`BeaconHead`]: a slot, a beacon block
//! root, an execution block's hash and the participation behind it. [`LightClientStore`] implements the protocol
//! to the letter, for users who need its forced updates; `LightClient` has none, and moves a head only
//! for two thirds of a committee.
//!
//! Source: the consensus specifications of Ethereum, `light-client/sync-protocol.md` of Altair,
//! Capella, Deneb, Electra and Gloas.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bls;
mod branch;
mod client;
mod clock;
mod committee;
mod digest;
mod execution;
mod exported_state;
mod finality;
mod fork;
mod header;
mod message;
mod network;
mod ssz;
mod store;
mod update_chunks;
mod validate;

pub use client::{BeaconHead, ConflictEvidence, HeadChanges, LightClient, Participation};
pub use clock::SlotClock;
pub use committee::SyncCommittee;
pub use execution::ExecutionBlock;
pub use fork::Fork;
pub use header::{BeaconHeader, LightClientHeader};
pub use message::{Bootstrap, FinalityProof, NextCommittee, SyncAggregate, Update, UpdateKind};
pub use network::{BlobParameters, ForkStart, Network, NetworkParameters, Preset};
pub use store::LightClientStore;
pub use update_chunks::{UpdateChunk, read_chunks};
