//! The state as an execution sees it: proven, with overrides, and with gaps.

use alloc::collections::BTreeMap;
use core::convert::Infallible;

use prooflight_core::{Hash, keccak256};
use prooflight_mpt::{Account, Address, EMPTY_CODE_HASH, EMPTY_ROOT, Word};
use revm::primitives::{B256, U256};
use revm::state::{AccountInfo, Bytecode};

use crate::fork::Fork;
use crate::missing::Missing;
use crate::overrides::{AccountOverride, Overrides, StorageOverride};
use crate::proven_state::{ProvenState, bytecode};

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
    overrides: &'a BTreeMap<Address, AccountOverride>,
    override_codes: BTreeMap<Hash, Bytecode>,
    /// The calls that accounts sent without being read.
    unread_nonces: BTreeMap<Address, u64>,
    /// The fees that the coinbase got without being read.
    unread_fees: BTreeMap<Address, U256>,
    code_owners: BTreeMap<Hash, Address>,
    missing: Missing,
    has_gap: bool,
}

impl<'a> StateView<'a> {
    pub(crate) fn new(state: &'a ProvenState, overrides: &'a Overrides) -> Self {
        let codes = overrides.accounts.values().filter_map(|account| account.code.as_deref());
        Self {
            state,
            overrides: &overrides.accounts,
            override_codes: codes.map(|code| (keccak256(&[code]), bytecode(code))).collect(),
            unread_nonces: BTreeMap::new(),
            unread_fees: BTreeMap::new(),
            code_owners: BTreeMap::new(),
            missing: Missing::default(),
            has_gap: false,
        }
    }

    /// Whether something was missing.
    pub(crate) const fn has_gap(&self) -> bool {
        self.has_gap
    }

    /// What was missing.
    pub(crate) fn take_missing(&mut self) -> Missing {
        core::mem::take(&mut self.missing)
    }

    /// Counts a call of an account that is not read.
    pub(crate) fn raise_unread_nonce(&mut self, address: Address) {
        *self.unread_nonces.entry(address).or_default() += 1;
    }

    /// Adds a fee to the balance of an account that is not read.
    pub(crate) fn add_unread_fee(&mut self, address: Address, fee: U256) {
        let fees = self.unread_fees.entry(address).or_default();
        *fees = fees.saturating_add(fee);
    }

    /// Whether the proven account has slots: then no contract can be created there (EIP-7610).
    pub(crate) fn has_slots(&mut self, address: &Address) -> bool {
        let Some(proven) = self.state.account(address) else {
            self.missing.proofs.entry(*address).or_default();
            self.has_gap = true;
            return false;
        };
        proven.account.is_some_and(|account| account.storage_root != EMPTY_ROOT)
    }

    /// An account; zeros if it is missing.
    fn account(&mut self, address: &Address) -> Option<AccountInfo> {
        let changes = self.overrides.get(address);
        let proven = self.state.account(address);
        let is_complete = changes.is_some_and(|changes| {
            changes.nonce.is_some() && changes.balance.is_some() && changes.code.is_some()
        });
        if proven.is_none() && !is_complete {
            self.missing.proofs.entry(*address).or_default();
            self.has_gap = true;
        }
        let sent = self.unread_nonces.get(address);
        let fees = self.unread_fees.get(address);
        let proven = proven.and_then(|proven| proven.account);
        if proven.is_none() && changes.is_none() && sent.is_none() && fees.is_none() {
            return None;
        }
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
        let fees = fees.copied().unwrap_or_default();
        Some(AccountInfo {
            balance: U256::from_be_bytes(account.balance).saturating_add(fees),
            nonce: account.nonce.saturating_add(sent.copied().unwrap_or_default()),
            code_hash: B256::new(account.code_hash),
            account_id: None,
            code: None,
        })
    }

    fn code(&mut self, hash: &Hash) -> Bytecode {
        let known = self.override_codes.get(hash).cloned().or_else(|| self.state.code(hash));
        known.unwrap_or_else(|| {
            let owner = self.code_owners.get(hash).copied().unwrap_or_default();
            self.missing.codes.insert(*hash, owner);
            self.has_gap = true;
            Bytecode::default()
        })
    }

    fn slot(&mut self, address: &Address, slot: Word) -> Word {
        match self.overrides.get(address).map(|changes| &changes.storage) {
            Some(StorageOverride::All(slots)) => slots.get(&slot).copied().unwrap_or_default(),
            Some(StorageOverride::Some(slots)) if slots.contains_key(&slot) => slots[&slot],
            _ => self.proven_slot(address, slot),
        }
    }

    fn proven_slot(&mut self, address: &Address, slot: Word) -> Word {
        self.state.slot(address, &slot).unwrap_or_else(|| {
            self.missing.proofs.entry(*address).or_default().insert(slot);
            self.has_gap = true;
            Word::default()
        })
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
            match self.state.slot(&HISTORY_CONTRACT, &slot) {
                // A block from before the contract.
                Some(hash) if hash == Hash::default() => {}
                _ => return self.proven_slot(&HISTORY_CONTRACT, slot),
            }
        }
        self.state.ancestor_hash(number).unwrap_or_else(|missing| {
            self.missing.ancestors.extend(missing);
            self.has_gap = true;
            Hash::default()
        })
    }
}

/// An account, empty if it is absent; what is missing if it is not proven.
pub(crate) fn account_of(
    state: &ProvenState,
    overrides: &Overrides,
    address: &Address,
) -> Result<AccountInfo, Missing> {
    let mut view = StateView::new(state, overrides);
    let account = view.account(address).unwrap_or_default();
    if view.has_gap { Err(view.missing) } else { Ok(account) }
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
