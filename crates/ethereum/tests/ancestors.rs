//! The hashes of older blocks, in states made by the prover of `prooflight-mpt`.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_core::store::MemoryStore;
use prooflight_core::{Hash, Limits, Reason, Verified, keccak256};
use prooflight_ethereum::{BlockHeader, verify_ancestor_hash, verify_block_header};
use prooflight_mpt::{PersistentState, StateChange, encode};

const CONTRACT: [u8; 20] = [
    0, 0, 0xf9, 8, 0x27, 0xf1, 0xc5, 0x3a, 0x10, 0xcb, 0x7a, 2, 0x33, 0x5b, 0x17, 0x53, 0x20, 0,
    0x29, 0x35,
];
const HEAD: u64 = 20_000;

fn word(number: u64) -> [u8; 32] {
    let mut word = [0; 32];
    word[24..].copy_from_slice(&number.to_be_bytes());
    word
}

/// The made-up hash of a block.
fn hash_of(number: u64) -> Hash {
    keccak256(&[&number.to_be_bytes()])
}

/// A state whose account at `address` has the hashes of these blocks, each at its slot.
fn state(address: [u8; 20], blocks: &[u64]) -> PersistentState<MemoryStore> {
    let mut state = PersistentState::open(MemoryStore::default()).unwrap();
    let account =
        StateChange::SetAccount { address, nonce: 1, balance: [0; 32], code_hash: [3; 32] };
    let slots = blocks.iter().map(|number| StateChange::SetSlot {
        address,
        slot: word(number % 8191),
        value: hash_of(*number),
    });
    state.apply(&[account].into_iter().chain(slots).collect::<Vec<_>>()).unwrap();
    state
}

fn header(number: u64, state_root: Hash, fields: usize) -> Verified<BlockHeader> {
    let integer = |number: u64| encode::integer(&number.to_be_bytes());
    let hash = encode::string(&[0x11; 32]);
    let mut all = vec![hash.clone(), hash.clone(), encode::string(&[0x22; 20])];
    all.extend([encode::string(&state_root), hash.clone(), hash.clone()]);
    all.push(encode::string(&[0; 256]));
    all.extend([0, number, 100, 50, 9].map(integer));
    all.extend([encode::string(b"made up"), hash.clone(), encode::string(&[0; 8]), integer(7)]);
    all.extend([hash.clone(), integer(0), integer(0), hash.clone(), hash]);
    let header = encode::list(&all[..fields]);
    verify_block_header(&keccak256(&[&header]), &header, &Limits::DEFAULT).unwrap()
}

/// Verifies a server's honest proof of `number`.
fn verify(
    header: &Verified<BlockHeader>,
    state: &PersistentState<MemoryStore>,
    number: u64,
) -> Result<Hash, Reason> {
    let proved = state.prove(&CONTRACT, &[word(number % 8191)]).unwrap();
    let account: Vec<_> = proved.account_proof.iter().map(Vec::as_slice).collect();
    let slot: Vec<_> = proved.storage[0].proof.iter().map(Vec::as_slice).collect();
    let verified = verify_ancestor_hash(header, number, &account, &slot, &Limits::DEFAULT);
    verified.map(Verified::into_inner).map_err(|error| error.reason())
}

#[test]
fn the_window_has_one_hash_a_slot() {
    let kept: Vec<_> = [HEAD - 8191, HEAD - 8190, HEAD - 100, HEAD - 1].to_vec();
    let state = state(CONTRACT, &kept);
    let head = header(HEAD, state.root(), 21);
    for number in kept {
        assert_eq!(verify(&head, &state, number), Ok(hash_of(number)));
    }
    // As after the fork, when the window is not full yet.
    assert_eq!(verify(&head, &state, HEAD - 2), Err(Reason::UnknownBlock));
    for number in [0, HEAD - 8192, HEAD, HEAD + 1, HEAD + 8090, u64::MAX] {
        assert_eq!(verify(&head, &state, number), Err(Reason::InvalidArgument), "{number}");
    }
}

#[test]
fn a_hash_is_that_of_the_contract_in_one_state() {
    let right = state(CONTRACT, &[HEAD - 1, HEAD - 2]);
    let other = state(CONTRACT, &[HEAD - 1]);
    let head = header(HEAD, right.root(), 21);
    assert_eq!(verify(&head, &other, HEAD - 1), Err(Reason::RootMismatch));
    assert_eq!(
        verify(&header(HEAD, right.root(), 20), &right, HEAD - 1),
        Err(Reason::UnsupportedFork)
    );
    // Without the contract, there are no hashes.
    let elsewhere = state([1; 20], &[HEAD - 1]);
    let head = header(HEAD, elsewhere.root(), 21);
    assert_eq!(verify(&head, &elsewhere, HEAD - 1), Err(Reason::UnknownBlock));
    // Another slot's proof.
    let proved = right.prove(&CONTRACT, &[word((HEAD - 2) % 8191)]).unwrap();
    let account: Vec<_> = proved.account_proof.iter().map(Vec::as_slice).collect();
    let slot: Vec<_> = proved.storage[0].proof.iter().map(Vec::as_slice).collect();
    let head = header(HEAD, right.root(), 21);
    let limits = Limits::DEFAULT;
    let refused = verify_ancestor_hash(&head, HEAD - 1, &account, &slot, &limits).unwrap_err();
    assert_eq!(refused.code(), prooflight_core::Code::Mismatch);
}

#[test]
fn proofs_are_read_as_nodes_send_them() {
    let state = state(CONTRACT, &[HEAD - 1, HEAD - 2]);
    let head = header(HEAD, state.root(), 21);
    let proved = state.prove(&CONTRACT, &[word((HEAD - 1) % 8191)]).unwrap();
    let sent = |proof: &'_ [Vec<u8>], more: &'static [u8]| {
        proof.iter().cloned().chain([more.to_vec()]).collect::<Vec<_>>()
    };
    let verify = |more: &'static [u8]| {
        let account = sent(&proved.account_proof, more);
        let slot = sent(&proved.storage[0].proof, more);
        let [account, slot] =
            [&account, &slot].map(|proof| proof.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let verified = verify_ancestor_hash(&head, HEAD - 1, &account, &slot, &Limits::DEFAULT);
        verified.map(Verified::into_inner).map_err(|error| error.reason())
    };
    assert_eq!(verify(&[]), Ok(hash_of(HEAD - 1)));
    assert_eq!(verify(&[0x80]), Err(Reason::InvalidNode));
}
