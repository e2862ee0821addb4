//! Receives all headers. They must be signed, each the parent of the next, and together the history that the head
//! commits to.

use prooflight_core::chain::{Checkpoint, Header, SignedHeader};
use prooflight_core::store::WriteBatch;
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result};

use super::part::PartReceiver;
use super::{StatePart, decode};
use crate::chain::history::{self, HistoryAppender};
use crate::chain::{EntryWriter, block};

pub(super) struct HeaderReceiver<'s> {
    checkpoint: &'s Checkpoint,
    head: &'s Header,
    next: u64,
    /// The hash of the previous header.
    parent: Hash,
    history: HistoryAppender,
}

impl<'s> HeaderReceiver<'s> {
    pub(super) fn new(checkpoint: &'s Checkpoint, head: &'s Header) -> Self {
        Self { checkpoint, head, next: 0, parent: [0; 32], history: HistoryAppender::default() }
    }

    fn check(&self, header: &SignedHeader) -> Result<Hash> {
        header.check_signed(&self.checkpoint.config)?;
        let Header { height, parent, .. } = header.header;
        if height != self.next || parent != self.parent || height > self.head.height {
            let expected = format_args!("header {} after {}", self.next, Hex(&self.parent));
            let found = format_args!("header {height} after {}", Hex(&parent));
            return Err(Error::new(Reason::NotExtending, expected, found));
        }
        let hash = header.header.hash();
        let pinned = &self.checkpoint.header_hash;
        if height == self.checkpoint.height && hash != *pinned {
            return Err(Error::new(Reason::Equivocation, Hex(pinned), Hex(&hash)));
        }
        Ok(hash)
    }
}

impl PartReceiver for HeaderReceiver<'_> {
    fn part(&self) -> StatePart {
        StatePart::Headers
    }

    fn next(&self) -> Result<Option<Vec<u8>>> {
        Ok((self.next <= self.head.height).then(|| self.next.to_be_bytes().to_vec()))
    }

    fn take(&mut self, chunk: &[u8], new: &mut EntryWriter) -> Result<()> {
        let headers: Vec<Vec<u8>> = decode(chunk)?;
        if headers.is_empty() {
            return Err(Error::new(Reason::InvalidResult, "headers", "none"));
        }
        let mut batch = WriteBatch::new();
        for bytes in headers {
            let header = SignedHeader::decode(&bytes, &Limits::default())?;
            let hash = self.check(&header)?;
            batch.put(block::header_key(self.next), bytes);
            batch.put(block::height_key(&hash), self.next.to_be_bytes());
            self.history.append(self.next, &hash, &mut batch);
            (self.next, self.parent) = (self.next + 1, hash);
        }
        new.write(batch)?;
        if self.next <= self.head.height {
            return Ok(());
        }
        let (expected, root) = (self.head.hash(), history::root(new.store(), self.head.height)?);
        if (self.parent, root) == (expected, self.head.history_root) {
            return Ok(());
        }
        Err(Error::new(Reason::Equivocation, Hex(&expected), Hex(&self.parent)))
    }
}
