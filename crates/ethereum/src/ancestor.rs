//! Verifies the hashes of older blocks against the state of a newer one.

use prooflight_core::{Error, Hash, Limits, Reason, Result, Verified, keccak256};
use prooflight_mpt::{Address, EMPTY_ROOT, Word, read_proof, verify_account, verify_slot};

use crate::header::BlockHeader;

/// The contract that stores the hashes of older blocks, since Prague.
const HISTORY_CONTRACT: Address = [
    0x00, 0x00, 0xf9, 0x08, 0x27, 0xf1, 0xc5, 0x3a, 0x10, 0xcb, 0x7a, 0x02, 0x33, 0x5b, 0x17, 0x53,
    0x20, 0x00, 0x29, 0x35,
];

/// The number of hashes that it stores.
const HISTORY_WINDOW_BLOCKS: u64 = 8191;

/// Verifies the hash of one of the 8,191 blocks before a block.
///
/// The proofs are those of `eth_getProof` at `header`'s block, as nodes send them, for the address
/// `0x0000F90827F1C53a10cb7A02335B175320002935` and the slot `number % 8191`. A number outside the window
/// is `invalid_argument`, a header from before Prague is `unsupported_fork`; `unknown_block` if the
/// contract does not have the hash, as in the first 8,191 blocks from Prague on. Other errors are those
/// of [`verify_account`] and [`verify_slot`].
///
/// Source: EIP-2935.
pub fn verify_ancestor_hash(
    header: &Verified<BlockHeader>,
    number: u64,
    account_proof: &[&[u8]],
    slot_proof: &[&[u8]],
    limits: &Limits,
) -> Result<Verified<Hash>> {
    if header.requests_hash.is_none() {
        let found = format_args!("block {}", header.number);
        return Err(Error::new(Reason::UnsupportedFork, "a block from Prague on", found));
    }
    let age =
        header.number.checked_sub(number).filter(|age| (1..=HISTORY_WINDOW_BLOCKS).contains(age));
    if age.is_none() {
        let expected =
            format_args!("one of the {HISTORY_WINDOW_BLOCKS} blocks before {}", header.number);
        return Err(Error::new(Reason::InvalidArgument, expected, number));
    }
    let proof = read_proof(&keccak256(&[&HISTORY_CONTRACT]), account_proof, limits);
    let account = *verify_account(&header.state_root, &HISTORY_CONTRACT, &proof, limits)?;
    let root = account.map_or(EMPTY_ROOT, |account| account.storage_root);
    let mut slot = Word::default();
    if let Some(last) = slot.last_chunk_mut() {
        *last = (number % HISTORY_WINDOW_BLOCKS).to_be_bytes();
    }
    let proof = read_proof(&keccak256(&[&slot]), slot_proof, limits);
    let hash = *verify_slot(&root, &slot, &proof, limits)?;
    hash.map(Verified::by_verifier).ok_or_else(|| {
        Error::new(Reason::UnknownBlock, format_args!("the hash of block {number}"), "zero")
    })
}
