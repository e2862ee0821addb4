//! A state with its content in maps, and a server that answers about it.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use prooflight_core::store::MemoryStore;
use prooflight_core::{Error, Hash, Limits};
use prooflight_mpt::{
    Account, Address, EMPTY_CODE_HASH, EMPTY_ROOT, GetProof, PersistentState, SlotProof,
    StateChange, Word, read_get_proof, verify_get_proof,
};

use super::honest::assert_is_refusal;
use super::slices;

/// An account: nonce, balance, code hash, slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HonestAccount {
    pub nonce: u64,
    pub balance: Word,
    pub code_hash: Hash,
    pub slots: BTreeMap<Word, Word>,
}

#[derive(Debug)]
pub struct HonestState {
    pub accounts: BTreeMap<Address, HonestAccount>,
    pub state: PersistentState<MemoryStore>,
}

/// An answer to `eth_getProof`, owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedAnswer {
    pub address: Address,
    pub nonce: u64,
    pub balance: Word,
    pub storage_hash: Hash,
    pub code_hash: Hash,
    pub account_proof: Vec<Vec<u8>>,
    pub slots: Vec<AnswerSlot>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerSlot {
    pub key: Word,
    pub value: Word,
    pub proof: Vec<Vec<u8>>,
}

/// A question with its honest answer.
#[derive(Clone, Debug)]
pub struct AnsweredQuestion {
    pub address: Address,
    pub slots: Vec<Word>,
    pub answer: OwnedAnswer,
}

pub fn word(number: u64) -> Word {
    let mut word = [0; 32];
    word[24..].copy_from_slice(&number.to_be_bytes());
    word
}

impl Default for HonestState {
    fn default() -> Self {
        let state = PersistentState::open(MemoryStore::default()).unwrap();
        Self { accounts: BTreeMap::new(), state }
    }
}

impl HonestState {
    pub fn draw(u: &mut Unstructured<'_>, batches: usize) -> Result<Self> {
        let mut honest = Self::default();
        for _ in 0..batches {
            let changes = honest.draw_changes(u)?;
            honest.apply(&changes);
        }
        Ok(honest)
    }

    /// Draws valid changes: slots are set only in accounts that exist by then.
    pub fn draw_changes(&self, u: &mut Unstructured<'_>) -> Result<Vec<StateChange>> {
        let mut exists = self.accounts.keys().copied().collect::<std::collections::BTreeSet<_>>();
        let mut changes = Vec::new();
        for _ in 0..u.int_in_range(0..=6)? {
            let address = draw_address(u)?;
            changes.push(if u.ratio(1, 4)? {
                exists.remove(&address);
                StateChange::DeleteAccount { address }
            } else {
                exists.insert(address);
                let code_hash = if u.arbitrary()? { EMPTY_CODE_HASH } else { [u.arbitrary()?; 32] };
                let nonce = u.int_in_range(0..=300)?;
                StateChange::SetAccount { address, nonce, balance: draw_word(u)?, code_hash }
            });
        }
        for _ in 0..u.int_in_range(0..=12)? {
            let (address, slot, value) = (draw_address(u)?, draw_slot(u)?, draw_word(u)?);
            if exists.contains(&address) || value == word(0) {
                changes.push(StateChange::SetSlot { address, slot, value });
            }
        }
        Ok(changes)
    }

    pub fn apply(&mut self, changes: &[StateChange]) {
        let root = self.state.apply(changes).unwrap();
        assert_eq!(root, self.state.root());
        for change in changes {
            match *change {
                StateChange::SetAccount { address, nonce, balance, code_hash } => {
                    let known = self.accounts.entry(address).or_default();
                    (known.nonce, known.balance, known.code_hash) = (nonce, balance, code_hash);
                }
                StateChange::DeleteAccount { address } => drop(self.accounts.remove(&address)),
                StateChange::SetSlot { address, slot, value } => {
                    let Some(known) = self.accounts.get_mut(&address) else { continue };
                    if value == word(0) {
                        known.slots.remove(&slot);
                    } else {
                        known.slots.insert(slot, value);
                    }
                }
            }
        }
    }

