//! The state as an execution sees it: proven, with overrides, and with gaps.

use alloc::vec::Vec;
use core::convert::Infallible;

use prooflight_core::{Hash, keccak256};
use prooflight_ethereum::{BlobParams, verify_blob_fee};
use prooflight_mpt::{Account, Address, EMPTY_CODE_HASH, EMPTY_ROOT, Word};
use revm::primitives::{B256, U256};
use revm::state::{AccountInfo, Bytecode};

use crate::fork::Fork;
use crate::missing::StateKeys;
use crate::overrides::{AccountOverride, Overrides, StorageOverride};
use crate::proven_state::{ProvenState, bytecode};
use crate::sorted::SortedMap;

/// The contract that stores the hashes of older blocks, since Prague (EIP-2935).
const HISTORY_CONTRACT: Address = [
    0x00, 0x00, 0xf9, 0x08, 0x27, 0xf1, 0xc5, 0x3a, 0x10, 0xcb, 0x7a, 0x02, 0x33, 0x5b, 0x17, 0x53,
    0x20, 0x00, 0x29, 0x35,
];

/// The number of hashes that it stores.
const HISTORY_WINDOW_BLOCKS: u64 = 8191;

/// The state that an execution reads.
///
/// What is missing is noted and read as nothing or zero.
#[derive(Debug)]
pub(crate) struct StateView<'a> {
    state: &'a ProvenState,
    overrides: &'a SortedMap<Address, AccountOverride>,
    override_codes: SortedMap<Hash, Bytecode>,
    /// What accounts sent and got without being read.
    unread: Vec<UnreadAccount>,
    code_owners: SortedMap<Hash, Address>,
    /// How far the base fee of blob gas is known.
    pub(crate) blob_fee: BlobFee,
    /// What was read and proven.
    pub(crate) reads: StateKeys,
    /// What was read and not proven.
    pub(crate) missing: StateKeys,
}

/// What an account sent and got without being read.
#[derive(Clone, Copy, Debug, Default)]
struct UnreadAccount {
    address: Address,
    /// The calls that it sent.
    calls: u64,
    /// The fees that it got, in wei.
    fees: U256,
}

/// How far the base fee of blob gas is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BlobFee {
    /// The caller has given it, or none is asked for.
    Given,
    /// It follows from the header, if that has these parameters, which its parent shows; they may be unknown.
    OfHeader(Option<BlobParams>),
}

/// The base fee of blob gas does not follow from the header.
#[derive(Debug)]
pub(crate) struct UnknownBlobFee;

impl<'a> StateView<'a> {
    pub(crate) fn new(state: &'a ProvenState, overrides: &'a Overrides) -> Self {
        let mut override_codes = SortedMap::default();
        for code in overrides.accounts.iter().filter_map(|(_, account)| account.code.as_deref()) {
            override_codes.insert(keccak256(&[code]), bytecode(code));
        }
        Self {
            state,
            overrides: &overrides.accounts,
            override_codes,
            unread: Vec::new(),
            code_owners: SortedMap::default(),
            blob_fee: BlobFee::Given,
            reads: StateKeys::default(),
            missing: StateKeys::default(),
        }
    }

