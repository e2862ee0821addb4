//! The fuzz target; a panic is a finding.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use prooflight_amb::prover::{AmbState, PageSize};
use prooflight_amb::{
    CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion, TrustedRoot,
    UPDATE_LIMITS, UpdatePart, verify, verify_count, verify_history, verify_range, verify_transfer,
    verify_update,
};
use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore as _};
use prooflight_core::{Code, Error, Limits, PastState, Reason};

use crate::replay::FuzzTarget;
use crate::smt::draw::mutate;

/// The targets, by name.
pub const TARGETS: [(&str, FuzzTarget); 1] = [("amb_proof", amb_proof)];

type OptionalValue = Option<Vec<u8>>;

/// Keys with their versions.
type KeyVersions = BTreeMap<Vec<u8>, Vec<(u64, OptionalValue)>>;

/// Verifies proofs of every kind: changed ones, those of other questions, and arbitrary bytes.
pub fn amb_proof(u: &mut Unstructured<'_>) -> Result<()> {
    let chain = FuzzChain::draw(u)?;
    let (asked, other) = (FuzzQuery::draw(u, &chain)?, FuzzQuery::draw(u, &chain)?);
    if u.ratio(1, 8)? {
        let length = u.arbitrary_len::<u8>()?;
        asked.judge(&chain, &[&[1, 6, asked.kind()], u.bytes(length)?].concat());
        return Ok(());
    }
    let honest = asked.prove(&chain);
    assert_eq!(asked.judge(&chain, &honest), None, "{asked:?}");
    let mut changed = if u.ratio(1, 4)? { other.prove(&chain) } else { honest };
    if let Some(kind) = changed.get_mut(2) {
        *kind = asked.kind();
    }
    for _ in 0..u.int_in_range(0..=3)? {
        mutate(u, &mut changed)?;
    }
    asked.judge(&chain, &changed);
    Ok(())
}

/// A short chain over few keys, with a dictionary of all versions.
struct FuzzChain {
    state: AmbState<MemoryStore>,
    root: TrustedRoot,
    versions: KeyVersions,
}

impl FuzzChain {
    fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        let mut state = AmbState::open(MemoryStore::default(), ()).unwrap();
        let mut versions = KeyVersions::new();
        for height in 0..u.int_in_range(1..=8)? {
            let operations = operations(u, &versions)?;
            state.apply(&changes(&operations)).unwrap();
            for (key, value) in operations {
                versions.entry(key).or_default().push((height, value));
            }
        }
        let root = *state.prover().unwrap().root();
        Ok(Self { state, root, versions })
    }

    fn answer((block, value): &(u64, OptionalValue)) -> PastState<'_> {
        match value {
            Some(value) => PastState::Present { value, since: *block },
            None => PastState::Deleted { deleted_at: *block },
        }
    }

    fn of(&self, key: &[u8]) -> &[(u64, OptionalValue)] {
        self.versions.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    fn at(&self, key: &[u8], block: u64) -> PastState<'_> {
        let version = self.of(key).iter().rfind(|(at, _)| *at <= block);
        version.map_or(PastState::NeverWritten, Self::answer)
    }

    /// The keys of a range with their versions.
    fn inside<'c>(
        &'c self,
        lo: &'c [u8],
        hi: Option<&'c [u8]>,
    ) -> impl Iterator<Item = (&'c Vec<u8>, &'c [(u64, OptionalValue)])> {
        let is_inside = move |key: &[u8]| lo <= key && hi.is_none_or(|hi| key < hi);
        let entries = self.versions.iter().filter(move |(key, _)| is_inside(key));
        entries.map(|(key, versions)| (key, versions.as_slice()))
    }
}

#[derive(Debug)]
enum FuzzQuery {
    Get { keys: Vec<Vec<u8>>, at: u64 },
    Hist { keys: Vec<Vec<u8>>, from: u64, to: u64 },
    Range { lo: Vec<u8>, hi: Option<Vec<u8>>, at: u64, reverse: bool, entries: usize },
    Count { lo: Vec<u8>, hi: Option<Vec<u8>> },
    Transfer { lo: Vec<u8>, hi: Option<Vec<u8>>, after: Option<u64>, entries: usize },
    Update { operations: Vec<(Vec<u8>, OptionalValue)> },
}

