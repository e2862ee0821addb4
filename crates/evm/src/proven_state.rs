//! What proofs have shown of a block's state.

use alloc::boxed::Box;
use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Limits, Reason, Result, Verified, keccak256};
use prooflight_ethereum::{BlockHeader, verify_block_header};
use prooflight_mpt::rlp::{self, RlpItem};
use prooflight_mpt::{
    Account, Address, EMPTY_CODE_HASH, EMPTY_ROOT, Word, read_proof, verify_account, verify_slot,
};
use revm::primitives::Bytes;
use revm::state::Bytecode;

use crate::fork::Fork;
use crate::network::{ExecutionNetwork, ForkEvidence};
use crate::sorted::SortedMap;

/// The number of fields before a header's difficulty.
const DIFFICULTY_FIELD: usize = 7;

/// A slot with the nodes of its proof, from the account's storage root on.
pub type SlotNodes<'a> = (Word, Vec<&'a [u8]>);

/// The part of a block's state that proofs have shown.
///
/// Everything is checked when it is added. The order of additions makes no difference, and nothing that is added changes
/// what was added before.
#[derive(Clone, Debug)]
pub struct ProvenState {
    header: Verified<BlockHeader>,
    network: ExecutionNetwork,
    fork: Fork,
    limits: Limits,
    accounts: SortedMap<Address, ProvenAccount>,
    codes: SortedMap<Hash, Bytecode>,
    headers: SortedMap<Hash, Box<Verified<BlockHeader>>>,
}

/// An account, or its absence, with its proven slots.
#[derive(Clone, Debug)]
pub(crate) struct ProvenAccount {
    /// The account; `None` if it is absent.
    pub(crate) account: Option<Account>,
    slots: SortedMap<Word, Word>,
}

impl ProvenState {
    /// Starts from a block's header in RLP, whose hash the caller trusts.
    ///
    /// Errors are those of [`verify_block_header`] and [`ExecutionNetwork::confirmed_fork`]; `unsupported_fork` for a block
    /// from before the merge, or whose header does not have the fields of its fork. The limits hold for each proof, code
    /// and header that is added.
    pub fn new(
        block_hash: &Hash,
        header_rlp: &[u8],
        network: &ExecutionNetwork,
        evidence: ForkEvidence,
        limits: &Limits,
    ) -> Result<Self> {
        let header = verify_block_header(block_hash, header_rlp, limits)?;
        check_merged(header_rlp)?;
        let fork = network.confirmed_fork(header.timestamp, evidence)?;
        check_fields(&header, fork)?;
        Ok(Self {
            header,
            network: network.clone(),
            fork,
            limits: *limits,
            accounts: SortedMap::default(),
            codes: SortedMap::default(),
            headers: SortedMap::default(),
        })
    }

