//! `chain/header_inclusion.json`: older headers by their place in a head's history.

use super::header_chain::{HeaderChain, accepted, config_of_six_schemes};
use crate::generate::builder::FileBuilder;

/// Adds the tests made by code.
pub(in super::super) fn make(file: &mut FileBuilder) {
    file.group("HeaderInclusion");
    paths(file);
}

fn paths(file: &mut FileBuilder) {
    let chain = HeaderChain::new(config_of_six_schemes(), 130);
    let small = (0..=6).flat_map(|head| (0..=head).map(move |of| (of, head)));
    // In a history of 11 or 21 headers, the last one has no sibling on two nonadjacent levels.
    let large = [11, 21, 64, 65, 127, 128, 129];
    let large = large.into_iter().flat_map(|head| [0, head / 2, head - 1].map(|of| (of, head)));
    for (of, head) in small.chain(large) {
        let comment = format!("the header at height {of} in the history of height {head}");
        file.valid(&["Path"], comment, &chain.inclusion(of, head), accepted(&chain.headers[of]));
    }
}
