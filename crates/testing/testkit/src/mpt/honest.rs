//! A trie with its entries in a map, and its honest proofs.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use prooflight_core::store::{MemoryStore, RawKeyChange};
use prooflight_core::{Code, Error, Limits, Verified};
use prooflight_mpt::{PersistentTrie, verify_proof};

use super::slices;

/// The kind of keys of a trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// 32 bytes, mostly with some nibbles in common.
    Hashed,
    /// Up to 4 bytes with few different nibbles, so that some are prefixes of others.
    Short,
}

impl KeyKind {
    pub const ALL: [Self; 2] = [Self::Hashed, Self::Short];

    pub fn draw(self, u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
        const KEY_BYTES: [u8; 6] = [0x00, 0x01, 0x10, 0x11, 0x12, 0xf0];
        let length = match self {
            Self::Hashed => 32,
            Self::Short => u.int_in_range(0..=4)?,
        };
        let drawn = match self {
            Self::Hashed => u.int_in_range(0..=3)?,
            Self::Short => length,
        };
        let mut key: Vec<u8> =
            (0..drawn).map(|_| u.choose(&KEY_BYTES).copied()).collect::<Result<_>>()?;
        let rest = prooflight_core::keccak256(&[&[u.arbitrary()?]]);
        key.extend(&rest[..length - drawn]);
        Ok(key)
    }
}

#[derive(Debug)]
pub struct HonestTrie {
    pub keys: KeyKind,
    pub entries: BTreeMap<Vec<u8>, Vec<u8>>,
    pub trie: PersistentTrie<MemoryStore>,
}

impl HonestTrie {
    pub fn new(keys: KeyKind) -> Self {
        let trie = PersistentTrie::open(MemoryStore::default()).unwrap();
        Self { keys, entries: BTreeMap::new(), trie }
    }

    pub fn draw(u: &mut Unstructured<'_>, most: usize) -> Result<Self> {
        let keys = *u.choose(&KeyKind::ALL)?;
        let mut honest = Self::new(keys);
        let mut entries = Vec::new();
        for _ in 0..u.int_in_range(0..=most)? {
            entries.push((keys.draw(u)?, Some(draw_value(u)?)));
        }
        honest.apply(&entries);
        Ok(honest)
    }

    /// Sets and deletes keys, in the trie and in the map.
    pub fn apply(&mut self, changes: &[(Vec<u8>, Option<Vec<u8>>)]) {
        let batch: Vec<_> = changes.iter().map(RawKeyChange::from).collect();
        self.trie.apply(&batch).unwrap();
        for (key, value) in changes {
            match value {
                Some(value) => self.entries.insert(key.clone(), value.clone()),
                None => self.entries.remove(key),
            };
        }
    }

    /// Draws a key of the trie, or a similar one.
    pub fn draw_key(&self, u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
        if self.entries.is_empty() || u.ratio(1, 3)? {
            return self.keys.draw(u);
        }
        let at = u.choose_index(self.entries.len())?;
        Ok(self.entries.keys().nth(at).unwrap().clone())
    }

    pub fn proof(&self, key: &[u8]) -> Vec<Vec<u8>> {
        let proved = self.trie.prove(key).unwrap();
        assert_eq!(proved.value.as_ref(), self.entries.get(key), "the prover's own value");
        proved.proof
    }

    /// Verifies a proof under the root; an accepted proof must be true, and the honest proof itself.
    pub fn judge(&self, key: &[u8], proof: &[Vec<u8>]) -> Result<(), Error> {
        let verified = verify_proof(&self.trie.root(), key, &slices(proof), &Limits::DEFAULT);
        match verified {
            Ok(value) => {
                assert_eq!(*value, self.entries.get(key).map(Vec::as_slice));
                let honest = self.proof(key);
                assert!(proof == honest || honest.is_empty() && proof == [[0x80]], "{proof:02x?}");
                Ok(())
            }
            Err(error) => {
                assert_is_refusal(&error);
                Err(error)
            }
        }
    }
}

pub fn draw_value(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let length = *u.choose(&[1, 1, 2, 20, 27, 28, 29, 31, 32, 33, 60])?;
    Ok(vec![u.arbitrary()?; length])
}

/// Checks that a refusal blames the proof.
pub fn assert_is_refusal(error: &Error) {
    assert!(matches!(error.code(), Code::Malformed | Code::Mismatch), "{error}");
}

/// The verified value or absence, as a plain option.
pub fn owned_value(verified: Verified<Option<&[u8]>>) -> Option<Vec<u8>> {
    verified.into_inner().map(<[u8]>::to_vec)
}
