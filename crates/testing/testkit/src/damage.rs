//! Damages the records of a store, one at a time. No root, value or proof may ever be wrong: the damage is either
//! detected or in a record that was not needed.

use std::collections::BTreeMap;

use prooflight_core::store::{MemoryStore, ReadStore, Store, StoreEntry, WriteBatch};
use prooflight_core::{Reason, Result};

/// The records of a store, ascending.
pub type Records = Vec<StoreEntry>;

/// All records of a store.
pub fn records(store: &MemoryStore) -> Records {
    store.range(&[], &[0xff]).map(Result::unwrap).collect()
}

/// Another content of a record; `None`: it is lost.
pub type Damage = Option<Vec<u8>>;

/// The other contents that a record had at some times.
pub fn older_copies(kept: &[Records], key: &[u8], value: &[u8]) -> Vec<Damage> {
    let of_time = |then: &Records| {
        let at = then.binary_search_by(|(other, _)| other[..].cmp(key)).ok()?;
        Some(then[at].1.clone())
    };
    let mut copies: Vec<_> = kept.iter().filter_map(of_time).collect();
    copies.retain(|copy| copy != value);
    copies.dedup();
    copies.into_iter().map(Some).collect()
}

/// The records that a store had at some times, and has no more.
pub fn deleted(kept: &[Records], store: &MemoryStore) -> Records {
    let all: BTreeMap<_, _> = kept.iter().flatten().cloned().collect();
    all.into_iter().filter(|(key, _)| store.get(key).unwrap().is_none()).collect()
}

/// The outcome of damaging each record of one kind.
#[derive(Debug, Default)]
pub struct DamageReport {
    /// Records whose damage some question detected.
    pub found: usize,
    /// Records that no question needed.
    pub unneeded: usize,
}

/// Damages each of these records of a store in turn, as `damages` says, and asks the damaged store.
///
/// Returns the outcome for each kind of record, which the first byte of its key says. Panics if an answer is neither
/// that of the whole store nor a refusal of a corrupt one.
pub fn damage_each<const QUESTIONS: usize>(
    store: &MemoryStore,
    of: &Records,
    ask: impl Fn(&MemoryStore) -> [Result<Vec<u8>>; QUESTIONS],
    mut damages: impl FnMut(&[u8], &[u8]) -> Vec<Damage>,
) -> BTreeMap<char, DamageReport> {
    let expected = ask(store);
    for answer in &expected {
        answer.as_ref().unwrap();
    }
    let mut kinds: BTreeMap<char, DamageReport> = BTreeMap::new();
    for (key, value) in of {
        for damage in damages(key, value) {
            let (mut damaged, mut batch) = (store.clone(), WriteBatch::new());
            match &damage {
                Some(value) => batch.put(key.clone(), value.clone()),
                None => batch.delete(key.clone()),
            }
            damaged.write(batch).unwrap();
            let mut is_found = false;
            for (number, (answer, expected)) in ask(&damaged).iter().zip(&expected).enumerate() {
                match answer {
                    Err(error) if error.reason() == Reason::StoreCorrupt => is_found = true,
                    answer => assert_eq!(answer, expected, "{number}: {key:02x?} {damage:02x?}"),
                }
            }
            let found = kinds.entry(char::from(key[0])).or_default();
            *(if is_found { &mut found.found } else { &mut found.unneeded }) += 1;
        }
    }
    println!("{kinds:?}");
    kinds
}
