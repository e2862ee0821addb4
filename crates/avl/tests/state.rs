//! The state of chains: honest answers and blocks are accepted, everything else is refused with its reason.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;

use prooflight_avl::state::{empty_state, state_params, verify_block, verify_keys};
use prooflight_avl::{AvlProver, Digest, Operation, verify_batch};
use prooflight_core::chain::{ChainLimits, Header, StateOperation, operations_root, state_key};
use prooflight_core::{Error, Limits, Reason, Result, Scheme, Verified, blake2b256};

/// A state with its prover, and its expected content.
#[derive(Clone)]
struct State {
    prover: AvlProver,
    values: BTreeMap<Vec<u8>, Vec<u8>>,
}

/// A block with all inputs of its verifier.
#[derive(Clone)]
struct Block {
    before: Digest,
    header: Header,
    operations: Vec<StateOperation>,
    proof: Vec<u8>,
}

const LIMITS: ChainLimits = ChainLimits { max_key: 8, max_value: 16, max_ops: 64 };

impl State {
    fn new() -> Self {
        let prover = AvlProver::new(state_params(&LIMITS)).unwrap();
        Self { prover, values: BTreeMap::new() }
    }

    /// Makes a block of operations, whether or not they are normalised.
    fn make(&mut self, operations: &[StateOperation]) -> Block {
        let before = self.prover.digest();
        let mut batch: Vec<_> =
            operations.iter().map(|operation| (state_key(operation.key()), operation)).collect();
        batch.sort_by_key(|(key, _)| *key);
        let batch: Vec<_> = batch.iter().map(|(key, operation)| of_batch(key, operation)).collect();
        let proof = self.prover.apply_batch(&batch).unwrap().proof;
        for operation in operations {
            match operation {
                StateOperation::Set { key, value } => {
                    self.values.insert(key.clone(), value.clone());
                }
                StateOperation::Delete { key } => {
                    self.values.remove(key);
                }
            }
        }
        let header = header(operations, &self.prover.digest());
        Block { before, header, operations: operations.to_vec(), proof }
    }

    fn prove(&self, keys: &[&[u8]]) -> Vec<u8> {
        let keys: Vec<_> = keys.iter().map(|key| state_key(key)).collect();
        let lookups: Vec<_> = keys.iter().map(|key| Operation::Lookup { key }).collect();
        self.prover.prove_batch(&lookups).unwrap().proof
    }

    fn answer(&self, keys: &[&[u8]], proof: &[u8]) -> Result<Vec<Option<Vec<u8>>>> {
        answer(&self.prover.digest(), keys, proof, &LIMITS)
    }
}

impl Block {
    fn verify(&self) -> Result<Digest> {
        self.verify_within(&LIMITS)
    }

    fn verify_within(&self, limits: &ChainLimits) -> Result<Digest> {
        verify_block(&self.before, &self.header, &self.operations, &self.proof, limits)
            .map(Verified::into_inner)
    }

    /// The same block with other operations that its header commits to.
    fn with(&self, operations: &[StateOperation]) -> Self {
        let mut block = Self { operations: operations.to_vec(), ..self.clone() };
        block.header.ops_root = operations_root(operations);
        block
    }
}

fn of_batch<'a>(key: &'a [u8; 32], operation: &'a StateOperation) -> Operation<'a> {
    match operation {
        StateOperation::Set { value, .. } => Operation::InsertOrUpdate { key, value },
        StateOperation::Delete { .. } => Operation::RemoveIfExists { key },
    }
}

fn header(operations: &[StateOperation], digest: &Digest) -> Header {
    Header {
        version: 1,
        chain: [1; 32],
        height: 7,
        parent: [2; 32],
        timestamp_ms: 3,
        ops_root: operations_root(operations),
        history_root: [4; 32],
        roots: vec![(Scheme::Avl.id(), digest.0.to_vec())],
    }
}

fn answer(
    digest: &Digest,
    keys: &[&[u8]],
    proof: &[u8],
    limits: &ChainLimits,
) -> Result<Vec<Option<Vec<u8>>>> {
    let values = verify_keys(&header(&[], digest), keys, proof, limits)?;
    Ok(values.iter().map(|value| value.map(<[u8]>::to_vec)).collect())
}

