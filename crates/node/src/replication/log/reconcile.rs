//! Brings a leader's store and the log to the same blocks, before it leads.

use std::ops::RangeInclusive;

use prooflight_core::chain::{ChainConfig, Checkpoint, Header};
use prooflight_core::{Code, Error, Hex, Reason, Result};

use super::BlockLog;
use crate::replication::follow::check_pinned;
use crate::{BlockId, Chain, Verdict};

/// `wrong_chain` if a bucket has another chain. It may have no chain yet.
pub fn check_chain(local: &ChainConfig, found: Option<&ChainConfig>, bucket: &str) -> Result<()> {
    match found {
        Some(found) if found.id() != local.id() => {
            let expected = format_args!(
                "the chain {} in {bucket}; take another folder for this chain, or another URL",
                Hex(&local.id())
            );
            Err(Error::new(Reason::WrongChain, expected, Hex(&found.id())))
        }
        _ => Ok(()),
    }
}

/// The heights of local blocks that are missing from the log, since they were made without it. The newest earlier block
/// is compared; `equivocation` if the log has another one. Without local blocks, this is genesis if the log lacks it.
pub fn missing_blocks(chain: &Chain, log: &mut BlockLog) -> Result<RangeInclusive<u64>> {
    let Some(newest) = chain.height() else {
        return Ok(if log.block(0)?.is_some() { NO_BLOCKS } else { 0..=0 });
    };
    let view = chain.view()?;
    let mut has = |height: u64| -> Result<bool> {
        let Some(found) = log.block(height)? else { return Ok(false) };
        check_same(&view.header(BlockId::Height(height))?.header, &found.header.header)?;
        Ok(true)
    };
    // A log has every block up to its newest.
    let (mut first, mut last) = (0, newest);
    if has(last)? {
        return Ok(NO_BLOCKS);
    }
    while first < last {
        let middle = first + (last - first) / 2;
        if has(middle)? { first = middle + 1 } else { last = middle }
    }
    Ok(first..=newest)
}

#[expect(clippy::reversed_empty_ranges, reason = "the range is empty")]
const NO_BLOCKS: RangeInclusive<u64> = 1..=0;

/// Publishes local blocks that are missing from the log; `equivocation` if another writer published a different one.
pub fn publish(chain: &Chain, log: &BlockLog, missing: RangeInclusive<u64>) -> Result<()> {
    for height in missing {
        let local = chain.view()?.block(BlockId::Height(height))?;
        let published = log.publish(&local.header, &local.body)?;
        check_same(&local.header.header, &published.header.header)?;
        tracing::info!(height, "published");
    }
    Ok(())
}

/// Executes the blocks of the log that the store lacks.
///
/// `equivocation` if the checkpoint's block is another one. An invalid or damaged block ends the execution without an
/// error, if there are blocks before it. That block is read again later; until then its error is in
/// [`BlockLog::health`].
pub fn execute(chain: &mut Chain, log: &mut BlockLog, pinned: Option<&Checkpoint>) -> Result<()> {
    if let Some(pinned) = pinned.filter(|pinned| chain.height() >= Some(pinned.height)) {
        check_pinned(pinned, &chain.view()?.header(BlockId::Height(pinned.height))?.header)?;
    }
    loop {
        let next = chain.height().map_or(0, |height| height + 1);
        let verdict = match log.block(next) {
            Ok(None) => return Ok(()),
            Ok(Some(block)) => {
                if let Some(pinned) = pinned.filter(|pinned| pinned.height == next) {
                    check_pinned(pinned, &block.header.header)?;
                }
                chain.follow(block)
            }
            Err(error) if is_damaged(&error) => Verdict::Invalid(error),
            Err(error) => return Err(error),
        };
        match verdict {
            Verdict::Valid(_) => log.mark_read(),
            Verdict::Invalid(error) if next > 0 => {
                tracing::error!(height = next, reason = %error.reason(), %error, "an invalid block in the log");
                log.record_error(&error);
                return Ok(());
            }
            Verdict::Invalid(error) | Verdict::None(error) => return Err(error),
        }
        if next.is_multiple_of(1000) {
            tracing::info!(height = next, "executed from the log");
        }
    }
}

/// Whether a block could not be read because its object in the log is damaged, rather than because of the connection
/// to the bucket, or a setting.
fn is_damaged(error: &Error) -> bool {
    let unavailable = matches!(error.code(), Code::Unavailable | Code::Internal);
    let setting = matches!(error.reason(), Reason::InvalidArgument | Reason::Equivocation);
    !(unavailable || setting)
}

fn check_same(local: &Header, found: &Header) -> Result<()> {
    let (height, local, found) = (local.height, local.hash(), found.hash());
    if local == found {
        return Ok(());
    }
    let expected = format_args!(
        "at height {height} the header {} of this folder; the log decides: move the folder away, and start again from a \
         checkpoint",
        Hex(&local)
    );
    Err(Error::new(Reason::Equivocation, expected, Hex(&found)))
}
