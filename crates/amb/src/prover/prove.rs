//! Proves the answers to all kinds of questions.

use alloc::vec::Vec;

use prooflight_core::merkle::multiproof;
use prooflight_core::{Envelope, Error, Limits, Reason, Result, distinct};

use super::branch::{Child, Node};
use super::entry::Entry;
use super::page::{Cutter, PageSize};
use super::past::Past;
use super::tree::Tree;
use super::write::Writer;
use crate::proof::{COUNT, GET, HIST, RANGE, TRANSFER, UPDATE};
use crate::query::{Kind, Lead, Query};
use crate::question::{Count, Get, Hist, Range, Root, Transfer, check_keys};

/// Errors of all of them: `version_unavailable` before the first block, those of the verifier for arguments, and
/// `request_too_large` for a proof of more than 8 MiB.
impl Tree {
    /// Proves the state of keys after a block.
    pub fn prove(&self, question: &Get<'_>) -> Result<Vec<u8>> {
        let root = self.trusted()?;
        question.check(&root, &Limits::NONE)?;
        let (keys, _) = distinct(question.keys);
        self.prove_all(GET, &root, &Query::get(&keys, question))
    }

    /// Proves every change of keys in a range of blocks.
    pub fn prove_history(&self, question: &Hist<'_>) -> Result<Vec<u8>> {
        let root = self.trusted()?;
        question.check(&root, &Limits::NONE)?;
        let (keys, _) = distinct(question.keys);
        self.prove_all(HIST, &root, &Query::hist(&keys, question))
    }

    /// Proves a range, or the first page of it.
    pub fn prove_range(&self, question: &Range<'_>, size: PageSize) -> Result<Vec<u8>> {
        let root = self.trusted()?;
        question.check(&root, &Limits::NONE)?;
        let cutter = Cutter::new(size, question.reverse);
        Ok(self.prove_page(RANGE, &root, Query::range(question), cutter))
    }

    /// Proves the number of keys in a range.
    pub fn prove_count(&self, question: &Count<'_>) -> Result<Vec<u8>> {
        let root = self.trusted()?;
        question.check(&root, &Limits::NONE)?;
        self.prove_all(COUNT, &root, &Query::count(question))
    }

    /// Proves the entries of a range for a replica, or the first page of them.
    pub fn prove_transfer(&self, question: &Transfer<'_>, size: PageSize) -> Result<Vec<u8>> {
        let root = self.trusted()?;
        question.check(&root, &Limits::NONE)?;
        let cutter = Cutter::new(size, false);
        Ok(self.prove_page(TRANSFER, &root, Query::transfer(question), cutter))
    }

    /// Proves a partial tree on which operations on these keys can be executed.
    pub fn prove_update(&self, keys: &[&[u8]]) -> Result<Vec<u8>> {
        let root = self.trusted()?;
        check_keys(keys, &Limits::NONE)?;
        let (keys, _) = distinct(keys);
        self.prove_all(UPDATE, &root, &Query::update(&keys))
    }

    fn prove_all(&self, kind: Envelope, root: &Root, query: &Query<'_>) -> Result<Vec<u8>> {
        let mut writer = Writer::new(kind, root.height);
        let _ = self.write_nodes(&mut writer, query, None);
        let (length, most) = (writer.len(), Limits::DEFAULT.max_proof_bytes);
        if length <= most {
            return Ok(writer.finish());
        }
        let expected = format_args!("a proof of at most {most} bytes");
        Err(Error::new(Reason::RequestTooLarge, expected, length))
    }

