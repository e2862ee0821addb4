//! As much as a chain or a verifier allows, and more.

use prooflight_core::Reason;
use prooflight_core::chain::ChainLimits;
use prooflight_json::HexBytes;
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;
use serde_json::json;

use super::{AmbChain, group, invalid, of_amb};
use crate::generate::amb::{count, range, small};
use crate::generate::builder::FileBuilder;

const FLAG: &str = "Limit";

pub(super) fn make(file: &mut FileBuilder) {
    values(file);
    bounds(file);
    entries(file);
    for (of, query) in [("range", range("aa", Some("c"), 5)), ("count", count("aa", Some("c")))] {
        let kept = AmbChain::new(small());
        let mut proof = prove(&small(), &query, None).encode();
        proof.resize((8 << 20) + 1, 0);
        let input = kept.proven(&query, 5, &proof);
        let comment = format!("{of}: a proof with zeros after it, one byte more than 8 MiB");
        invalid(file, FLAG, &comment, &input, Reason::ProofTooLarge);
        let input = kept.proven(&query, 5, &proof[..8 << 20]);
        let comment = format!("{of}: a proof with zeros after it, 8 MiB");
        invalid(file, FLAG, &comment, &input, Reason::TrailingBytes);
    }
}

/// The longest value of the small state has three bytes, `333` of `c`.
fn values(file: &mut FileBuilder) {
    let with = |max_key, max_value, state| {
        AmbChain::with(of_amb(ChainLimits { max_key, max_value, max_ops: 100 }), state)
    };
    let (all, counted) = (range("", None, 5), count("", None));
    let most = with(4, 3, small());
    let comment = "range: keys and values as long as the chain allows";
    most.valid(file, FLAG, comment, (&all, 5), None);
    let less = with(4, 2, small());
    let comment = "range: a value longer than the chain allows";
    invalid(file, FLAG, comment, &less.honest(&all, 5), Reason::ValueTooLarge);
    let comment = "range: a value longer than the chain allows, but not at the block";
    less.valid(file, FLAG, comment, (&range("", None, 1), 5), None);
    let comment = "count: a value longer than the chain allows, which is not shown";
    less.valid(file, FLAG, comment, (&counted, 5), None);
    let mut large = AmbModel::default();
    large.apply(0, [(b"large".to_vec(), Some(vec![0xa5; 65_537]))]);
    let query = range("", None, 0);
    let allowed = with(256, 65_537, large.clone());
    let comment = "range: a value above the default limit, which the chain allows";
    allowed.valid(file, FLAG, comment, (&query, 0), None);
    let refused = with(256, 65_536, large);
    let comment = "range: a value above the default limit";
    invalid(file, FLAG, comment, &refused.honest(&query, 0), Reason::ValueTooLarge);
}

/// Bounds are no keys: they may be longer than those of the chain, but have at most 257 bytes.
fn bounds(file: &mut FileBuilder) {
    let limits = ChainLimits { max_key: 4, max_value: 3, max_ops: 100 };
    let kept = AmbChain::with(of_amb(limits), small());
    let (lo, hi) = ([&b"aa"[..], &[0; 255]].concat(), [&b"m"[..], &[0xff; 256]].concat());
    let bounds = || (lo.clone(), Some(hi.clone()));
    let (from, to) = bounds();
    let ranged = Query::Range { lo: from, hi: to, at: 5, reverse: false };
    let (from, to) = bounds();
    let counted = Query::Count { lo: from, hi: to };
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
    let query = Query::Count { lo: after, hi: None };
    let comment = "count: no key after one of 256 bytes ff";
    kept.valid(file, FLAG, comment, (&query, 0), None);
    let query = range("", None, 0);
    let mut cut = vec![1, 0x82, 2];
    cut.extend([0x61; 258]);
    let mut proof = prove(&kept.after(0), &query, None);
    proof.cut = cut;
    let mut input = kept.honest(&query, 0);
    input["proof"] = json!(HexBytes(proof.encode()));
    let comment = "range: a page cut at a bound of 258 bytes";
    invalid(file, FLAG, comment, &input, Reason::InvalidEncoding);
}

/// A page opens at most 4,096 entries.
fn entries(file: &mut FileBuilder) {
    let keys = |number: u16| (0..number).map(|key| (key.to_be_bytes().to_vec(), Some(vec![])));
    let [mut most, mut more] = [AmbModel::default(), AmbModel::default()];
    most.apply(0, keys(4096));
    more.apply(0, keys(4097));
    let (kept, query) = (AmbChain::new(most), range("", None, 0));
    let honest = kept.honest(&query, 0);
    let mut found = kept.expected(&query, 0, None);
    // Their keys would be longer than the proof.
    found.shift_remove("entries");
    group(file, &honest);
    file.valid(&[FLAG], "range: 4,096 keys, the default limit of a page", &honest, found);
    let input = kept.proven(&query, 0, &prove(&more, &query, None).encode());
    let comment = "range: 4,097 keys, one more than the default limit of a page";
    invalid(file, FLAG, comment, &input, Reason::TooManyResults);
}
