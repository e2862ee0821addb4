//! An Ethereum state in a store: accounts, and the storage of each.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use prooflight_core::store::{ReadStore, Store, corrupt, root_at};
use prooflight_core::{Error, Hash, Hex, Reason, Result, keccak256};

use super::node::{ChildLink, OverlayRoot, StoredNode, root_hash};
use super::overlay::Overlay;
use super::persistent::{PersistentTrie, PreparedTrie};
use super::record::TrieRoot;
use super::trie::{TrieValue, nibbles};
use crate::account::{Account, Address, Word, decode_slot};
use crate::encode;
use crate::hash::EMPTY_ROOT;

/// A change of one account or slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateChange {
    /// Sets an account; its storage is unchanged.
    SetAccount {
        /// The account's address.
        address: Address,
        /// The number of transactions it has sent.
        nonce: u64,
        /// Its balance.
        balance: Word,
        /// The hash of its code.
        code_hash: Hash,
    },
    /// Removes an account with its storage, if the account exists.
    DeleteAccount {
        /// The account's address.
        address: Address,
    },
    /// Sets a slot of an existing account; zero removes the slot.
    SetSlot {
        /// The account's address.
        address: Address,
        /// The slot.
        slot: Word,
        /// Its new value.
        value: Word,
    },
}

/// A state. Every revision stays in the store until it is pruned.
///
/// Its roots are Ethereum's for the same accounts and slots. Revisions work as in
/// [`PersistentTrie`]: 0 is empty, and each batch of changes creates the next.
#[derive(Debug)]
pub struct PersistentState<S> {
    accounts: PersistentTrie<S>,
}

impl<S: Store> PersistentState<S> {
    /// Opens the newest revision in a store; an empty store becomes an empty state.
    pub fn open(store: S) -> Result<Self> {
        PersistentTrie::open(store).map(|accounts| Self { accounts })
    }

    /// Returns the newest revision.
    pub const fn revision(&self) -> u64 {
        self.accounts.revision()
    }

    /// Returns the oldest kept revision.
    pub const fn oldest_revision(&self) -> u64 {
        self.accounts.oldest_revision()
    }

    /// Returns the state root of the newest revision.
    pub fn root(&self) -> Hash {
        self.accounts.root()
    }

    /// Proves an account and some of its slots in the newest revision.
    pub fn prove(&self, address: &Address, slots: &[Word]) -> Result<ProvedAccount> {
        prove(self.accounts.store(), self.accounts.newest_root(), address, slots)
    }

    /// Writes the next revision, and switches to it once it is written: all or nothing.
    pub fn apply(&mut self, changes: &[StateChange]) -> Result<Hash> {
        let mut prepared = self.prepare(changes)?;
        self.accounts.write(&mut prepared)?;
        self.commit(&prepared)
    }

    /// Computes what to write for the next revision, without changing anything.
    ///
    /// Accounts are changed first, then slots, both in the given order. `account_missing` if a slot
    /// is set to a value while its account does not exist.
    pub fn prepare(&self, changes: &[StateChange]) -> Result<PreparedTrie> {
        self.accounts.prepare_with(|overlay, root| {
            let mut accounts = ChildLink::from(root);
            let mut storages = BTreeMap::<_, Vec<_>>::new();
            for change in changes {
                match *change {
                    StateChange::SetAccount { address, nonce, balance, code_hash } => {
                        let storage_root = EMPTY_ROOT;
                        let account = Account { nonce, balance, storage_root, code_hash };
                        accounts = overlay.set_account(accounts, &address, account)?;
                    }
                    StateChange::DeleteAccount { address } => {
                        accounts = overlay.delete_account(accounts, &address)?;
                    }
                    StateChange::SetSlot { address, slot, value } => {
                        storages.entry(address).or_default().push((slot, value));
                    }
                }
            }
            for (address, slots) in storages {
                accounts = overlay.set_slots(accounts, &address, &slots)?;
            }
            Ok(overlay.seal(accounts))
        })
    }

    /// Switches to a prepared revision whose writes are in the store; returns its state root.
    ///
    /// `invalid_argument` unless it was prepared on top of the newest revision.
    pub fn commit(&mut self, prepared: &PreparedTrie) -> Result<Hash> {
        self.accounts.commit(prepared)
    }

    /// Removes the revisions before `oldest`, and the nodes that only they used.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.accounts.prune(oldest)
    }

    /// Returns the underlying store.
    pub(super) const fn store(&self) -> &S {
        self.accounts.store()
    }

    /// Returns the store, with everything written.
    pub fn into_store(self) -> S {
        self.accounts.into_store()
    }
}

/// An account and some of its slots, with their proofs: the contents of an honest `eth_getProof`
/// reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedAccount {
    /// The root of the state.
    pub state_root: Hash,
    /// The account; `None` if it does not exist.
    pub account: Option<Account>,
    /// The nodes from the state root down.
    pub account_proof: Vec<Vec<u8>>,
    /// The requested slots, in the order of the request.
    pub storage: Vec<ProvedSlot>,
}

/// A slot with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedSlot {
    /// The slot.
    pub key: Word,
    /// Its value; zero if absent.
    pub value: Word,
    /// The nodes from the account's storage root down.
    pub proof: Vec<Vec<u8>>,
}

