//! Types of Ethereum that several binaries read or write.

use prooflight_core::Hash;
use prooflight_ethereum::{Address, BlobParams, Log};

crate::wire::requests! {
    extern struct BlobParams { target: u64, max: u64, update_fraction: u64, has_reserve: bool, }
}

crate::wire::responses! {
    extern struct Log { address: Address, topics: Vec<Hash>, data: Vec<u8>, }
}
