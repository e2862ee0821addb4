//! Proves the answers to all kinds of questions.

use alloc::vec::Vec;

use prooflight_core::{Envelope, Error, Limits, Reason, Result, distinct};

use super::leaf::{Content, Leaf};
use super::page::{Cutter, PageSize};
use super::write::Writer;
use crate::hash::Record;
use crate::proof::{COUNT, GET, HIST, RANGE, TRANSFER, UPDATE};
use crate::query::{Kind, Lead, Query};
use crate::question::{Count, Get, Hist, Range, Root, Transfer, check_keys};
use crate::way::Bits;

/// A node of a tree that proofs are written from.
pub(super) trait Node: Clone {
    type Entry: Leaf;

    fn record(&self) -> &Record;

    /// The key of an entry of the node; empty without entries.
    fn key(&self) -> &[u8];

    /// The content of the node, which may have to be read.
    fn open(&self) -> Result<Opened<Self>>;
}

/// A node that proofs show.
pub(super) enum Opened<N: Node> {
    Empty,
    Entry(N::Entry),
    Branch { depth: usize, children: [N; 2] },
}

/// Proves from a tree, against its root.
pub(super) struct Proving<N> {
    pub(super) root: Root,
    pub(super) top: N,
}

/// Errors of all methods: those of the verifier for arguments, those of reading nodes, and `request_too_large` for a
/// proof of more than 8 MiB.
impl<N: Node> Proving<N> {
    pub(super) fn get(&self, question: &Get<'_>) -> Result<Vec<u8>> {
        question.check(&self.root, &Limits::NONE)?;
        let (keys, _) = distinct(question.keys);
        self.all(GET, &Query::get(&keys, question))
    }

    pub(super) fn history(&self, question: &Hist<'_>) -> Result<Vec<u8>> {
        question.check(&self.root, &Limits::NONE)?;
        let (keys, _) = distinct(question.keys);
        self.all(HIST, &Query::hist(&keys, question))
    }

    pub(super) fn range(&self, question: &Range<'_>, size: PageSize) -> Result<Vec<u8>> {
        question.check(&self.root, &Limits::NONE)?;
        self.page(RANGE, Query::range(question), Cutter::new(size, question.reverse))
    }

    pub(super) fn count(&self, question: &Count<'_>) -> Result<Vec<u8>> {
        question.check(&self.root, &Limits::NONE)?;
        self.all(COUNT, &Query::count(question))
    }

    pub(super) fn transfer(&self, question: &Transfer<'_>, size: PageSize) -> Result<Vec<u8>> {
        question.check(&self.root, &Limits::NONE)?;
        self.page(TRANSFER, Query::transfer(question), Cutter::new(size, false))
    }

    pub(super) fn update(&self, keys: &[&[u8]]) -> Result<Vec<u8>> {
        check_keys(keys, &Limits::NONE)?;
        let (keys, _) = distinct(keys);
        self.all(UPDATE, &Query::update(&keys))
    }

    fn all(&self, kind: Envelope, query: &Query<'_>) -> Result<Vec<u8>> {
        let mut writer = Writer::new(kind, self.root.height);
        self.write_nodes(&mut writer, query, None)?;
        Ok(writer.finish())
    }

    fn page(&self, kind: Envelope, query: Query<'_>, mut cutter: Cutter) -> Result<Vec<u8>> {
        let is_reverse = cutter.is_reverse();
        let write = |cut: Option<&[u8]>, query: &Query<'_>, cutter: Option<&mut Cutter>| {
            let mut writer = Writer::new(kind, self.root.height);
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
        writer: &mut Writer,
        query: &Query<'_>,
        mut cutter: Option<&mut Cutter>,
    ) -> Result<Option<Vec<u8>>> {
        let is_reverse = cutter.as_ref().is_some_and(|cutter| cutter.is_reverse());
        let mut visits = Vec::from([(self.top.clone(), query.lead(), 0)]);
        while let Some((node, lead, way)) = visits.pop() {
            if let Lead::Closed | Lead::Covered = lead {
                writer.closed(node.record());
                continue;
            }
            if query.is_settled(node.record()) {
                writer.integer(0);
                writer.closed(node.record());
                continue;
            }
            match node.open()? {
                Opened::Empty => {}
                Opened::Entry(entry) => {
                    writer.integer(1);
                    write_leaf(&entry, writer, query, lead, way)?;
                    check_length(writer.len())?;
                    if let Some(cutter) = cutter.as_mut().filter(|_| query.has(entry.key())) {
                        let cut = cutter.add(entry.key(), writer.len());
                        if cut.is_some() {
                            return Ok(cut);
                        }
                    }
                }
                Opened::Branch { depth, children } => {
                    // Every key below a branch begins with its prefix.
                    writer.branch(Bits::of(children[0].key(), depth), way);
                    let visit = |child: N| {
                        let lead = query.lead_to(lead, Bits::of(child.key(), depth + 1));
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
fn write_leaf(
    entry: &impl Leaf,
    writer: &mut Writer,
    query: &Query<'_>,
    lead: Lead,
    way: usize,
) -> Result<()> {
    let key = entry.key();
    let is_asked = if let Lead::Keys { start, end } = lead {
        let asked = query.keys.get(start..end).unwrap_or_default();
        let number = asked.binary_search(&key).map_or(0, |at| at as u64 + 1);
        writer.integer(number);
        if number == 0 {
            writer.key(key, way);
        }
        number > 0
    } else {
        writer.key(key, way);
        query.has(key)
    };
    let newest = entry.newest();
    let block = newest.block;
    writer.integer(entry.versions());
    writer.age(block);
    let is_shown = is_asked
        && match query.kind {
            Kind::Get { at } | Kind::Range { at } => block <= at,
            Kind::Hist { to, .. } => block <= to,
            Kind::Transfer { .. } => true,
            Kind::Count | Kind::Update => false,
        };
    writer.content(&match newest.value {
        None => Content::Tombstone,
        Some(_) if is_shown => Content::Value(entry.value()?),
        Some(hash) => Content::Hash(hash),
    });
    let past = entry.versions() - 1;
    if past == 0 {
        return Ok(());
    }
    match query.kind {
        Kind::Get { at } | Kind::Range { at } if is_asked && block > at => {
            // The version in force at the block, and the next one.
            let m = entry.before(at + 1)?;
            writer.integer(m);
            let shown = m.checked_sub(1).into_iter().chain((m < past).then_some(m));
            write_past(entry, writer, &shown.collect::<Vec<_>>(), at)?;
        }
        Kind::Hist { from, to } if is_asked && block >= from => {
            // From the version in force before the blocks to the first one after them.
            let first = entry.before(from)?.saturating_sub(1);
            let last = entry.before(to + 1)?.min(past - 1);
            writer.integer(first);
            writer.integer(last - first + 1);
            write_past(entry, writer, &(first..=last).collect::<Vec<_>>(), to)?;
        }
        Kind::Transfer { .. } | Kind::Update if is_asked => {
            entry.peaks().iter().for_each(|peak| writer.hash(peak));
        }
        _ => writer.hash(&entry.past_root()),
    }
    Ok(())
}

/// Writes some past versions, shown up to a block, and the hashes that lead from them to the root.
fn write_past(
    entry: &impl Leaf,
    writer: &mut Writer,
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