    /// Adds an account, or its absence, with some of its slots, from `eth_getProof` as servers send it.
    ///
    /// The values that the server states beside its proofs are not needed: they follow from the proofs. Errors are those
    /// of [`verify_account`] and [`verify_slot`].
    pub fn add_proof(
        &mut self,
        address: &Address,
        account_proof: &[&[u8]],
        slots: &[SlotNodes<'_>],
    ) -> Result<()> {
        let limits = self.limits;
        limits.check_keys(slots.len())?;
        let proof = read_proof(&keccak256(&[address]), account_proof, &limits);
        let account = *verify_account(&self.header.state_root, address, &proof, &limits)?;
        let storage_root = account.map_or(EMPTY_ROOT, |account| account.storage_root);
        let mut values = Vec::with_capacity(slots.len());
        for (slot, nodes) in slots {
            // Servers send nothing for the slots of accounts that have none.
            let value = if storage_root == EMPTY_ROOT && nodes.is_empty() {
                Word::default()
            } else {
                let proof = read_proof(&keccak256(&[slot]), nodes, &limits);
                verify_slot(&storage_root, slot, &proof, &limits)?.unwrap_or_default()
            };
            values.push((*slot, value));
        }
        let slots = SortedMap::default();
        let proven = self.accounts.get_or_insert(*address, ProvenAccount { account, slots });
        for (slot, value) in values {
            proven.slots.insert(slot, value);
        }
        Ok(())
    }

    /// Adds a code; returns its hash, which decides whose it is, so that any bytes may be added.
    ///
    /// `proof_too_large` if it is larger than the limit of proofs.
    pub fn add_code(&mut self, code: &[u8]) -> Result<Hash> {
        self.limits.check_proof(code.len())?;
        let hash = keccak256(&[code]);
        if self.codes.get(&hash).is_none() {
            self.codes.insert(hash, bytecode(code));
        }
        Ok(hash)
    }

    /// Adds the header of an older block, in RLP. Its hash decides which block it is.
    ///
    /// Errors are those of [`verify_block_header`].
    pub fn add_ancestor(&mut self, header_rlp: &[u8]) -> Result<()> {
        let hash = keccak256(&[header_rlp]);
        let header = verify_block_header(&hash, header_rlp, &self.limits)?;
        self.headers.insert(hash, Box::new(header));
        Ok(())
    }

    /// The header.
    pub const fn header(&self) -> &Verified<BlockHeader> {
        &self.header
    }

    /// The fork that the block was confirmed to be of.
    pub const fn fork(&self) -> Fork {
        self.fork
    }

    /// The network.
    pub const fn network(&self) -> &ExecutionNetwork {
        &self.network
    }

    /// What is proven of an account; `None` if nothing is.
    pub(crate) fn account(&self, address: &Address) -> Option<&ProvenAccount> {
        self.accounts.get(address)
    }

    /// The value of a slot; `None` if it is not proven.
    pub(crate) fn slot(&self, address: &Address, slot: &Word) -> Option<Word> {
        let proven = self.accounts.get(address)?;
        let is_empty = proven.account.is_none_or(|account| account.storage_root == EMPTY_ROOT);
        if is_empty { Some(Word::default()) } else { proven.slots.get(slot).copied() }
    }

    /// The code with this hash; `None` if it was not added.
    pub(crate) fn code(&self, hash: &Hash) -> Option<Bytecode> {
        if *hash == EMPTY_CODE_HASH {
            return Some(Bytecode::default());
        }
        self.codes.get(hash).cloned()
    }

    /// The header of an older block that was added.
    pub(crate) fn ancestor(&self, hash: &Hash) -> Option<&Verified<BlockHeader>> {
        self.headers.get(hash).map(|header| &**header)
    }

    /// The hash of an older block by the headers that were added; the numbers of those that are missing otherwise.
    ///
    /// `number` is below the block's own.
    pub(crate) fn ancestor_hash(
        &self,
        number: u64,
    ) -> core::result::Result<Hash, core::ops::Range<u64>> {
        let mut hash = self.header.parent_hash;
        let mut known = self.header.number.saturating_sub(1);
        while known > number {
            let Some(header) = self.headers.get(&hash) else { return Err(number + 1..known + 1) };
            (hash, known) = (header.parent_hash, known - 1);
        }
        Ok(hash)
    }
}

/// Checks that a header has no difficulty: every block since the merge has none, and every one before it has some.
fn check_merged(header_rlp: &[u8]) -> Result<()> {
    if let RlpItem::List(payload) = rlp::decode(header_rlp)? {
        let mut fields = rlp::items(payload);
        for _ in 0..DIFFICULTY_FIELD {
            fields.take()?;
        }
        if fields.take()? == RlpItem::String(&[]) {
            return Ok(());
        }
    }
    Err(Error::new(Reason::UnsupportedFork, "a block since the merge", "one with a difficulty"))
}

/// Checks that a header has the fields of a fork: a wrong schedule, or a wrong word of the caller, may be noticed by that.
fn check_fields(header: &BlockHeader, fork: Fork) -> Result<()> {
    let fields = [
        (Fork::Shanghai, header.withdrawals_root.is_some()),
        (Fork::Cancun, header.excess_blob_gas.is_some()),
        (Fork::Prague, header.requests_hash.is_some()),
    ];
    for (since, has_field) in fields {
        if has_field != (fork >= since) {
            let expected = format_args!("a header with the fields of {fork:?}");
            let found = if has_field { "one with later fields" } else { "one without all of them" };
            return Err(Error::new(Reason::UnsupportedFork, expected, found));
        }
    }
    Ok(())
}

/// The code that an account with these bytes runs.
pub(crate) fn bytecode(code: &[u8]) -> Bytecode {
    let bytes = Bytes::copy_from_slice(code);
    // Only delegations have another form, and those that are none are code.
    Bytecode::new_raw_checked(bytes.clone()).unwrap_or_else(|_| Bytecode::new_legacy(bytes))
}