    fn prove_page<'t>(
        &'t self,
        kind: Envelope,
        root: &Root,
        query: Query<'_>,
        mut cutter: Cutter<'t>,
    ) -> Vec<u8> {
        let is_reverse = cutter.is_reverse();
        let write = |cut: Option<&[u8]>, query: &Query<'_>, cutter| {
            let mut writer = Writer::new(kind, root.height);
            writer.cut(cut);
            let cut = self.write_nodes(&mut writer, query, cutter);
            (cut, writer.finish())
        };
        // The nodes are written twice, unless they are all that was asked for, and in their order.
        let (cut, proof) = write(None, &query, Some(&mut cutter));
        if cut.is_none() && !is_reverse {
            return proof;
        }
        let mut page = query;
        page.cut(cut.as_deref(), is_reverse);
        write(cut.as_deref(), &page, None).1
    }

    /// Writes the nodes that a query opens, each before its children, the left child before the right one.
    ///
    /// With a cutter the children are in the order of the answers; returns the cut if it stops before an entry.
    fn write_nodes<'t>(
        &'t self,
        writer: &mut Writer,
        query: &Query<'_>,
        mut cutter: Option<&mut Cutter<'t>>,
    ) -> Option<Vec<u8>> {
        let is_reverse = cutter.as_ref().is_some_and(|cutter| cutter.is_reverse());
        let mut visits = Vec::from([(self.top, query.lead(), 0)]);
        while let Some((node, lead, way)) = visits.pop() {
            let Child { link, record } = node;
            if let Lead::Closed | Lead::Covered = lead {
                writer.closed(&record);
                continue;
            }
            if query.is_settled(&record) {
                writer.integer(0);
                writer.closed(&record);
                continue;
            }
            match link.node() {
                Node::Empty => {}
                Node::Entry(entry) => {
                    let entry = &self.entries[entry as usize];
                    writer.integer(1);
                    entry.write_to(writer, query, lead, way);
                    if let Some(cutter) = cutter.as_mut().filter(|_| query.has(&entry.key)) {
                        let cut = cutter.add(&entry.key, writer.len());
                        if cut.is_some() {
                            return cut;
                        }
                    }
                }
                Node::Branch(branch) => {
                    let branch = &self.branches[branch as usize];
                    let depth = branch.depth();
                    writer.branch(self.prefix(branch), way);
                    let visit = |is_right| {
                        let child = branch.child(is_right);
                        let bits = self.bits(child.link, depth + 1);
                        (child, query.lead_to(lead, bits), depth + 1)
                    };
                    let [left, right] = [visit(false), visit(true)];
                    visits.extend(if is_reverse { [left, right] } else { [right, left] });
                }
            }
        }
        None
    }
}

impl Entry {
    /// Writes the entry as a leaf.
    fn write_to(&self, writer: &mut Writer, query: &Query<'_>, lead: Lead, way: usize) {
        let is_asked = if let Lead::Keys { start, end } = lead {
            let asked = query.keys.get(start..end).unwrap_or_default();
            let number = asked.binary_search(&&*self.key).map_or(0, |at| at as u64 + 1);
            writer.integer(number);
            if number == 0 {
                writer.key(&self.key, way);
            }
            number > 0
        } else {
            writer.key(&self.key, way);
            query.has(&self.key)
        };
        let block = self.newest.block;
        writer.integer(self.versions());
        writer.age(block);
        let is_shown = is_asked
            && match query.kind {
                Kind::Get { at } | Kind::Range { at } => block <= at,
                Kind::Hist { to, .. } => block <= to,
                Kind::Transfer { .. } => true,
                Kind::Count | Kind::Update => false,
            };
        writer.content(self.value.as_deref(), self.newest.value.as_ref(), is_shown);
        let Some(past) = self.past() else { return };
        match query.kind {
            Kind::Get { at } | Kind::Range { at } if is_asked && block > at => {
                past.write_in_force(writer, at);
            }
            Kind::Hist { from, to } if is_asked && block >= from => {
                past.write_window(writer, from, to);
            }
            Kind::Transfer { .. } | Kind::Update if is_asked => {
                past.peaks().iter().for_each(|peak| writer.hash(peak));
            }
            _ => writer.hash(&past.root()),
        }
    }
}

impl Past {
    /// The version in force at a block, and the next one.
    fn write_in_force(&self, writer: &mut Writer, at: u64) {
        let m = self.before(at + 1);
        writer.integer(m);
        let shown = m.checked_sub(1).into_iter().chain((m < self.len()).then_some(m));
        self.write(writer, &shown.collect::<Vec<_>>(), at);
    }

    /// The versions from the one in force before `from` to the first one after `to`.
    fn write_window(&self, writer: &mut Writer, from: u64, to: u64) {
        let first = self.before(from).saturating_sub(1);
        let last = self.before(to + 1).min(self.len() - 1);
        writer.integer(first);
        writer.integer(last - first + 1);
        self.write(writer, &(first..=last).collect::<Vec<_>>(), to);
    }

    /// Some versions, shown up to a block, and the hashes that lead from them to the root.
    fn write(&self, writer: &mut Writer, numbers: &[u64], shown_until: u64) {
        for version in numbers.iter().filter_map(|&number| self.get(number)) {
            writer.past_version(version, version.block <= shown_until);
        }
        // The numbers ascend, and there is at least one.
        for part in multiproof(numbers, self.len()).unwrap_or_default() {
            writer.hash(&self.root_of(part));
        }
    }
}
