//! What a leader does before it leads: its store and the log get the same blocks.

use prooflight_core::chain::{ChainConfig, Checkpoint};
use prooflight_core::{Error, Hex, Reason, Result};

use super::BlockLog;
use crate::follow::check_pinned;
use crate::{At, Block, Chain};

/// Checks that a bucket, which may have no chain yet, has no other chain; `wrong_chain` if it has.
pub fn check_chain(ours: &ChainConfig, found: Option<&ChainConfig>, bucket: &str) -> Result<()> {
    match found {
        Some(found) if found.id() != ours.id() => {
            let expected = format_args!(
                "the chain {} in {bucket}; take another folder for this chain, or another URL",
                Hex(&ours.id())
            );
            Err(Error::new(Reason::WrongChain, expected, Hex(&found.id())))
        }
        _ => Ok(()),
    }
}

/// Publishes the blocks that the log lacks, and executes those that the store lacks.
///
/// The log lacks blocks only if the chain was made without it. `equivocation` if the two have another
/// block at one height, or the log another one than the checkpoint; nothing is written then.
pub fn agree(chain: &mut Chain, log: &mut BlockLog, pinned: Option<&Checkpoint>) -> Result<()> {
    if let Some(newest) = chain.height() {
        for height in missing(chain, log, newest)? {
            let ours = chain.view()?.block(At::Height(height))?;
            let published = log.publish(&ours)?;
            check_same(&ours, &published)?;
            tracing::info!(height, "published");
        }
    }
    loop {
        let next = chain.height().map_or(0, |height| height + 1);
        let Some(block) = log.block(next)? else { return Ok(()) };
        if let Some(pinned) = pinned.filter(|pinned| pinned.height == next) {
            check_pinned(pinned, &block.header.header)?;
        }
        chain.follow(block)?;
        if next.is_multiple_of(1000) {
            tracing::info!(height = next, "executed from the log");
        }
    }
}

/// The heights of our blocks that the log lacks. The newest block before them is compared.
fn missing(
    chain: &Chain,
    log: &mut BlockLog,
    newest: u64,
) -> Result<std::ops::RangeInclusive<u64>> {
    let view = chain.view()?;
    let mut has = |height: u64| -> Result<bool> {
        let Some(found) = log.block(height)? else { return Ok(false) };
        check_same(&view.block(At::Height(height))?, &found)?;
        Ok(true)
    };
    // A log has every block up to its newest.
    let (mut first, mut last) = (0, newest);
    if has(last)? {
        return Ok(newest + 1..=newest);
    }
    while first < last {
        let middle = first + (last - first) / 2;
        if has(middle)? { first = middle + 1 } else { last = middle }
    }
    Ok(first..=newest)
}

fn check_same(ours: &Block, found: &Block) -> Result<()> {
    let (header, found) = (&ours.header.header, found.header.header.hash());
    if header.hash() == found {
        return Ok(());
    }
    let expected = format_args!(
        "at height {} the header {} of this folder; the log decides: move the folder away, and start \
         again from a checkpoint",
        header.height,
        Hex(&header.hash())
    );
    Err(Error::new(Reason::Equivocation, expected, Hex(&found)))
}
