//! Proves the answers to all kinds of questions.

use alloc::vec::Vec;

use prooflight_core::store::ReadStore;
use prooflight_core::{Envelope, Error, Limits, Reason, Result, distinct};

use super::cutter::{PageCutter, PageSize};
use super::node::{NodeContent, StoredEntry, StoredNode};
use super::past::VersionContent;
use super::write::ProofWriter;
use crate::path::KeyBits;
use crate::proof::{
    COUNT_ENVELOPE, GET_ENVELOPE, HIST_ENVELOPE, RANGE_ENVELOPE, TRANSFER_ENVELOPE, UPDATE_ENVELOPE,
};
use crate::query::{QueryKind, QueryLead, TreeQuery};
use crate::question::{
    CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion, TrustedRoot,
    check_keys,
};

/// Proves from the state after a block, against its root.
///
/// Errors of all methods: those of the verifier for arguments, those of reading the store, and `request_too_large` for
/// a proof of more than 8 MiB.
#[derive(Debug)]
pub struct StateProver<'s, S: ?Sized> {
    root: TrustedRoot,
    top: StoredNode<'s, S>,
}

impl<'s, S: ReadStore + ?Sized> StateProver<'s, S> {
    pub(super) const fn new(root: TrustedRoot, top: StoredNode<'s, S>) -> Self {
        Self { root, top }
    }

    /// The root that proofs are against.
    pub const fn root(&self) -> &TrustedRoot {
        &self.root
    }

    /// Proves the state of keys after a block.
    pub fn keys(&self, question: &KeysQuestion<'_>) -> Result<Vec<u8>> {
        question.check(&self.root, &Limits::NONE)?;
        let (keys, _) = distinct(question.keys);
        self.prove_all(GET_ENVELOPE, &TreeQuery::get(&keys, question))
    }

    /// Proves every change of keys in a range of blocks.
    pub fn history(&self, question: &HistoryQuestion<'_>) -> Result<Vec<u8>> {
        question.check(&self.root, &Limits::NONE)?;
        let (keys, _) = distinct(question.keys);
        self.prove_all(HIST_ENVELOPE, &TreeQuery::hist(&keys, question))
    }

    /// Proves a range, or the first page of it.
    pub fn range(&self, question: &RangeQuestion<'_>, size: PageSize) -> Result<Vec<u8>> {
        question.check(&self.root, &Limits::NONE)?;
        self.prove_page(
            RANGE_ENVELOPE,
            TreeQuery::range(question),
            PageCutter::new(size, question.reverse),
        )
    }

    /// Proves the number of keys in a range.
    pub fn count(&self, question: &CountQuestion<'_>) -> Result<Vec<u8>> {
        question.check(&self.root, &Limits::NONE)?;
        self.prove_all(COUNT_ENVELOPE, &TreeQuery::count(question))
    }

    /// Proves the entries of a range for a replica, or the first page of them.
    pub fn transfer(&self, question: &TransferQuestion<'_>, size: PageSize) -> Result<Vec<u8>> {
        question.check(&self.root, &Limits::NONE)?;
        self.prove_page(
            TRANSFER_ENVELOPE,
            TreeQuery::transfer(question),
            PageCutter::new(size, false),
        )
    }

    /// Proves a partial tree on which operations of the next block on these keys can be executed.
    pub fn update(&self, keys: &[&[u8]]) -> Result<Vec<u8>> {
        check_keys(keys, &Limits::NONE)?;
        let (keys, _) = distinct(keys);
        self.prove_all(UPDATE_ENVELOPE, &TreeQuery::update(&keys))
    }

    fn prove_all(&self, kind: Envelope, query: &TreeQuery<'_>) -> Result<Vec<u8>> {
        let mut writer = ProofWriter::new(kind, self.root.height);
        self.write_nodes(&mut writer, query, None)?;
        Ok(writer.finish())
    }