    /// Whether something was missing.
    pub(crate) fn has_gap(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Counts a call of an account that is not read.
    pub(crate) fn raise_unread_nonce(&mut self, address: Address) {
        self.unread(address).calls += 1;
    }

    /// Adds a fee to the balance of an account that is not read.
    pub(crate) fn add_unread_fee(&mut self, address: Address, fee: U256) {
        let unread = self.unread(address);
        unread.fees = unread.fees.saturating_add(fee);
    }

    fn unread(&mut self, address: Address) -> &mut UnreadAccount {
        let known = self.unread.iter().position(|unread| unread.address == address);
        let index = known.unwrap_or(self.unread.len());
        if known.is_none() {
            self.unread.push(UnreadAccount { address, ..UnreadAccount::default() });
        }
        &mut self.unread[index]
    }

    /// Whether the proven account has slots: then no contract can be created there (EIP-7610).
    pub(crate) fn has_slots(&mut self, address: &Address) -> bool {
        let proven = self.proven_account(address);
        proven.is_some_and(|account| account.storage_root != EMPTY_ROOT)
    }

    /// Checks that the base fee of blob gas follows from the header.
    pub(crate) fn check_blob_fee(&mut self) -> Result<(), UnknownBlobFee> {
        let params = match self.blob_fee {
            BlobFee::Given => return Ok(()),
            BlobFee::OfHeader(params) => params.ok_or(UnknownBlobFee)?,
        };
        let header = self.state.header();
        let number = header.number.checked_sub(1).ok_or(UnknownBlobFee)?;
        let parent = self.state.ancestor(&header.parent_hash);
        self.keys(parent.is_none()).ancestors.insert(number);
        let Some(parent) = parent else { return Ok(()) };
        verify_blob_fee(header, parent, &params).map(|_| ()).map_err(|_| UnknownBlobFee)
    }

    /// The keys of what was read: of what is missing, or of what is proven.
    const fn keys(&mut self, is_missing: bool) -> &mut StateKeys {
        if is_missing { &mut self.missing } else { &mut self.reads }
    }

    /// Whether an account is likely one to which only a gap led: a slot that is missing reads as the zero address.
    fn is_guess(&self, address: &Address) -> bool {
        *address == Address::default() && self.has_gap()
    }

    /// A proven account; `None` if it is absent, or missing.
    fn proven_account(&mut self, address: &Address) -> Option<Account> {
        let proven = self.state.account(address);
        if proven.is_none() && self.is_guess(address) {
            return None;
        }
        self.keys(proven.is_none()).slots(*address);
        proven.and_then(|proven| proven.account)
    }

    /// An account; zeros if it is missing.
    pub(crate) fn account(&mut self, address: &Address) -> Option<AccountInfo> {
        let changes = self.overrides.get(address);
        let is_complete = changes.is_some_and(|changes| {
            changes.nonce.is_some() && changes.balance.is_some() && changes.code.is_some()
        });
        let proven = if is_complete { None } else { self.proven_account(address) };
        let unread = self.unread.iter().find(|unread| unread.address == *address).copied();
        if proven.is_none() && changes.is_none() && unread.is_none() {
            return None;
        }
        let unread = unread.unwrap_or_default();
        let nothing = Account {
            nonce: 0,
            balance: Word::default(),
            storage_root: EMPTY_ROOT,
            code_hash: EMPTY_CODE_HASH,
        };
        let mut account = proven.unwrap_or(nothing);
        if let Some(changes) = changes {
            account.nonce = changes.nonce.unwrap_or(account.nonce);
            account.balance = changes.balance.unwrap_or(account.balance);
            let code_hash = changes.code.as_deref().map(|code| keccak256(&[code]));
            account.code_hash = code_hash.unwrap_or(account.code_hash);
        }
        self.code_owners.insert(account.code_hash, *address);
        Some(AccountInfo {
            balance: U256::from_be_bytes(account.balance).saturating_add(unread.fees),
            nonce: account.nonce.saturating_add(unread.calls),
            code_hash: B256::new(account.code_hash),
            account_id: None,
            code: None,
        })
    }

    fn code(&mut self, hash: &Hash) -> Bytecode {
        if let Some(code) = self.override_codes.get(hash) {
            return code.clone();
        }
        let code = self.state.code(hash);
        let owner = self.code_owners.get(hash).copied().unwrap_or_default();
        self.keys(code.is_none()).codes.insert(*hash, owner);
        code.unwrap_or_default()
    }

    pub(crate) fn slot(&mut self, address: &Address, slot: Word) -> Word {
        match self.overrides.get(address).map(|changes| &changes.storage) {
            Some(StorageOverride::All(slots)) => slots.get(&slot).copied().unwrap_or_default(),
            Some(StorageOverride::Some(slots)) => match slots.get(&slot) {
                Some(value) => *value,
                None => self.proven_slot(address, slot),
            },
            _ => self.proven_slot(address, slot),
        }
    }

    fn proven_slot(&mut self, address: &Address, slot: Word) -> Word {
        let value = self.state.slot(address, &slot);
        if value.is_none() && self.is_guess(address) {
            return Word::default();
        }
        self.keys(value.is_none()).slots(*address).insert(slot);
        value.unwrap_or_default()
    }

    /// The hash of a block before the state's own; zero for others.
    fn block_hash(&mut self, number: u64) -> Hash {
        let header = self.state.header();
        let Some(age) = header.number.checked_sub(number).filter(|age| *age > 0) else {
            return Hash::default();
        };
        if age == 1 {
            return header.parent_hash;
        }
        if self.state.fork() >= Fork::Prague && age <= HISTORY_WINDOW_BLOCKS {
            let slot = U256::from(number % HISTORY_WINDOW_BLOCKS).to_be_bytes();
            let hash = self.proven_slot(&HISTORY_CONTRACT, slot);
            let is_proven = self.state.slot(&HISTORY_CONTRACT, &slot).is_some();
            // A zero is that of a block from before the contract.
            if hash != Hash::default() || !is_proven {
                return hash;
            }
        }
        match self.state.ancestor_hash(number) {
            Ok(hash) => {
                self.reads.ancestors.extend(number + 1..header.number);
                hash
            }
            Err(missing) => {
                self.missing.ancestors.extend(missing);
                Hash::default()
            }
        }
    }
}

impl revm::Database for StateView<'_> {
    type Error = Infallible;

    fn basic(
        &mut self,
        address: revm::primitives::Address,
    ) -> Result<Option<AccountInfo>, Infallible> {
        Ok(self.account(&address.into_array()))
    }

    fn code_by_hash(&mut self, code_hash: B256) -> Result<Bytecode, Infallible> {
        Ok(self.code(&code_hash.0))
    }

    fn storage(
        &mut self,
        address: revm::primitives::Address,
        index: U256,
    ) -> Result<U256, Infallible> {
        Ok(U256::from_be_bytes(self.slot(&address.into_array(), index.to_be_bytes())))
    }

    fn block_hash(&mut self, number: u64) -> Result<B256, Infallible> {
        Ok(B256::new(self.block_hash(number)))
    }
}
