//! A small state of Ethereum's shape, and a server that answers about it honestly.

use prooflight_core::keccak256;
use prooflight_json::{Address, Hash32, Word};
use prooflight_testkit::mpt::rlp::Rlp;
use serde_json::to_value;

use super::trie::{EthTrie, string};
use crate::mpt::{EthGetProof, ProofResponse, ResponseSlot};

/// A contract with slots.
pub(super) const CONTRACT: Address = Address([0xc0; 20]);
/// Another contract, with other slots.
pub(super) const OTHER_CONTRACT: Address = Address([0xc1; 20]);
/// An account without code and slots.
pub(super) const PLAIN_ACCOUNT: Address = Address([0xee; 20]);

/// A few accounts.
pub(super) struct EthState {
    accounts: Vec<(Address, EthAccount)>,
}

pub(super) struct EthAccount {
    pub(super) nonce: Word,
    pub(super) balance: Word,
    pub(super) code_hash: [u8; 32],
    pub(super) storage: EthTrie,
    slots: Vec<(Word, Word)>,
}

impl EthAccount {
    fn new(nonce: u64, balance: u64, code: &[u8], slots: Vec<(Word, Word)>) -> Self {
        let entry =
            |(slot, value): &(Word, Word)| (keccak256(&[&slot.0]), integer(*value).encode());
        let storage = EthTrie::new(slots.iter().map(entry));
        let (nonce, balance) = (word(nonce), word(balance));
        Self { nonce, balance, code_hash: keccak256(&[code]), storage, slots }
    }

    fn value(&self) -> Vec<u8> {
        let Self { nonce, balance, .. } = *self;
        let hashes = [self.storage.root(), self.code_hash].map(string);
        Rlp::List([&[integer(nonce), integer(balance)], &hashes[..]].concat()).encode()
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

impl EthState {
    /// A few accounts, among them those above.
    pub(super) fn new() -> Self {
        let other = vec![(word(0), word(5)), (word(1), word(6)), (word(3), word(7))];
        let mut accounts = vec![
            (CONTRACT, EthAccount::new(1, 0, b"code", slots())),
            (OTHER_CONTRACT, EthAccount::new(7, 1_000_000_007, b"other code", other)),
            (PLAIN_ACCOUNT, EthAccount::new(u64::MAX, u64::MAX, &[], vec![])),
        ];
        let numbered = |n| (Address([n; 20]), EthAccount::new(n.into(), 0x1000, &[], vec![]));
        accounts.extend((1..12).map(numbered));
        Self { accounts }
    }

    pub(super) fn account(&self, address: Address) -> &EthAccount {
        let mut accounts = self.accounts.iter();
        &accounts.find(|(other, _)| *other == address).expect("it exists").1
    }

    /// A question, and the honest answer to it.
    pub(super) fn input(&self, address: Address, slots: &[Word]) -> EthGetProof {
        let accounts = self.accounts.iter();
        let trie =
            EthTrie::new(accounts.map(|(of, account)| (keccak256(&[&of.0]), account.value())));
        let account = self.account(address);
        let proof = |trie: &EthTrie, key: &[u8]| trie.prove(&keccak256(&[key]));
        let value = |slot| account.slots.iter().find(|(other, _)| *other == slot);
        let storage_proof = slots.iter().map(|&key| ResponseSlot {
            key,
            value: value(key).map_or(word(0), |(_, value)| *value),
            proof: proof(&account.storage, &key.0),
        });
        let response = ProofResponse {
            address,
            account_proof: proof(&trie, &address.0),
            balance: account.balance,
            code_hash: Hash32(account.code_hash),
            nonce: account.nonce,
            storage_hash: Hash32(account.storage.root()),
            storage_proof: storage_proof.collect(),
        };
        EthGetProof {
            state_root: Hash32(trie.root()),
            address,
            slots: slots.to_vec(),
            response: to_value(response).expect("answers are plain data"),
            limits: None,
        }
    }
}