/// Proves an account and some of its slots in a kept revision, reading only the nodes on their
/// paths.
///
/// `version_unavailable` if the revision is not kept.
pub fn prove_state_at<S: ReadStore + ?Sized>(
    store: &S,
    revision: u64,
    address: &Address,
    slots: &[Word],
) -> Result<ProvedAccount> {
    prove(store, root_at::<_, TrieRoot>(store, revision)?.0, address, slots)
}

fn prove<S: ReadStore + ?Sized>(
    store: &S,
    root: OverlayRoot,
    address: &Address,
    slots: &[Word],
) -> Result<ProvedAccount> {
    let overlay = Overlay::new(store, u64::MAX);
    let (value, account_proof) = overlay.prove(root, &keccak256(&[address]))?;
    let held = value.as_ref().map(AccountLeaf::read).transpose()?;
    let storage_root = held.and_then(|held| held.storage);
    let prove_slot = |key: &Word| {
        let (value, proof) = overlay.prove(storage_root, &keccak256(&[key]))?;
        let value = value.map(|value| decode_slot(&value.bytes)).transpose()?;
        Ok(ProvedSlot { key: *key, value: value.unwrap_or_default(), proof })
    };
    Ok(ProvedAccount {
        state_root: root_hash(root),
        account: held.map(|held| held.account),
        account_proof,
        storage: slots.iter().map(prove_slot).collect::<Result<_>>()?,
    })
}

/// An account as encoded in its leaf, and its storage.
#[derive(Clone, Copy)]
struct AccountLeaf {
    account: Account,
    storage: OverlayRoot,
}

impl AccountLeaf {
    fn read(value: &TrieValue) -> Result<Self> {
        let account = Account::decode(&value.bytes)?;
        let storage = value.below.map(|id| StoredNode { hash: account.storage_root, id });
        if storage.is_none() && account.storage_root != EMPTY_ROOT {
            return Err(corrupt("the id of an account's storage root", "none"));
        }
        Ok(Self { account, storage })
    }

    /// Encodes RLP([nonce, balance, storage root, code hash]).
    fn write(self) -> TrieValue {
        let bytes = encode::list(&[
            encode::integer(&self.account.nonce.to_be_bytes()),
            encode::integer(&self.account.balance),
            encode::string(&root_hash(self.storage)),
            encode::string(&self.account.code_hash),
        ]);
        TrieValue { bytes, below: self.storage.map(|storage| storage.id) }
    }
}

impl<S: ReadStore + ?Sized> Overlay<'_, S> {
    fn account(&self, accounts: &ChildLink, path: &[u8]) -> Result<Option<AccountLeaf>> {
        let value = self.find(accounts, path, &mut |_| {})?;
        value.as_ref().map(AccountLeaf::read).transpose()
    }

    fn set_account(
        &mut self,
        accounts: ChildLink,
        address: &Address,
        account: Account,
    ) -> Result<ChildLink> {
        let path = nibbles(&keccak256(&[address]));
        let held = self.account(&accounts, &path)?;
        let new = AccountLeaf { account, storage: held.and_then(|held| held.storage) };
        if held.is_some_and(|held| held.write() == new.write()) {
            return Ok(accounts);
        }
        self.insert(accounts, &path, new.write())
    }

    fn delete_account(&mut self, accounts: ChildLink, address: &Address) -> Result<ChildLink> {
        let path = nibbles(&keccak256(&[address]));
        let Some(held) = self.account(&accounts, &path)? else { return Ok(accounts) };
        self.remove_all(held.storage)?;
        self.remove(accounts, &path)
    }

    fn set_slots(
        &mut self,
        accounts: ChildLink,
        address: &Address,
        slots: &[(Word, Word)],
    ) -> Result<ChildLink> {
        let path = nibbles(&keccak256(&[address]));
        let Some(held) = self.account(&accounts, &path)? else {
            return match slots.iter().find(|(_, value)| *value != Word::default()) {
                None => Ok(accounts),
                Some((slot, _)) => Err(Error::new(
                    Reason::AccountMissing,
                    format_args!("the account {}", Hex(address)),
                    format_args!("only its slot {}", Hex(slot)),
                )),
            };
        };
        let mut storage = ChildLink::from(held.storage);
        for (slot, value) in slots {
            storage = self.set_slot(storage, slot, value)?;
        }
        let new = AccountLeaf { storage: self.seal(storage), ..held };
        if new.storage == held.storage {
            return Ok(accounts);
        }
        self.insert(accounts, &path, new.write())
    }

    fn set_slot(&mut self, storage: ChildLink, slot: &Word, value: &Word) -> Result<ChildLink> {
        let path = nibbles(&keccak256(&[slot]));
        let held = self.find(&storage, &path, &mut |_| {})?;
        if *value == Word::default() {
            return if held.is_some() { self.remove(storage, &path) } else { Ok(storage) };
        }
        let encoded = encode::integer(value);
        match held {
            Some(held) if held.bytes == encoded => Ok(storage),
            _ => self.insert(storage, &path, TrieValue { bytes: encoded, below: None }),
        }
    }
}
