//! Honest numbers of keys between two bounds.

use prooflight_testkit::amb::state::AmbModel;

use super::AmbChain;
use super::pages::BOUNDS;
use crate::generate::amb::count;
use crate::generate::builder::FileBuilder;

const FLAG: &str = "Counts";

pub(super) fn make(file: &mut FileBuilder, kept: &AmbChain) {
    let (all, head) = (count("", None), kept.head());
    kept.valid(file, FLAG, "count: all keys of the head", (&all, head), None);
    for by in 0..head {
        let comment = format!("count: all keys after block {by}, by its header");
        kept.valid(file, FLAG, &comment, (&all, by), None);
    }
    for (what, lo, hi) in BOUNDS {
        let query = count(lo, hi);
        kept.valid(file, FLAG, &format!("count: {what}"), (&query, head), None);
        kept.valid(
            file,
            FLAG,
            &format!("count: {what}, after block 2, by its header"),
            (&query, 2),
            None,
        );
    }
    let nothing = AmbChain::new(AmbModel { height: 1, ..AmbModel::default() });
    nothing.valid(file, FLAG, "count: a state without keys", (&all, 1), None);
    let part = count("b", Some("d"));
    nothing.valid(file, FLAG, "count: a part of a state without keys", (&part, 1), None);
}
