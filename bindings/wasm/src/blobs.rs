//! Reads the parameters of blobs from a request.

use prooflight_ethereum::BlobParams;

crate::wire::requests! {
    extern struct BlobParams { target: u64, max: u64, update_fraction: u64, has_reserve: bool, }
}
