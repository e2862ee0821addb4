//! `chain/header_sync.json`: heads that a light client must accept.

use super::header_chain::{HeaderChain, accepted, config};
use crate::generate::builder::FileBuilder;

/// Adds the tests made by code.
pub(in super::super) fn make(file: &mut FileBuilder) {
    file.group("HeaderSync");
    paths(file);
}

fn paths(file: &mut FileBuilder) {
    let chain = HeaderChain::new(config(1, 1), 255);
    let small = (0..=9).flat_map(|head| (0..=head).map(move |from| (from, head)));
    let large = [16, 17, 33, 63, 64, 65, 127, 128, 129, 254];
    let large = large.into_iter().flat_map(|head| [0, 1, head / 2, head - 1].map(|i| (i, head)));
    for (from, head) in small.chain(large) {
        let comment = format!("from height {from} to height {head}");
        file.valid(&["Path"], comment, &chain.sync(from, head), accepted(&chain.headers[head]));
    }
}
