//! A small state of Ethereum's shape, and a server that answers about it honestly.

use prooflight_core::keccak256;
use serde_json::to_value;

use super::trie::{Rlp, Trie, string};
use crate::carrier::{Address, Hash32, Hex, Word};
use crate::mpt::{EthGetProof, Response, ResponseSlot};

/// The hash of the code of an account without code.
pub(super) const EMPTY_CODE: [u8; 32] = prooflight_mpt::EMPTY_CODE_HASH;

/// A contract with slots.
pub(super) const CONTRACT: Address = Address([0xc0; 20]);
/// Another contract, with other slots.
pub(super) const OTHER_CONTRACT: Address = Address([0xc1; 20]);
/// An account without code and slots.
pub(super) const PLAIN: Address = Address([0xee; 20]);
/// An account that does not exist.
pub(super) const NOBODY: Address = Address([0xab; 20]);

/// The storage of an account.
#[derive(Clone, Debug, Default)]
pub(super) struct Storage(Trie);

impl Storage {
    /// Slots with the values of the storage trie, which are the RLP of integers in an honest one.
    pub(super) fn of_values(slots: &[(Word, Vec<u8>)]) -> Self {
        Self(Trie::new(slots.iter().map(|(slot, value)| (keccak256(&[&slot.0]), value))))
    }

    pub(super) fn new(slots: &[(Word, Word)]) -> Self {
        let value = |word: &Word| integer(*word).encode();
        let slots: Vec<_> = slots.iter().map(|(slot, word)| (*slot, value(word))).collect();
        Self::of_values(&slots)
    }

    pub(super) fn root(&self) -> [u8; 32] {
        self.0.root()
    }

    pub(super) fn proof(&self, slot: Word) -> Vec<Hex> {
        self.0.prove(&keccak256(&[&slot.0])).1.into_iter().map(Hex).collect()
    }
}

/// An account and its storage.
#[derive(Clone, Debug)]
pub(super) struct State {
    accounts: Vec<(Address, Account)>,
}

#[derive(Clone, Debug)]
pub(super) struct Account {
    /// The fields of the account's value.
    pub(super) fields: Vec<Rlp>,
    pub(super) nonce: Word,
    pub(super) balance: Word,
    pub(super) code_hash: [u8; 32],
    pub(super) storage: Storage,
}

impl Account {
    pub(super) fn new(nonce: u64, balance: u64, code: &[u8], storage: Storage) -> Self {
        let (nonce, balance) = (word(nonce), word(balance));
        let code_hash = keccak256(&[code]);
        let fields =
            vec![integer(nonce), integer(balance), string(storage.root()), string(code_hash)];
        Self { fields, nonce, balance, code_hash, storage }
    }
}

pub(super) fn word(number: u64) -> Word {
    let mut bytes = [0; 32];
    bytes[24..].copy_from_slice(&number.to_be_bytes());
    Word(bytes)
}

/// A number of 256 bits: its first byte and its last one.
pub(super) fn large(first: u8, last: u8) -> Word {
    let mut bytes = [0; 32];
    (bytes[0], bytes[31]) = (first, last);
    Word(bytes)
}

fn integer(word: Word) -> Rlp {
    string(word.0.iter().copied().skip_while(|&byte| byte == 0).collect::<Vec<_>>())
}

/// The slots of [`CONTRACT`].
pub(super) fn slots() -> Vec<(Word, Word)> {
    let mut slots: Vec<_> = (0..9).map(|n| (word(n), word(0x100 * n + 0x7f))).collect();
    slots.push((large(0xff, 0x01), large(0xff, 0xff)));
    slots.push((large(0, 0x80), word(1)));
    slots
}

pub(super) fn contract() -> Account {
    Account::new(1, 0, b"code", Storage::new(&slots()))
}

impl State {
    /// A few accounts, among them those above.
    pub(super) fn new() -> Self {
        let other = Storage::new(&[(word(0), word(5)), (word(1), word(6)), (word(3), word(7))]);
        let mut accounts = vec![
            (CONTRACT, contract()),
            (OTHER_CONTRACT, Account::new(7, 1_000_000_007, b"other code", other)),
            (PLAIN, Account::new(u64::MAX, u64::MAX, &[], Storage::default())),
        ];
        accounts.extend(
            (1..12).map(|n| {
                (Address([n; 20]), Account::new(n.into(), 0x1000, &[], Storage::default()))
            }),
        );
        Self { accounts }
    }

    /// The state with another account in the place of one.
    pub(super) fn with(mut self, address: Address, account: Account) -> Self {
        self.accounts.retain(|(other, _)| *other != address);
        self.accounts.push((address, account));
        self
    }

    /// The state with another value for an account, whatever it encodes.
    fn trie(&self) -> Trie {
        Trie::new(self.accounts.iter().map(|(address, account)| {
            (keccak256(&[&address.0]), Rlp::List(account.fields.clone()).encode())
        }))
    }

    pub(super) fn account(&self, address: Address) -> Option<&Account> {
        self.accounts.iter().find(|(other, _)| *other == address).map(|(_, account)| account)
    }

    /// What an honest server answers.
    pub(super) fn answer(&self, address: Address, slots: &[Word]) -> Response {
        let account = self.account(address);
        let storage = account.map(|account| account.storage.clone()).unwrap_or_default();
        let value = |slot: Word| {
            let of_contract = address == CONTRACT;
            let found = self::slots().into_iter().find(|(other, _)| of_contract && *other == slot);
            found.map_or(word(0), |(_, value)| value)
        };
        let storage_proof = slots.iter().map(|&key| ResponseSlot {
            key,
            value: value(key),
            proof: storage.proof(key),
        });
        Response {
            address,
            account_proof: {
                let (_, proof) = self.trie().prove(&keccak256(&[&address.0]));
                proof.into_iter().map(Hex).collect()
            },
            balance: account.map_or(word(0), |account| account.balance),
            code_hash: Hash32(account.map_or(EMPTY_CODE, |account| account.code_hash)),
            nonce: account.map_or(word(0), |account| account.nonce),
            storage_hash: Hash32(storage.root()),
            storage_proof: storage_proof.collect(),
        }
    }

    /// A question, and the honest answer to it.
    pub(super) fn input(&self, address: Address, slots: &[Word]) -> EthGetProof {
        self.with_answer(address, slots, &self.answer(address, slots))
    }

    pub(super) fn with_answer(
        &self,
        address: Address,
        slots: &[Word],
        response: &Response,
    ) -> EthGetProof {
        EthGetProof {
            state_root: Hash32(self.trie().root()),
            address,
            slots: slots.to_vec(),
            response: to_value(response).expect("answers are plain data"),
            limits: None,
        }
    }
}