fn set(key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> StateOperation {
    StateOperation::Set { key: key.into(), value: value.into() }
}

fn delete(key: impl Into<Vec<u8>>) -> StateOperation {
    StateOperation::Delete { key: key.into() }
}

#[track_caller]
fn refused<T: core::fmt::Debug>(result: Result<T>, reason: Reason) -> Error {
    let error = result.unwrap_err();
    assert_eq!(error.reason(), reason, "{error}");
    error
}

/// A state of 40 keys, some of which were changed and deleted, and its last block.
fn state() -> (State, Block) {
    let mut state = State::new();
    let key = |n: u8| format!("key {n:02}");
    state.make(&(0..40).map(|n| set(key(n), [n; 3])).collect::<Vec<_>>());
    let mut operations = vec![set("", ""), delete(key(3)), set(key(4), "changed"), delete(key(31))];
    operations.push(set("z", "new"));
    let block = state.make(&operations);
    (state, block)
}

#[test]
fn blocks_lead_from_one_state_to_the_next_and_every_key_has_its_value() {
    let mut state = State::new();
    let mut seed = 0u64;
    let mut random = |n: u64| {
        seed += 1;
        let [a, b, ..] = blake2b256(&[&seed.to_be_bytes()]);
        u64::from(u16::from_be_bytes([a, b])) % n
    };
    let (mut present, mut absent) = (0, 0);
    for size in [0, 1, 2, 30, 0, 64, 50, 64, 64, 40] {
        let mut operations = BTreeMap::new();
        while operations.len() < size {
            let key = format!("{:x}", random(90)).into_bytes();
            let operation = if state.values.contains_key(&key) && random(2) == 0 {
                delete(key.clone())
            } else {
                set(key.clone(), vec![7; usize::try_from(random(17)).unwrap()])
            };
            operations.insert(key, operation);
        }
        let block = state.make(&operations.into_values().collect::<Vec<_>>());
        assert_eq!(block.verify(), Ok(state.prover.digest()));
        let keys: Vec<_> = (0..64).map(|n| format!("{n:x}").into_bytes()).collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let values: Vec<_> = keys.iter().map(|key| state.values.get(*key).cloned()).collect();
        present += values.iter().flatten().count();
        absent += values.len() - values.iter().flatten().count();
        assert_eq!(state.answer(&keys, &state.prove(&keys)), Ok(values));
    }
    assert!(present > 100 && absent > 100, "{present} values, {absent} absences");
}

#[test]
fn the_state_before_the_first_block_is_that_of_a_prover_without_keys() {
    assert_eq!(empty_state(), State::new().prover.digest());
}

#[test]
fn the_empty_key_and_the_empty_value_are_no_absence() {
    let (state, _) = state();
    let keys: [&[u8]; 3] = [b"", b"key 03", b""];
    let values = state.answer(&keys, &state.prove(&keys));
    assert_eq!(values, Ok(vec![Some(vec![]), None, Some(vec![])]));
    assert_eq!(state.answer(&[], &state.prove(&[])), Ok(vec![]));
}

#[test]
fn the_key_of_a_raw_key_is_its_hash_even_if_it_has_32_bytes() {
    let raw = [9; 32];
    assert_eq!(state_key(&raw), blake2b256(&[&raw]));
    // A dictionary that has the raw key itself.
    let mut prover = AvlProver::new(state_params(&LIMITS)).unwrap();
    let other = [state_key(&raw)[0] - 1; 32];
    for key in [raw, other] {
        prover.apply_batch(&[Operation::Insert { key: &key, value: b"1" }]).unwrap();
    }
    let proof = prover.prove_batch(&[Operation::Lookup { key: &raw }]).unwrap().proof;
    let limits = ChainLimits { max_key: 32, ..LIMITS };
    refused(answer(&prover.digest(), &[&raw], &proof, &limits), Reason::KeyNotInLeaf);
    let hash = state_key(&raw);
    let proof = prover.prove_batch(&[Operation::Lookup { key: &hash }]).unwrap().proof;
    assert_eq!(answer(&prover.digest(), &[&raw], &proof, &limits), Ok(vec![None]));
}

#[test]
fn an_answer_is_about_these_keys_in_this_order_and_this_state() {
    let (mut state, _) = state();
    let keys: [&[u8]; 3] = [b"key 04", b"key 05", b"absent"];
    let proof = state.prove(&keys);
    assert_eq!(state.answer(&keys, &proof).unwrap()[0], Some(b"changed".to_vec()));
    for others in [
        &[keys[1], keys[0], keys[2]][..],
        &[keys[0], keys[1], b"Absent"],
        &[keys[0], b"key 06", keys[2]],
        &keys[..2],
        &[keys[0], keys[1], keys[2], keys[2]],
    ] {
        assert!(state.answer(others, &proof).is_err(), "{others:?}");
    }
    state.make(&[set("key 39", "other")]);
    refused(state.answer(&keys, &proof), Reason::RootMismatch);
}

#[test]
fn a_damaged_answer_is_refused_as_the_batch_of_its_lookups() {
    let (state, _) = state();
    let digest = state.prover.digest();
    let keys: [&[u8]; 4] = [b"key 04", b"", b"absent", b"key 04"];
    let hashes = keys.map(state_key);
    let lookups = hashes.each_ref().map(|key| Operation::Lookup { key });
    let proof = state.prove(&keys);
    let bits = (0..8 * proof.len()).map(|bit| {
        let mut damaged = proof.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        damaged
    });
    let cuts = (0..proof.len()).map(|length| proof[..length].to_vec());
    let mut reasons = BTreeMap::new();
    for damaged in bits.chain(cuts).chain([[&proof[..], &[0]].concat()]) {
        let batch = verify_batch(&digest, &lookups, &damaged, &state_params(&LIMITS));
        let error = batch.map(drop).unwrap_err();
        assert_eq!(state.answer(&keys, &damaged).unwrap_err(), error);
        *reasons.entry(error.reason().as_str()).or_insert(0) += 1;
    }
    for reason in [Reason::DirectionsLeftOver, Reason::NodeNotExpanded, Reason::RootMismatch] {
        assert!(reasons.contains_key(reason.as_str()), "{reasons:?}");
    }
}

#[test]
fn keys_and_values_are_within_the_limits_of_the_chain() {
    let (state, _) = state();
    let digest = state.prover.digest();
    let keys: [&[u8]; 2] = [b"key 04", b"key 05"];
    let proof = state.prove(&keys);
    let within = |max_key, max_value, max_ops| {
        answer(&digest, &keys, &proof, &ChainLimits { max_key, max_value, max_ops })
    };
    assert!(within(6, 7, 2).is_ok());
    refused(within(5, 7, 2), Reason::KeyLength);
    refused(within(6, 6, 2), Reason::ValueTooLarge);
    refused(within(6, 7, 1), Reason::TooManyOperations);
    assert!(within(u16::MAX, u32::MAX, u32::MAX).is_ok());
    let error = refused(state.answer(&[&[0; 9]], &proof), Reason::KeyLength);
    assert_eq!((error.expected(), error.found()), ("at most 8 bytes", "9 bytes"));
}

#[test]
fn no_chain_raises_the_default_number_of_keys_or_size_of_a_proof() {
    let (state, _) = state();
    let digest = state.prover.digest();
    let largest = ChainLimits { max_key: u16::MAX, max_value: u32::MAX, max_ops: u32::MAX };
    let hash = state_key(b"z");
    let mut prover = AvlProver::new(state_params(&largest)).unwrap();
    prover.apply_batch(&[Operation::Insert { key: &hash, value: b"1" }]).unwrap();
    let ask = |count: usize| {
        let lookups = vec![Operation::Lookup { key: &hash }; count];
        let proof = prover.prove_batch(&lookups).unwrap().proof;
        answer(&prover.digest(), &vec![&b"z"[..]; count], &proof, &largest)
    };
    let most = Limits::DEFAULT.max_keys;
    assert_eq!(ask(most), Ok(vec![Some(b"1".to_vec()); most]));
    refused(ask(most + 1), Reason::TooManyOperations);
    let large = vec![0; Limits::DEFAULT.max_proof_bytes + 1];
    refused(answer(&digest, &[b"z"], &large, &largest), Reason::ProofTooLarge);
}

#[test]
fn every_bit_of_an_answer_matters() {
    let (state, _) = state();
    let keys: [&[u8]; 2] = [b"key 04", b"absent"];
    every_bit(&state.prove(&keys), |proof| state.answer(&keys, proof).is_ok());
    let digest = state.prover.digest();
    let proof = state.prove(&keys);
    every_bit(&digest.0, |bytes| {
        let digest = Digest::try_from(bytes);
        digest.is_ok_and(|digest| answer(&digest, &keys, &proof, &LIMITS).is_ok())
    });
}

#[test]
fn every_bit_of_a_block_matters() {
    let (_, block) = state();
    every_bit(&block.proof, |proof| {
        Block { proof: proof.to_vec(), ..block.clone() }.verify().is_ok()
    });
    every_bit(&block.before.0, |digest| {
        let before = Digest::try_from(digest);
        before.is_ok_and(|before| Block { before, ..block.clone() }.verify().is_ok())
    });
    every_bit(&block.header.ops_root, |root| {
        let Ok(ops_root) = root.try_into() else { return false };
        let header = Header { ops_root, ..block.header.clone() };
        Block { header, ..block.clone() }.verify().is_ok()
    });
    every_bit(&block.header.roots[0].1, |root| {
        let mut block = block.clone();
        block.header.roots[0].1 = root.to_vec();
        block.verify().is_ok()
    });
}

/// Accepted bytes must be refused with a bit flipped, a byte less or a byte more.
#[track_caller]
fn every_bit(bytes: &[u8], accepts: impl Fn(&[u8]) -> bool) {
    assert!(accepts(bytes));
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(!accepts(&flipped), "bit {bit}");
    }
    for end in 0..bytes.len() {
        assert!(!accepts(&bytes[..end]), "{end} bytes");
    }
    assert!(!accepts(&[bytes, &[0]].concat()), "a byte more");
}

