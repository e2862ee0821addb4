//! Whole states, from which a stand-in for a server proves what an execution asks for, and the fuzz target.

pub mod targets;

use std::collections::BTreeMap;

use prooflight_core::store::MemoryStore;
use prooflight_core::{Hash, Limits, Result, keccak256};
use prooflight_ethereum::BlobParams;
use prooflight_evm::{
    BlobStart, ExecutionNetwork, Fork, ForkEvidence, ForkStart, ProvenState, StateKeys, Step,
};
use prooflight_mpt::encode::{integer, list, string};
use prooflight_mpt::{Address, PersistentState, ProvedAccount, StateChange, Word};

/// An account of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WholeAccount {
    pub nonce: u64,
    pub balance: Word,
    pub code: Vec<u8>,
    pub slots: BTreeMap<Word, Word>,
}

/// A whole state as a trie, with all codes.
pub struct WholeState {
    trie: PersistentState<MemoryStore>,
    codes: BTreeMap<Address, Vec<u8>>,
    /// Headers of older blocks, by their numbers.
    pub headers: BTreeMap<u64, Vec<u8>>,
}

impl WholeState {
    pub fn new(accounts: &BTreeMap<Address, WholeAccount>) -> Self {
        let mut changes = Vec::new();
        for (&address, account) in accounts {
            let WholeAccount { nonce, balance, code, slots } = account;
            let code_hash = keccak256(&[code]);
            let (nonce, balance) = (*nonce, *balance);
            changes.push(StateChange::SetAccount { address, nonce, balance, code_hash });
            let slots = slots.iter().map(|(&slot, &value)| (address, slot, value));
            changes.extend(slots.map(|(address, slot, value)| StateChange::SetSlot {
                address,
                slot,
                value,
            }));
        }
        let mut trie = PersistentState::open(MemoryStore::default()).unwrap();
        trie.apply(&changes).unwrap();
        let codes = accounts.iter().map(|(address, account)| (*address, account.code.clone()));
        Self { trie, codes: codes.collect(), headers: BTreeMap::new() }
    }

    pub fn root(&self) -> Hash {
        self.trie.root()
    }

    /// Adds proofs of what is missing; the number of accounts, slots and codes that were added.
    pub fn serve(&self, missing: &StateKeys, state: &mut ProvenState) -> usize {
        let mut served = 0;
        for (address, slots) in missing.proofs.iter() {
            self.prove(address, slots, state).unwrap();
            served += 1 + slots.len();
        }
        for (_, address) in missing.codes.iter() {
            state.add_code(&self.codes[address]).unwrap();
            served += 1;
        }
        for number in missing.ancestors.iter() {
            state.add_ancestor(&self.headers[number]).unwrap();
            served += 1;
        }
        served
    }

    /// The proof of an account and some of its slots.
    pub fn proof(&self, address: &Address, slots: &[Word]) -> ProvedAccount {
        self.trie.prove(address, slots).unwrap()
    }

    /// Adds the proof of an account and some of its slots.
    pub fn prove(&self, address: &Address, slots: &[Word], state: &mut ProvenState) -> Result<()> {
        let proved = self.proof(address, slots);
        let nodes = |proof: &'_ [Vec<u8>]| -> Vec<Vec<u8>> { proof.to_vec() };
        let account = nodes(&proved.account_proof);
        let account: Vec<&[u8]> = account.iter().map(Vec::as_slice).collect();
        let slots: Vec<_> = proved
            .storage
            .iter()
            .map(|slot| (slot.key, slot.proof.iter().map(Vec::as_slice).collect()))
            .collect();
        state.add_proof(address, &account, &slots)
    }

    /// Adds everything: all accounts, slots and codes.
    pub fn prove_all(&self, accounts: &BTreeMap<Address, WholeAccount>, state: &mut ProvenState) {
        for (address, account) in accounts {
            let slots: Vec<_> = account.slots.keys().copied().collect();
            self.prove(address, &slots, state).unwrap();
            state.add_code(&account.code).unwrap();
        }
    }
}

/// The most rounds of one execution in tests.
const MAX_ROUNDS: usize = 3_000;

/// Executes until nothing is missing; also the number of rounds that brought something.
pub fn complete<T>(
    whole: &WholeState,
    state: &mut ProvenState,
    mut execute: impl FnMut(&ProvenState) -> Result<Step<T>>,
) -> Result<(T, usize)> {
    for round in 0..MAX_ROUNDS {
        match execute(state)? {
            Step::Done { result, .. } => return Ok((result.into_inner(), round)),
            Step::Missing(missing) => {
                assert!(whole.serve(&missing, state) > 0, "{missing:?}");
            }
        }
    }
    panic!("not done after {MAX_ROUNDS} rounds");
}

/// The fields of a header that executions read.
#[derive(Clone, Debug, Default)]
pub struct HeaderFields {
    pub parent_hash: Hash,
    pub coinbase: Address,
    pub number: u64,
    pub gas_limit: u64,
    pub timestamp: u64,
    pub prev_randao: Hash,
    pub base_fee: u64,
    pub excess_blob_gas: Option<u64>,
}

/// A header in RLP, with its hash.
pub fn header(fields: &HeaderFields, state_root: &Hash, fork: Fork) -> (Hash, Vec<u8>) {
    let int = |number: u64| integer(&number.to_be_bytes());
    let empty = [0x11; 32];
    let mut items = vec![
        string(&fields.parent_hash),
        string(&empty),
        string(&fields.coinbase),
        string(state_root),
        string(&empty),
        string(&empty),
        string(&[0; 256]),
        int(0),
        int(fields.number),
        int(fields.gas_limit),
        int(0),
        int(fields.timestamp),
        string(&[]),
        string(&fields.prev_randao),
        string(&[0; 8]),
        int(fields.base_fee),
    ];
    if fork >= Fork::Shanghai {
        items.push(string(&empty));
    }
    if fork >= Fork::Cancun {
        items.extend([int(0), int(fields.excess_blob_gas.unwrap_or_default()), string(&empty)]);
    }
    if fork >= Fork::Prague {
        items.push(string(&empty));
    }
    let rlp = list(&items);
    (keccak256(&[&rlp]), rlp)
}

/// A network with one fork from the beginning.
pub fn network_of(chain_id: u64, fork: Fork) -> ExecutionNetwork {
    let update_fraction = if fork >= Fork::Prague { 5_007_716 } else { 3_338_477 };
    let params =
        BlobParams { target: 6, max: 9, update_fraction, has_reserve: fork >= Fork::Osaka };
    let start = ForkStart { timestamp: 0, fork, beacon_version: [0; 4] };
    ExecutionNetwork::new(chain_id, vec![start], vec![BlobStart { timestamp: 0, params }], None)
        .unwrap()
}

/// A state of which nothing but the header is proven.
pub fn unproven(header: &(Hash, Vec<u8>), network: &ExecutionNetwork, fork: Fork) -> ProvenState {
    let evidence = ForkEvidence::Named(fork);
    ProvenState::new(&header.0, &header.1, network, evidence, &Limits::DEFAULT).unwrap()
}