    fn prove_page(
        &self,
        kind: Envelope,
        query: TreeQuery<'_>,
        mut cutter: PageCutter,
    ) -> Result<Vec<u8>> {
        let is_reverse = cutter.is_reverse();
        let write = |cut: Option<&[u8]>, query: &TreeQuery<'_>, cutter: Option<&mut PageCutter>| {
            let mut writer = ProofWriter::new(kind, self.root.height);
            writer.cut(cut);
            let cut = self.write_nodes(&mut writer, query, cutter)?;
            Ok::<_, Error>((cut, writer.finish()))
        };
        // The nodes are written a second time if the page was cut or is in reverse order.
        let (cut, proof) = write(None, &query, Some(&mut cutter))?;
        if cut.is_none() && !is_reverse {
            return Ok(proof);
        }
        let mut page = query;
        page.cut(cut.as_deref(), is_reverse);
        Ok(write(cut.as_deref(), &page, None)?.1)
    }

    /// Writes the nodes that a query opens, each before its children, the left child before the right one.
    ///
    /// With a cutter the children are in the order of the answers; returns the cut if it stops before an entry.
    fn write_nodes(
        &self,
        writer: &mut ProofWriter,
        query: &TreeQuery<'_>,
        mut cutter: Option<&mut PageCutter>,
    ) -> Result<Option<Vec<u8>>> {
        let is_reverse = cutter.as_ref().is_some_and(|cutter| cutter.is_reverse());
        let mut visits = Vec::from([(self.top.clone(), query.lead(), 0)]);
        while let Some((node, lead, path)) = visits.pop() {
            if let QueryLead::Closed | QueryLead::Covered = lead {
                writer.closed(node.record());
                continue;
            }
            if query.is_settled(node.record()) {
                writer.integer(0);
                writer.closed(node.record());
                continue;
            }
            match node.open()? {
                NodeContent::Empty => {}
                NodeContent::Entry(entry) => {
                    writer.integer(1);
                    write_leaf(&entry, writer, query, lead, path)?;
                    check_length(writer.len())?;
                    if let Some(cutter) = cutter.as_mut().filter(|_| query.has(&entry.entry().key))
                    {
                        let cut = cutter.add(&entry.entry().key, writer.len());
                        if cut.is_some() {
                            return Ok(cut);
                        }
                    }
                }
                NodeContent::Branch { depth, children } => {
                    // Every key below a branch begins with its prefix.
                    writer.branch(KeyBits::of(children[0].key(), depth), path);
                    let visit = |child: StoredNode<'s, S>| {
                        let lead = query.lead_to(lead, KeyBits::of(child.key(), depth + 1));
                        (child, lead, depth + 1)
                    };
                    let [left, right] = children.map(visit);
                    visits.extend(if is_reverse { [left, right] } else { [right, left] });
                }
            }
        }
        check_length(writer.len())?;
        Ok(None)
    }
}

/// Refuses a proof that no verifier accepts, before it becomes longer.
fn check_length(length: usize) -> Result<()> {
    let most = Limits::DEFAULT.max_proof_bytes;
    if length <= most {
        return Ok(());
    }
    let expected = format_args!("a proof of at most {most} bytes");
    Err(Error::new(Reason::RequestTooLarge, expected, length))
}

/// Writes an entry as a leaf.
fn write_leaf<S: ReadStore + ?Sized>(
    stored: &StoredEntry<'_, S>,
    writer: &mut ProofWriter,
    query: &TreeQuery<'_>,
    lead: QueryLead,
    path: usize,
) -> Result<()> {
    let entry = stored.entry();
    let key = &*entry.key;
    let is_asked = if let QueryLead::Keys { start, end } = lead {
        let asked = query.keys.get(start..end).unwrap_or_default();
        let number = asked.binary_search(&key).map_or(0, |at| at as u64 + 1);
        writer.integer(number);
        if number == 0 {
            writer.key(key, path);
        }
        number > 0
    } else {
        writer.key(key, path);
        query.has(key)
    };
    let newest = &entry.newest;
    let block = newest.block;
    writer.integer(entry.versions);
    writer.age(block);
    let is_shown = is_asked
        && match query.kind {
            QueryKind::Get { at } | QueryKind::Range { at } => block <= at,
            QueryKind::Hist { to, .. } => block <= to,
            QueryKind::Transfer { .. } => true,
            QueryKind::Count | QueryKind::Update => false,
        };
    writer.content(&match newest.value {
        None => VersionContent::Tombstone,
        Some(_) if is_shown => VersionContent::Value(stored.value()?),
        Some(hash) => VersionContent::Hash(hash),
    });
    let past = entry.versions - 1;
    if past == 0 {
        return Ok(());
    }
    match query.kind {
        QueryKind::Get { at } | QueryKind::Range { at } if is_asked && block > at => {
            // The version in force at the block, and the next one.
            let m = stored.before(at + 1)?;
            writer.integer(m);
            let shown = m.checked_sub(1).into_iter().chain((m < past).then_some(m));
            write_past(stored, writer, &shown.collect::<Vec<_>>(), at)?;
        }
        QueryKind::Hist { from, to } if is_asked && block >= from => {
            // From the version in force before the blocks to the first one after them.
            let first = stored.before(from)?.saturating_sub(1);
            let last = stored.before(to + 1)?.min(past - 1);
            writer.integer(first);
            writer.integer(last - first + 1);
            write_past(stored, writer, &(first..=last).collect::<Vec<_>>(), to)?;
        }
        QueryKind::Transfer { .. } | QueryKind::Update if is_asked => {
            entry.peaks.iter().for_each(|peak| writer.hash(peak));
        }
        _ => writer.hash(&entry.past_root()),
    }
    Ok(())
}

/// Writes some past versions, shown up to a block, and the hashes that lead from them to the root.
fn write_past<S: ReadStore + ?Sized>(
    entry: &StoredEntry<'_, S>,
    writer: &mut ProofWriter,
    numbers: &[u64],
    shown_until: u64,
) -> Result<()> {
    let excerpt = entry.excerpt(numbers, shown_until)?;
    for (block, content) in &excerpt.versions {
        writer.age(*block);
        writer.content(content);
    }
    excerpt.hashes.iter().for_each(|hash| writer.hash(hash));
    Ok(())
}
