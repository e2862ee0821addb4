//! A scheme that is not the first one of its chain.

use prooflight_core::Scheme;
use prooflight_core::chain::SchemeConfig;

use super::{SCHEMES, States, of_both};
use crate::generate::builder::Builder;
use crate::generate::chain::ledger::seven_blocks;

pub(super) fn add(file: &mut Builder) {
    let mut config = of_both(4, 2);
    config.schemes.insert(0, SchemeConfig::plain(Scheme::Avl));
    let states = States::with(config, &seven_blocks());
    let keys: [&[u8]; 2] = [b"alice", b"nobody"];
    for scheme in SCHEMES {
        let comment = format!("{}: beside avl, which comes first", scheme.as_str());
        let input = states.answer(scheme, 6, 6, &keys);
        file.valid(&["Keys"], comment, &input, states.expected(6, &keys));
    }
}
