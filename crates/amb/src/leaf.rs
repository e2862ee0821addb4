//! Reads a leaf: an entry, with the versions that the question needs.

use alloc::vec::Vec;
use core::iter;

use prooflight_core::merkle::{Blake2bTree, multiproof_root};
use prooflight_core::{Error, Hash, Hex, PastState, Reason, Result};

use crate::answers::{LeafAnswer, LeafKey, ProofAnswers, ReadLeaf};
use crate::hash::{EMPTY_PAST_ROOT, NodeRecord, past_root};
use crate::limits::MAX_KEY_BYTES;
use crate::path::Path;
use crate::proof::{LeafVersion, ProofStream};
use crate::query::{QueryKind, QueryLead, TreeQuery};

/// `leaf(p)` of the specification.
pub(crate) fn read_leaf<'q, 'a>(
    stream: &mut ProofStream<'a>,
    query: &TreeQuery<'q>,
    path: &Path,
    lead: QueryLead,
    found: &mut ProofAnswers<'a>,
) -> Result<ReadLeaf<'q, 'a>> {
    let key = read_key(stream, query, path, lead, found)?;
    let versions = stream.integer()?;
    let Some(n) = versions.checked_sub(1) else {
        return Err(Error::new(Reason::InvalidEncoding, "at least one version", 0));
    };
    let block = stream.block()?;
    let mut reader = VersionReader { stream, block, n };
    let (newest, past, shows) = match (&key, query.kind) {
        (LeafKey::Other(_), _) | (_, QueryKind::Count) => reader.hidden()?,
        (_, QueryKind::Get { at } | QueryKind::Range { at }) => reader.in_force(at)?,
        (_, QueryKind::Hist { from, to }) => reader.history(from, to, &mut found.changes)?,
        (_, QueryKind::Transfer { .. }) => reader.with_peaks(true)?,
        (_, QueryKind::Update) => reader.with_peaks(false)?,
    };
    let record = NodeRecord::entry(key.bytes(), versions, &newest.version, &past);
    Ok(ReadLeaf { key, versions, newest, shows, record })
}

/// Reads the key of the entry.
fn read_key<'q>(
    stream: &mut ProofStream<'_>,
    query: &TreeQuery<'q>,
    path: &Path,
    lead: QueryLead,
    found: &mut ProofAnswers<'_>,
) -> Result<LeafKey<'q>> {
    let QueryLead::Keys { start, end } = lead else {
        let key = read_other_key(stream, path)?;
        if !query.has(&key) {
            return Ok(LeafKey::Other(key));
        }
        if query.kind != QueryKind::Count {
            found.in_page += 1;
            stream.limits().check_entries(found.in_page)?;
        }
        return Ok(LeafKey::InPage(key));
    };
    let asked = query.keys.get(start..end).unwrap_or_default();
    match stream.integer()? {
        0 => {
            let key = read_other_key(stream, path)?;
            if asked.contains(&&*key) {
                let found = format_args!("the leaf of {}", Hex(&key));
                return Err(Error::new(Reason::LeafOfKey, "another key's leaf", found));
            }
            Ok(LeafKey::Other(key))
        }
        number => {
            let at = usize::try_from(number - 1).ok();
            let key = at.and_then(|at| Some((start + at, *asked.get(at)?)));
            let (index, key) = key.ok_or_else(|| {
                let expected = format_args!("one of {} keys", asked.len());
                Error::new(Reason::LeafIndex, expected, number)
            })?;
            Ok(LeafKey::Requested { index, key })
        }
    }
}

/// Reads a key; the path has its first whole bytes.
fn read_other_key(stream: &mut ProofStream<'_>, path: &Path) -> Result<Vec<u8>> {
    let length = stream.integer()?;
    let first = path.whole_bytes();
    if length > (MAX_KEY_BYTES - first.len()) as u64 {
        let expected = format_args!("at most {MAX_KEY_BYTES} bytes");
        return Err(Error::new(Reason::InvalidEncoding, expected, length));
    }
    let key = [first, stream.take(length)?].concat();
    if path.bits().begin(&key) {
        return Ok(key);
    }
    Err(Error::new(Reason::LeafOffPath, "a key that begins with the path to it", Hex(&key)))
}

/// Reads the versions of an entry: `n` past ones, and the newest one, written by `block`.
struct VersionReader<'s, 'a> {
    stream: &'s mut ProofStream<'a>,
    block: u64,
    n: u64,
}

/// The newest version, the root over the past ones, and what the leaf shows.
type VersionParts<'a> = (LeafVersion<'a>, Hash, LeafAnswer<'a>);