#[test]
fn operations_are_those_that_the_header_commits_to() {
    let (_, block) = state();
    for (at, operation) in block.operations.iter().enumerate() {
        let mut without = block.operations.clone();
        without.remove(at);
        let mut other = block.operations.clone();
        other[at] = match operation {
            StateOperation::Set { key, .. } => delete(key.clone()),
            StateOperation::Delete { key } => set(key.clone(), ""),
        };
        for operations in [without, other] {
            let changed = Block { operations: operations.clone(), ..block.clone() };
            refused(changed.verify(), Reason::OperationsMismatch);
            // The header commits to them, but the proof is for other operations.
            assert!(block.with(&operations).verify().is_err(), "{operations:?}");
        }
    }
}

#[test]
fn operations_have_the_form_of_a_block() {
    let (mut state, block) = state();
    let mut swapped = block.operations.clone();
    swapped.swap(1, 2);
    refused(block.with(&swapped).verify(), Reason::InvalidBlock);
    for twice in [
        [set("a", "1"), set("a", "1")],
        [set("a", "1"), delete("a")],
        [set("b", "1"), set("a", "1")],
    ] {
        refused(state.clone().make(&twice).verify(), Reason::InvalidBlock);
    }
    let block = state.make(&[delete("key 00"), set("key 01", "4444"), set("key 02", "1")]);
    let within = |max_key, max_value, max_ops| {
        block.verify_within(&ChainLimits { max_key, max_value, max_ops })
    };
    assert!(within(6, 4, 3).is_ok());
    refused(within(5, 4, 3), Reason::InvalidBlock);
    refused(within(6, 3, 3), Reason::InvalidBlock);
    refused(within(6, 4, 2), Reason::InvalidBlock);
    // The old values of the keys have 3 bytes, and come from the proof.
    let block = state.make(&[set("key 05", "1")]);
    refused(block.verify_within(&ChainLimits { max_value: 2, ..LIMITS }), Reason::ValueTooLarge);
}

#[test]
fn a_delete_finds_a_value() {
    let (mut state, block) = state();
    let deletes = state.clone().make(&[delete("a"), set("key 05", "1")]);
    let error = refused(deletes.verify(), Reason::KeyAbsent);
    assert!(error.expected().contains("0x61"), "it names the raw key: {error}");
    // A key that an earlier block deleted.
    let again = state.make(&[block.operations[1].clone()]);
    refused(again.verify(), Reason::KeyAbsent);
}

#[test]
fn the_header_has_the_state_that_follows() {
    let (_, block) = state();
    let mut other = block.clone();
    other.header.roots[0].1 = block.before.0.to_vec();
    refused(other.verify(), Reason::StateRootMismatch);
    let mut none = block.clone();
    none.header.roots = vec![(Scheme::Smt.id(), vec![0; 32])];
    refused(none.verify(), Reason::WrongSchemes);
    let other = Block { before: block.verify().unwrap(), ..block };
    refused(other.verify(), Reason::RootMismatch);
}
