//! As much as a chain or a verifier allows.

use prooflight_core::chain::ChainLimits;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;

use super::{AmbChain, group, of_amb};
use crate::generate::amb::{count, range, small};
use crate::generate::builder::FileBuilder;

const FLAG: &str = "Limit";

pub(super) fn make(file: &mut FileBuilder) {
    values(file);
    bounds(file);
    entries(file);
}

/// The longest value of the small state has three bytes, `333` of `c`.
fn values(file: &mut FileBuilder) {
    let with = |max_key, max_value, state| {
        AmbChain::with(of_amb(ChainLimits { max_key, max_value, max_ops: 100 }), state)
    };
    let comment = "range: keys and values as long as the chain allows";
    with(4, 3, small()).valid(file, FLAG, comment, (&range("", None, 5), 5), None);
    let less = with(4, 2, small());
    let comment = "range: a value longer than the chain allows, but not at the block";
    less.valid(file, FLAG, comment, (&range("", None, 1), 5), None);
    let comment = "count: a value longer than the chain allows, which is not shown";
    less.valid(file, FLAG, comment, (&count("", None), 5), None);
    let mut large = AmbModel::default();
    large.apply(0, [(b"large".to_vec(), Some(vec![0xa5; 65_537]))]);
    let allowed = with(256, 65_537, large);
    let comment = "range: a value above the default limit, which the chain allows";
    allowed.valid(file, FLAG, comment, (&range("", None, 0), 0), None);
}

/// Bounds are no keys: they may be longer than those of the chain, but have at most 257 bytes.
fn bounds(file: &mut FileBuilder) {
    let limits = ChainLimits { max_key: 4, max_value: 3, max_ops: 100 };
    let kept = AmbChain::with(of_amb(limits), small());
    let (lo, hi) = ([&b"aa"[..], &[0; 255]].concat(), [&b"m"[..], &[0xff; 256]].concat());
    let ranged = Query::Range { lo: lo.clone(), hi: Some(hi.clone()), at: 5, reverse: false };
    let counted = Query::Count { lo, hi: Some(hi) };
    for (of, query, edge) in [
        ("range", ranged, range("aaaaa", Some("kaa11"), 5)),
        ("count", counted, count("aaaaa", Some("kaa11"))),
    ] {
        let comment = format!("{of}: bounds one byte longer than a key of the chain");
        kept.valid(file, FLAG, &comment, (&edge, 5), None);
        let comment = format!("{of}: bounds of 257 bytes");
        kept.valid(file, FLAG, &comment, (&query, 5), None);
    }
    // The longest key, and its first successor as a bound.
    let key = [0xff; 256];
    let mut state = AmbModel::default();
    state.apply(0, [(key.to_vec(), Some(b"1".to_vec())), (b"a".to_vec(), Some(b"2".to_vec()))]);
    let kept = AmbChain::new(state);
    let after = [&key[..], &[0]].concat();
    let query = Query::Range { lo: key.to_vec(), hi: Some(after.clone()), at: 0, reverse: false };
    let comment = "range: a key of 256 bytes, up to the first one after it";
    kept.valid(file, FLAG, comment, (&query, 0), None);
    let comment = "count: no key after one of 256 bytes ff";
    kept.valid(file, FLAG, comment, (&Query::Count { lo: after, hi: None }, 0), None);
}

/// A page opens at most 4,096 entries.
fn entries(file: &mut FileBuilder) {
    let mut most = AmbModel::default();
    most.apply(0, (0..4096_u16).map(|key| (key.to_be_bytes().to_vec(), Some(vec![]))));
    let (kept, query) = (AmbChain::new(most), range("", None, 0));
    let honest = kept.honest(&query, 0);
    let mut found = kept.expected(&query, 0, None);
    // Their keys would be longer than the proof.
    found.shift_remove("entries");
    group(file, &honest);
    file.valid(&[FLAG], "range: 4,096 keys, the default limit of a page", &honest, found);
}