impl FuzzQuery {
    fn draw(u: &mut Unstructured<'_>, chain: &FuzzChain) -> Result<Self> {
        let keys = (0..u.int_in_range(1..=4)?).map(|_| key(u)).collect::<Result<Vec<_>>>()?;
        let from = u.int_in_range(0..=chain.root.height)?;
        let to = u.int_in_range(from..=chain.root.height)?;
        let (lo, hi) = (key(u)?, key(u)?);
        let hi = (lo < hi).then_some(hi);
        let entries = u.int_in_range(1..=5)?;
        Ok(match u.int_in_range(1..=6)? {
            1 => Self::Get { keys, at: to },
            2 => Self::Hist { keys, from, to },
            3 => Self::Range { lo, hi, at: to, reverse: u.arbitrary()?, entries },
            4 => Self::Count { lo, hi },
            5 => Self::Transfer { lo, hi, after: u.arbitrary::<bool>()?.then_some(to), entries },
            _ => {
                let mut operations = operations(u, &chain.versions)?;
                operations.push((vec![0xff], Some(vec![])));
                Self::Update { operations }
            }
        })
    }

    const fn kind(&self) -> u8 {
        match self {
            Self::Get { .. } => 1,
            Self::Hist { .. } => 2,
            Self::Range { .. } => 3,
            Self::Count { .. } => 4,
            Self::Transfer { .. } => 5,
            Self::Update { .. } => 6,
        }
    }

    fn prove(&self, chain: &FuzzChain) -> Vec<u8> {
        let size = |entries: usize| PageSize { entries, ..PageSize::default() };
        let prover = chain.state.prover().unwrap();
        let proof = match self {
            Self::Get { keys, at } => prover.keys(&KeysQuestion { keys: &slices(keys), at: *at }),
            Self::Hist { keys, from, to } => {
                prover.history(&HistoryQuestion { keys: &slices(keys), from: *from, to: *to })
            }
            Self::Range { lo, hi, at, reverse, entries } => {
                let question = RangeQuestion { lo, hi: hi.as_deref(), at: *at, reverse: *reverse };
                prover.range(&question, size(*entries))
            }
            Self::Count { lo, hi } => prover.count(&CountQuestion { lo, hi: hi.as_deref() }),
            Self::Transfer { lo, hi, after, entries } => {
                let question = TransferQuestion { lo, hi: hi.as_deref(), after: *after };
                prover.transfer(&question, size(*entries))
            }
            Self::Update { operations } => {
                let keys: Vec<_> = operations.iter().map(|(key, _)| key.clone()).collect();
                prover.update(&slices(&keys))
            }
        };
        proof.expect("a proof")
    }

    /// Checks that a proof is refused or gives the true answer; returns the reason of a refusal.
    fn judge(&self, chain: &FuzzChain, proof: &[u8]) -> Option<Reason> {
        match self.accept(chain, proof) {
            Ok(()) => None,
            Err(error) => {
                let is_refusal = matches!(error.code(), Code::Malformed | Code::Mismatch);
                assert!(is_refusal, "{error}");
                Some(error.reason())
            }
        }
    }

