//! `chain/header_sync_negative.json`: heads that a light client must refuse.

mod checkpoints;
mod encoding;
mod history;
mod inputs;
mod names;
mod signatures;

use super::made::{Chain, config};
use crate::generate::builder::Builder;

const FLAGS: &[(&str, &str)] = &[
    ("Checkpoint", "the checkpoint is not of its form; it must never count as another one"),
    ("Clock", "the head's time is just beyond what the caller allows"),
    ("Config", "the configuration is not one that a chain can have; the head names its hash"),
    ("Encoding", "the head's bytes are not the encoding of a signed header"),
    ("Header", "the header cannot be that of any chain; the authorities signed it"),
    ("History", "the head does not have the checkpoint in its history"),
    ("Input", "the input cannot be read as one of a HeaderSync"),
    (
        "Mutated",
        "an honest input with one byte or hash changed, deleted, doubled or exchanged; only the code is pinned",
    ),
    ("Order", "several things are wrong, and the first of them says why"),
    ("OtherChain", "the head is one of another chain"),
    ("Signatures", "too few signatures are valid"),
    ("SignatureOrder", "the authorities of the signatures are not ascending or do not exist"),
    ("Truncated", "the head ends early"),
];

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    file.group("HeaderSync");
    encoding::add(&mut file);
    signatures::add(&mut file);
    history::add(&mut file);
    checkpoints::add(&mut file);
    names::add(&mut file);
    inputs::add(&mut file);
    file.finish()
}

/// A chain of one authority and four headers.
fn small_chain() -> Chain {
    Chain::new(config(1, 1), 4)
}