impl<'a> VersionReader<'_, 'a> {
    /// An entry that was not requested.
    fn hidden(&mut self) -> Result<VersionParts<'a>> {
        Ok((self.newest(false)?, self.past()?, LeafAnswer::None))
    }

    /// The version in force at a block.
    fn in_force(&mut self, at: u64) -> Result<VersionParts<'a>> {
        if self.block <= at {
            let newest = self.newest(true)?;
            return Ok((newest, self.past()?, LeafAnswer::State(newest.answer())));
        }
        let newest = self.newest(false)?;
        let mut answer = PastState::NeverWritten;
        if self.n == 0 {
            return Ok((newest, EMPTY_PAST_ROOT, LeafAnswer::State(answer)));
        }
        let m = self.stream.integer()?;
        if m > self.n {
            return Err(out_of_range(format_args!("at most {} versions", self.n), m));
        }
        let mut leaves = Vec::with_capacity(2);
        if let Some(in_force) = m.checked_sub(1) {
            let block = self.stream.block()?;
            check_version(block <= at, block)?;
            let shown = self.stream.version(block, true)?;
            answer = shown.answer();
            leaves.push((in_force, shown.version.past_leaf()));
        }
        if m < self.n {
            let block = self.stream.block()?;
            check_version(block > at, block)?;
            leaves.push((m, self.stream.version(block, false)?.version.past_leaf()));
        }
        Ok((newest, self.past_over(&leaves)?, LeafAnswer::State(answer)))
    }

    /// The versions in the blocks `from..=to`, and the one in force before; `changes` counts those of the proof.
    fn history(&mut self, from: u64, to: u64, changes: &mut u64) -> Result<VersionParts<'a>> {
        if self.block < from {
            let newest = self.newest(true)?;
            return Ok((newest, self.past()?, LeafAnswer::History(newest.answer(), Vec::new())));
        }
        let newest = self.newest(self.block <= to)?;
        let (mut entering, mut shown) = (PastState::NeverWritten, Vec::new());
        let past = if self.n == 0 {
            EMPTY_PAST_ROOT
        } else {
            self.window(from, to, changes, |block, answer| {
                if block < from {
                    entering = answer;
                } else if block <= to {
                    shown.push(answer);
                }
            })?
        };
        if self.block <= to {
            shown.push(newest.answer());
        }
        Ok((newest, past, LeafAnswer::History(entering, shown)))
    }

    /// The past versions from the one in force before `from` to the first one after `to`.
    fn window(
        &mut self,
        from: u64,
        to: u64,
        changes: &mut u64,
        mut visit: impl FnMut(u64, PastState<'a>),
    ) -> Result<Hash> {
        let [first, count] = [self.stream.integer()?, self.stream.integer()?];
        // Both are below 2^56.
        if count == 0 || first + count > self.n {
            let expected = format_args!("at least one of {} versions", self.n);
            return Err(out_of_range(expected, format_args!("{count} from {first} on")));
        }
        *changes = changes.saturating_add(count);
        self.stream.limits().check_changes(usize::try_from(*changes).unwrap_or(usize::MAX))?;
        let last = first + count - 1;
        let mut leaves = Vec::new();
        for number in first..=last {
            let block = self.stream.block()?;
            let is_after_entering =
                if number > first { block >= from } else { number == 0 || block < from };
            check_version(is_after_entering, block)?;
            let is_until_the_end =
                if number < last { block <= to } else { last + 1 == self.n || block > to };
            check_version(is_until_the_end, block)?;
            let shown = self.stream.version(block, block <= to)?;
            visit(block, shown.answer());
            leaves.push((number, shown.version.past_leaf()));
        }
        self.past_over(&leaves)
    }

    /// The newest version, and the roots of the perfect trees over the past ones.
    fn with_peaks(&mut self, is_shown: bool) -> Result<VersionParts<'a>> {
        let newest = self.newest(is_shown)?;
        let peaks = self.stream.peaks(self.n)?;
        Ok((newest, past_root(peaks, None), LeafAnswer::Peaks(peaks)))
    }

    fn newest(&mut self, is_shown: bool) -> Result<LeafVersion<'a>> {
        self.stream.version(self.block, is_shown)
    }

    /// The root over the past versions, given as a hash.
    fn past(&mut self) -> Result<Hash> {
        if self.n == 0 { Ok(EMPTY_PAST_ROOT) } else { self.stream.hash() }
    }

    /// The root over the past versions, from some of them and a list of hashes.
    fn past_over(&mut self, leaves: &[(u64, Hash)]) -> Result<Hash> {
        let mut missing = None;
        let mut next = || self.stream.hash().map_err(|error| missing = Some(error)).ok();
        let root = multiproof_root::<Blake2bTree>(leaves, self.n, &mut iter::from_fn(&mut next));
        root.map_err(|error| missing.unwrap_or(error))
    }
}

fn out_of_range(expected: impl core::fmt::Display, found: impl core::fmt::Display) -> Error {
    Error::new(Reason::IndexOutOfRange, expected, found)
}

/// Checks that the question needs this past version.
fn check_version(is_needed: bool, block: u64) -> Result<()> {
    if is_needed {
        return Ok(());
    }
    let found = format_args!("that of block {block}");
    Err(Error::new(Reason::WrongVersion, "another version", found))
}