    fn accept(&self, chain: &FuzzChain, proof: &[u8]) -> Result<(), Error> {
        let (root, limits) = (&chain.root, Limits::DEFAULT);
        match self {
            Self::Get { keys, at } => {
                let answers =
                    verify(root, &KeysQuestion { keys: &slices(keys), at: *at }, proof, &limits)?;
                let expected: Vec<_> = keys.iter().map(|key| chain.at(key, *at)).collect();
                assert_eq!(*answers, expected);
            }
            Self::Hist { keys, from, to } => {
                let question = HistoryQuestion { keys: &slices(keys), from: *from, to: *to };
                let histories = verify_history(root, &question, proof, &limits)?;
                for (key, history) in keys.iter().zip(histories.iter()) {
                    let before = chain.of(key).iter().rfind(|(at, _)| at < from);
                    let before = before.map_or(PastState::NeverWritten, FuzzChain::answer);
                    let inside = chain.of(key).iter().filter(|(at, _)| (from..=to).contains(&at));
                    assert_eq!(history.entering, Some(before));
                    assert!(history.changes.iter().copied().eq(inside.map(FuzzChain::answer)));
                }
            }
            Self::Range { lo, hi, at, reverse, .. } => {
                let question = RangeQuestion { lo, hi: hi.as_deref(), at: *at, reverse: *reverse };
                let page = verify_range(root, &question, proof, &limits)?.into_inner();
                let (first, end) = match (page.next, *reverse) {
                    (None, _) => (question.lo, question.hi),
                    (Some(next), false) => (question.lo, Some(next)),
                    (Some(next), true) => (next, question.hi),
                };
                let mut expected: Vec<_> = chain
                    .inside(first, end)
                    .map(|(key, _)| (key, chain.at(key, *at)))
                    .filter(|(_, answer)| answer.value().is_some())
                    .collect();
                if *reverse {
                    expected.reverse();
                }
                let found = page.entries.iter().map(|entry| {
                    (&entry.key, PastState::Present { value: entry.value, since: entry.since })
                });
                assert!(found.eq(expected), "{page:?}");
            }
            Self::Count { lo, hi } => {
                let count =
                    verify_count(root, &CountQuestion { lo, hi: hi.as_deref() }, proof, &limits)?;
                let inside = chain.inside(lo, hi.as_deref());
                let live = inside.filter(|(_, versions)| is_live(versions)).count();
                assert_eq!(*count, live as u64);
            }
            Self::Transfer { lo, hi, after, .. } => {
                let question = TransferQuestion { lo, hi: hi.as_deref(), after: *after };
                let page = verify_transfer(root, &question, proof, &limits)?.into_inner();
                let end = page.next.or(question.hi);
                let entries = chain.inside(lo, end).filter_map(|(key, versions)| {
                    let (block, value) = versions.last()?;
                    let is_asked = after.is_none_or(|after| *block > after);
                    let count = versions.len() as u64;
                    is_asked.then_some((key, count, *block, value.as_deref()))
                });
                let found = page
                    .entries
                    .iter()
                    .map(|entry| (&entry.key, entry.versions, entry.block, entry.value));
                assert!(found.eq(entries), "{page:?}");
            }
            Self::Update { operations } => {
                let keys: Vec<_> = operations.iter().map(|(key, _)| key.clone()).collect();
                let (keys, changes) = (slices(&keys), changes(operations));
                let part = UpdatePart { keys: &keys, proof };
                let next = verify_update(root, &changes, &[part], &UPDATE_LIMITS)?;
                assert_eq!(next.as_slice(), chain.state.prepare(&changes).unwrap().root);
            }
        }
        Ok(())
    }
}

fn is_live(versions: &[(u64, OptionalValue)]) -> bool {
    versions.last().is_some_and(|(_, value)| value.is_some())
}

fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}

fn changes(operations: &[(Vec<u8>, OptionalValue)]) -> Vec<RawKeyChange<'_>> {
    operations.iter().map(RawKeyChange::from).collect()
}

/// Draws the normalised operations of a block.
fn operations(
    u: &mut Unstructured<'_>,
    versions: &KeyVersions,
) -> Result<Vec<(Vec<u8>, OptionalValue)>> {
    let mut operations = BTreeMap::new();
    for _ in 0..u.int_in_range(0..=6)? {
        let key = key(u)?;
        let value = match u.int_in_range(0..=3)? {
            0 if versions.get(&key).is_some_and(|versions| is_live(versions)) => None,
            length => Some(vec![u.arbitrary()?; 16 * length]),
        };
        operations.insert(key, value);
    }
    Ok(operations.into_iter().collect())
}

/// Draws a short key; many are prefixes of others.
fn key(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let length = u.int_in_range(0..=3)?;
    (0..length).map(|_| u.choose(&[0, 1, 7, 0x80]).copied()).collect()
}
