//! Unsigned blocks that remote authorities are asked to sign.
//!
//! A proposal is in the log before anybody is asked to sign it, and it is never replaced. So a leader
//! proposes the same block after a crash, and no authority is asked to sign a second block of a
//! height.
//!
//! It is removed only once the block of its height exists. So a proposal that is found while there is
//! no such block is the only one that its object ever had; a delayed write cannot have replaced it.

use bytes::Bytes;
use prooflight_core::{Error, Reason, Result};

use crate::backoff::RetryDelays;
use crate::bucket::CreateOutcome;
use crate::log::BucketLog;
use crate::object::{self, ObjectKind};

const PROPOSED_FOLDER: &str = "proposed";

impl BucketLog {
    /// Creates an attempt at the block of a height, and returns the attempt in the log: this one, or the one of a faster
    /// leader.
    ///
    /// It returns only once that is known: if the answer was lost, the proposal may exist, and
    /// nothing else may be proposed. An error means that it was never sent, since it is too large.
    pub async fn propose(&self, height: u64, attempt: u32, proposal: &[u8]) -> Result<Vec<u8>> {
        let bytes = Bytes::from(encode(height, attempt, proposal)?);
        let decode = |bytes: &[u8]| decode(height, attempt, bytes).map(<[u8]>::to_vec);
        let waiting = |error: &Error| {
            self.waiting.send_replace(Some(error.clone()));
        };
        let settled = self.bucket().settle(&name(height, attempt), bytes, decode, waiting).await;
        self.waiting.send_replace(None);
        Ok(match settled {
            CreateOutcome::Created => proposal.to_vec(),
            CreateOutcome::Exists(found) => found,
        })
    }

    /// Reads an attempt at the block of a height; `None` if absent. It retries until it has an answer
    /// and all of the bytes; [`waiting`](Self::waiting) has the reason.
    pub async fn read_proposal(&self, height: u64, attempt: u32) -> Option<Vec<u8>> {
        let mut delays = RetryDelays::new();
        loop {
            let read = self.bucket().read(&name(height, attempt)).await;
            let found = read.and_then(|found| {
                let found = found.as_deref().map(|bytes| decode(height, attempt, bytes));
                Ok(found.transpose()?.map(<[u8]>::to_vec))
            });
            match found {
                Ok(found) => {
                    self.waiting.send_replace(None);
                    return found;
                }
                Err(error) => self.waiting.send_replace(Some(error)),
            };
            delays.wait().await;
        }
    }

    /// Removes an attempt at a block that is published. Errors are those of [`Bucket::read`](crate::Bucket::read).
    pub async fn remove_proposal(&self, height: u64, attempt: u32) -> Result<()> {
        self.bucket().remove(&name(height, attempt)).await
    }

    /// Removes all proposals of published blocks, whose newest has this height. Errors are those of
    /// [`remove_proposal`](Self::remove_proposal).
    pub async fn remove_old_proposals(&self, newest: u64) -> Result<()> {
        for height in self.bucket().list(PROPOSED_FOLDER).await? {
            if height.parse::<u64>().is_ok_and(|height| height <= newest) {
                let folder = format!("{PROPOSED_FOLDER}/{height}");
                for attempt in self.bucket().list(&folder).await? {
                    self.bucket().remove(&format!("{folder}/{attempt}")).await?;
                }
            }
        }
        Ok(())
    }
}

/// The name of an attempt.
pub(crate) fn name(height: u64, attempt: u32) -> String {
    format!("{PROPOSED_FOLDER}/{height:016}/{attempt:04}")
}

/// The bytes of the object: the height as u64 and the attempt as u32, little-endian, and the proposal.
fn encode(height: u64, attempt: u32, proposal: &[u8]) -> Result<Vec<u8>> {
    let content = [&height.to_le_bytes()[..], &attempt.to_le_bytes(), proposal].concat();
    object::encode(ObjectKind::Proposal, &content)
}

/// Decodes the object of an attempt; `wrong_block` if it is the object of another attempt.
pub(crate) fn decode(height: u64, attempt: u32, bytes: &[u8]) -> Result<&[u8]> {
    let name = name(height, attempt);
    let content = object::decode(ObjectKind::Proposal, &name, bytes)?;
    let prefix = [&height.to_le_bytes()[..], &attempt.to_le_bytes()].concat();
    content.strip_prefix(&prefix[..]).ok_or_else(|| {
        let expected = format_args!("attempt {attempt} at block {height} in {name}");
        Error::new(Reason::WrongBlock, expected, "another")
    })
}
