//! The rules by which a light client accepts headers.
//!
//! Source: `test-vectors/spec/chain.md`, sections 3, 4, 9 and 11.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::header::{Header, SignedHeader};
use super::{Blake2bTree, Checkpoint};
use crate::merkle::{leaf_hash, multiproof_root, verify_inclusion};
use crate::{Error, Hash, Hex, Reason, Result};

/// The required freshness of a head, by the caller's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncPolicy {
    /// The caller's time, in milliseconds since 1970.
    pub now_ms: u64,
    /// The longest time that a head may be ahead of `now_ms`, in milliseconds. Default 30,000.
    pub max_clock_skew_ms: u64,
    /// The greatest age of a head, in milliseconds; `None` for any age.
    pub max_head_age_ms: Option<u64>,
}

impl SyncPolicy {
    /// The default policy: 30 seconds ahead at most, any age.
    pub const fn at(now_ms: u64) -> Self {
        Self { now_ms, max_clock_skew_ms: 30_000, max_head_age_ms: None }
    }
}

/// Accepts a head that extends the checkpoint; returns the new checkpoint.
///
/// `inclusion` is the path of the checkpoint's header hash in the head's history; it must be empty
/// where the head is the checkpoint itself. Refused with the code `untrusted`: another chain or other
/// schemes, too few signatures, a head behind the checkpoint (`head_behind`), another header at the
/// checkpoint's height (`equivocation`), one that does not have the checkpoint in its history
/// (`not_extending`), one from the future (`head_in_future`) or too old (`head_too_old`).
pub fn verify_head(
    checkpoint: &Checkpoint,
    head: &SignedHeader,
    inclusion: &[Hash],
    policy: &SyncPolicy,
) -> Result<Checkpoint> {
    checkpoint.check()?;
    head.check_signed(&checkpoint.config)?;
    let header = &head.header;
    let hash = header.hash();
    if header.height < checkpoint.height {
        return Err(Error::new(
            Reason::HeadBehind,
            format_args!("a height of at least {}", checkpoint.height),
            header.height,
        ));
    }
    if header.height > checkpoint.height {
        let leaf = leaf_hash::<Blake2bTree>(&checkpoint.header_hash);
        let root = &header.history_root;
        verify_inclusion::<Blake2bTree>(root, &leaf, checkpoint.height, header.height, inclusion)
            .map_err(|error| {
            let expected = format_args!(
                "a path to the checkpoint's header {}, {}",
                Hex(&checkpoint.header_hash),
                error.expected()
            );
            Error::new(Reason::NotExtending, expected, error.found())
        })?;
    } else if hash != checkpoint.header_hash {
        return Err(Error::new(Reason::Equivocation, Hex(&checkpoint.header_hash), Hex(&hash)));
    } else if !inclusion.is_empty() {
        return Err(Error::new(Reason::NotExtending, "no path", inclusion.len()));
    }
    check_time(header.timestamp_ms, policy)?;
    Ok(Checkpoint { config: checkpoint.config.clone(), height: header.height, header_hash: hash })
}

/// Accepts an older header by its place in the history of an accepted head.
///
/// The head itself is its own ancestor, with an empty path. A header that the head's history does not
/// have at its height is `not_an_ancestor`.
pub fn verify_ancestor(head: &Header, header: &Header, inclusion: &[Hash]) -> Result<()> {
    let hash = header.hash();
    if inclusion.is_empty() && hash == head.hash() {
        return Ok(());
    }
    let leaf = leaf_hash::<Blake2bTree>(&hash);
    verify_inclusion::<Blake2bTree>(
        &head.history_root,
        &leaf,
        header.height,
        head.height,
        inclusion,
    )
    .map_err(|error| Error::new(Reason::NotAnAncestor, error.expected(), error.found()))
}

/// Accepts the header of one height by its place in the history of an accepted head.
///
/// A header of another height is `not_an_ancestor`; else as [`verify_ancestor`].
pub fn verify_ancestor_at(
    head: &Header,
    height: u64,
    header: &Header,
    inclusion: &[Hash],
) -> Result<()> {
    if header.height != height {
        let expected = format_args!("the header of block {height}");
        return Err(Error::new(Reason::NotAnAncestor, expected, header.height));
    }
    verify_ancestor(head, header, inclusion)
}