    pub fn draw_question(&self, u: &mut Unstructured<'_>) -> Result<AnsweredQuestion> {
        let address = draw_address(u)?;
        let count = u.int_in_range(0..=4)?;
        let slots = (0..count).map(|_| draw_slot(u)).collect::<Result<Vec<_>>>()?;
        Ok(self.ask(address, slots))
    }

    pub fn ask(&self, address: Address, slots: Vec<Word>) -> AnsweredQuestion {
        let proved = self.state.prove(&address, &slots).unwrap();
        let account = proved.account.unwrap_or(Account {
            nonce: 0,
            balance: word(0),
            storage_root: EMPTY_ROOT,
            code_hash: EMPTY_CODE_HASH,
        });
        let of_slot = |slot: prooflight_mpt::ProvedSlot| AnswerSlot {
            key: slot.key,
            value: slot.value,
            proof: slot.proof,
        };
        let answer = OwnedAnswer {
            address,
            nonce: account.nonce,
            balance: account.balance,
            storage_hash: account.storage_root,
            code_hash: account.code_hash,
            account_proof: proved.account_proof,
            slots: proved.storage.into_iter().map(of_slot).collect(),
        };
        AnsweredQuestion { address, slots, answer }
    }

    /// Verifies a canonical answer; an accepted one must be true.
    pub fn judge(&self, asked: &AnsweredQuestion) -> Result<(), Error> {
        self.judge_answer(asked, &asked.answer.as_sent())
    }

    /// Reads an answer and verifies the canonical one; an accepted one must be true.
    pub fn judge_sent(&self, asked: &AnsweredQuestion) -> Result<(), Error> {
        let mut answer = asked.answer.as_sent();
        read_get_proof(&asked.slots, &mut answer, &Limits::DEFAULT)?;
        self.judge_answer(asked, &answer)
    }

    fn judge_answer(&self, asked: &AnsweredQuestion, answer: &GetProof<'_>) -> Result<(), Error> {
        let (root, limits) = (self.state.root(), Limits::DEFAULT);
        let verified = verify_get_proof(&root, &asked.address, &asked.slots, answer, &limits)
            .inspect_err(assert_is_refusal)?;
        let known = self.accounts.get(&asked.address);
        let account = verified.account;
        let fields = |it: Account| (it.nonce, it.balance, it.code_hash);
        let of_known = |it: &HonestAccount| (it.nonce, it.balance, it.code_hash);
        assert_eq!(account.map(fields), known.map(of_known), "{asked:02x?}");
        let slot = |slot| known.and_then(|it| it.slots.get(slot)).copied().unwrap_or_default();
        let storage: Vec<_> = asked.slots.iter().map(slot).collect();
        assert_eq!(verified.storage, storage, "{asked:02x?}");
        Ok(())
    }
}

impl OwnedAnswer {
    /// The answer in the form that the reader and the verifier take.
    pub fn as_sent(&self) -> GetProof<'_> {
        GetProof {
            address: self.address,
            nonce: self.nonce,
            balance: self.balance,
            storage_hash: self.storage_hash,
            code_hash: self.code_hash,
            account_proof: slices(&self.account_proof),
            storage_proof: self.slots.iter().map(AnswerSlot::as_sent).collect(),
        }
    }

    /// The proofs of the account and of each slot.
    pub fn proofs_mut(&mut self) -> Vec<&mut Vec<Vec<u8>>> {
        let slots = self.slots.iter_mut().map(|slot| &mut slot.proof);
        core::iter::once(&mut self.account_proof).chain(slots).collect()
    }
}

impl AnswerSlot {
    fn as_sent(&self) -> SlotProof<'_> {
        SlotProof { key: self.key, value: self.value, proof: slices(&self.proof) }
    }
}

pub fn draw_address(u: &mut Unstructured<'_>) -> Result<Address> {
    Ok([u.int_in_range(0..=7)?; 20])
}

pub fn draw_slot(u: &mut Unstructured<'_>) -> Result<Word> {
    Ok(word(u.int_in_range(0..=11)?))
}

/// Draws a word that is mostly small, and sometimes zero.
pub fn draw_word(u: &mut Unstructured<'_>) -> Result<Word> {
    Ok(match u.int_in_range(0..=3)? {
        0 => word(0),
        1 => word(u.int_in_range(1..=0x7f)?),
        2 => word(u.arbitrary()?),
        _ => [u.arbitrary()?; 32],
    })
}