/// Accepts several older headers by their places in the history of an accepted head.
///
/// The headers are in strictly ascending order of their heights, below that of the head; `hashes` are
/// those of [`merkle::multiproof`](crate::merkle::multiproof) of their heights in the head's history.
/// Anything else is `not_an_ancestor`, as is a header that the history does not have at its height.
pub fn verify_ancestors(head: &Header, headers: &[Header], hashes: &[Hash]) -> Result<()> {
    let leaf = |header: &Header| (header.height, leaf_hash::<Blake2bTree>(&header.hash()));
    let leaves: Vec<_> = headers.iter().map(leaf).collect();
    let refused = |error: Error| Error::new(Reason::NotAnAncestor, error.expected(), error.found());
    let mut hashes = hashes.iter().copied();
    let root = if leaves.is_empty() {
        head.history_root
    } else {
        multiproof_root::<Blake2bTree>(&leaves, head.height, &mut hashes).map_err(refused)?
    };
    if hashes.len() > 0 {
        let found = format_args!("{} left over", hashes.len());
        return Err(Error::new(Reason::NotAnAncestor, "no more hashes", found));
    }
    if root != head.history_root {
        return Err(Error::new(Reason::NotAnAncestor, Hex(&head.history_root), Hex(&root)));
    }
    Ok(())
}

/// How the caller specified the requested block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedBlock {
    /// The newest block, of at least this height.
    Newest(u64),
    /// The block of this height.
    Height(u64),
    /// The block with this header hash.
    Hash(Hash),
}

/// Checks that a header belongs to the requested block.
///
/// A height below the newest known one is `head_behind`; another block's header is `wrong_block`.
pub fn check_requested(wanted: &RequestedBlock, header: &Header) -> Result<()> {
    let found = header.height;
    match *wanted {
        RequestedBlock::Newest(least) if found < least => {
            let expected = format_args!("a height of at least {least}");
            Err(Error::new(Reason::HeadBehind, expected, found))
        }
        RequestedBlock::Height(height) if found != height => {
            Err(Error::new(Reason::WrongBlock, format_args!("block {height}"), found))
        }
        RequestedBlock::Hash(hash) if header.hash() != hash => {
            let expected = format_args!("block {}", Hex(&hash));
            Err(Error::new(Reason::WrongBlock, expected, Hex(&header.hash())))
        }
        _ => Ok(()),
    }
}

/// The order of two headers, each known by height and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderOrder {
    /// The same header.
    Same,
    /// Another header of the same height: an authority that signed both has signed two histories.
    Conflicting,
    /// A lower height.
    Below,
    /// A higher height.
    Above,
}

/// The relation of the first header to the second.
pub fn relation(one: (u64, &Hash), other: (u64, &Hash)) -> HeaderOrder {
    match one.0.cmp(&other.0) {
        Ordering::Less => HeaderOrder::Below,
        Ordering::Greater => HeaderOrder::Above,
        Ordering::Equal if one.1 == other.1 => HeaderOrder::Same,
        Ordering::Equal => HeaderOrder::Conflicting,
    }
}

fn check_time(timestamp_ms: u64, policy: &SyncPolicy) -> Result<()> {
    let latest = policy.now_ms.saturating_add(policy.max_clock_skew_ms);
    if timestamp_ms > latest {
        return Err(Error::new(
            Reason::HeadInFuture,
            format_args!("a timestamp of at most {latest} ms"),
            format_args!("{timestamp_ms} ms"),
        ));
    }
    let age = policy.now_ms.saturating_sub(timestamp_ms);
    match policy.max_head_age_ms {
        Some(oldest) if age > oldest => Err(Error::new(
            Reason::HeadTooOld,
            format_args!("an age of at most {oldest} ms"),
            format_args!("{age} ms"),
        )),
        _ => Ok(()),
    }
}
