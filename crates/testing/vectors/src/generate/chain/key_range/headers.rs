//! Headers that do not prove an answer: of another history, too old for it, or without a root.

use prooflight_core::chain::{ChainConfig, ChainLimits, Checkpoint, SchemeConfig};
use prooflight_core::{Hash, Reason, Scheme};
use prooflight_json::checkpoint::CheckpointJson;
use prooflight_json::{Hash32, HexBytes};
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;
use serde_json::{Value, json};

use super::super::header_chain::{accepted, config, header, sign, sync};
use super::{AmbChain, group, invalid, of_amb};
use crate::generate::amb::{answer, count, range, small};
use crate::generate::builder::{FileBuilder, expected};

const FLAG: &str = "Headers";

pub(super) fn make(file: &mut FileBuilder, kept: &AmbChain) {
    for (of, query) in [("range", range("ab", Some("m"), 3)), ("count", count("ab", Some("m")))] {
        places(file, kept, of, &query);
        roots(file, of, &query);
        heights(file, of, &query);
    }
    blocks(file, kept);
}

/// Headers that are not in the head's history, or not shown to be.
fn places(file: &mut FileBuilder, kept: &AmbChain, of: &str, query: &Query) {
    let fork = AmbChain::changed(of_amb(ChainLimits::default()), small(), |header| {
        header.timestamp_ms += 1;
    });
    let (chain, head) = (&kept.chain, kept.head());
    let honest = kept.honest(query, 3);
    let by_head = kept.honest(query, head);
    let path = |of: &[Hash]| json!(of.iter().copied().map(Hash32).collect::<Vec<_>>());
    let right = chain.path(3, head);
    let of_fork = json!(HexBytes(fork.chain.headers[3].encode()));
    let (signed, bytes) = (chain.signed(3).encode(), chain.headers[3].encode());
    let mut unsigned = chain.signed(head);
    unsigned.signatures[0].1[0] ^= 1;
    let mut case = |comment: &str, honest: &Value, changes: &[(&str, Value)], reason| {
        let mut input = honest.clone();
        for (name, value) in changes {
            input[*name] = value.clone();
        }
        invalid(file, FLAG, &format!("{of}: {comment}"), &input, reason);
    };
    let (no, argument) = (Reason::NotAnAncestor, Reason::InvalidArgument);
    case("the header is of a fork", &honest, &[("header", of_fork.clone())], no);
    let of_2 = json!(HexBytes(chain.headers[2].encode()));
    case("the header of another block with this path", &honest, &[("header", of_2)], no);
    case("the header has no path", &honest, &[("path", json!([]))], no);
    case("the path of the header is too short by one", &honest, &[("path", path(&right[1..]))], no);
    let longer = [&right[..], &right[..1]].concat();
    case("the path of the header is too long by one", &honest, &[("path", path(&longer))], no);
    let older = sync(&chain.checkpoint(0), &chain.signed(4), &chain.path(0, 4));
    let above = [
        ("head", json!(older.head)),
        ("inclusion", json!(older.inclusion)),
        ("header", json!(HexBytes(chain.headers[5].encode()))),
        ("path", json!([])),
    ];
    case("the header is above the head", &by_head, &above, no);
    let trailing = json!(HexBytes([&bytes[..], &[0]].concat()));
    case("a byte after the header", &honest, &[("header", trailing)], Reason::TrailingBytes);
    let signed = [("header", json!(HexBytes(signed)))];
    case("the header has signatures", &honest, &signed, Reason::TrailingBytes);
    case("the header is null", &honest, &[("header", Value::Null)], argument);
    case("the path of the header is null", &honest, &[("path", Value::Null)], argument);
    let short = [("path", json!(["0x00"]))];
    case("the path of the header has a hash of one byte", &honest, &short, argument);
    case("a path without a header", &by_head, &[("path", json!([]))], argument);
    let header = [("header", json!(HexBytes(bytes)))];
    case("a header without a path", &by_head, &header, argument);
    let wrong = [("head", json!(HexBytes(unsigned.encode()))), ("header", of_fork)];
    case(
        "a wrong signature, and the header is of a fork",
        &honest,
        &wrong,
        Reason::TooFewSignatures,
    );
    case("a head that is too old", &honest, &[("maxHeadAge", json!("0x3e7"))], Reason::HeadTooOld);
}

/// Chains whose headers, or some of them, have no root of `amb`.
fn roots(file: &mut FileBuilder, of: &str, query: &Query) {
    let wrong = Reason::WrongSchemes;
    let mut case = |comment: &str, kept: &AmbChain, by, change: &dyn Fn(&mut Value), reason| {
        let mut input = kept.honest(query, by);
        change(&mut input);
        invalid(file, FLAG, &format!("{of}: {comment}"), &input, reason);
    };
    let smt =
        ChainConfig { schemes: vec![SchemeConfig::without_params(Scheme::Smt)], ..config(1, 1) };
    let without = AmbChain::with(smt.clone(), small());
    case("a chain without the scheme", &without, 5, &|_| (), wrong);
    let sometimes = AmbChain::changed(smt, small(), |header| {
        if header.height == 3 {
            let root = small().as_of(3).root().to_vec();
            header.roots.push((Scheme::Amb.id(), root));
        }
    });
    let comment = "the header has a root of amb, which the chain does not keep";
    case(comment, &sometimes, 3, &|_| (), wrong);
    let missing = AmbChain::changed(of_amb(ChainLimits::default()), small(), |header| {
        if header.height == 3 {
            header.roots.clear();
        }
    });
    case("the header has no root of amb, which the chain keeps", &missing, 3, &|_| (), wrong);
    let no_proof = |input: &mut Value| {
        input["lo"] = json!("0x6d");
        input["proof"] = json!("0x");
    };
    let comment = "the header has no root of amb, the bounds are equal, and there is no proof";
    case(comment, &missing, 3, &no_proof, wrong);
    if let Query::Range { .. } = query {
        let above = |input: &mut Value| input["at"] = json!("0x4");
        let comment = "a block above the header, which has no root of amb";
        case(comment, &missing, 3, &above, Reason::InvalidResult);
        let comment = "a block above the head, on a chain without the scheme";
        case(comment, &without, 5, &|input| input["at"] = json!("0x6"), wrong);
    }
}

/// Blocks above the header whose root would have to prove them.
fn blocks(file: &mut FileBuilder, kept: &AmbChain) {
    let query = range("ab", Some("m"), 3);
    for (comment, by, at) in [
        ("a block above the head", 5, "0x6"),
        ("a block above the header, but not above the head", 3, "0x4"),
        ("the largest block that there can be", 5, "0xffffffffffffffff"),
        ("a block that is right when cut to 32 bits", 5, "0x100000003"),
    ] {
        let mut input = kept.honest(&query, by);
        input["at"] = json!(at);
        invalid(file, FLAG, &format!("range: {comment}"), &input, Reason::InvalidResult);
        input["proof"] = json!("0x");
        input["lo"] = json!("0x6d");
        let comment = format!("range: {comment}, the bounds are equal, and there is no proof");
        invalid(file, FLAG, &comment, &input, Reason::InvalidResult);
    }
}

/// Heads as high as blocks can be, and one more.
fn heights(file: &mut FileBuilder, of: &str, query: &Query) {
    for (height, is_valid) in [((1 << 52) - 1, true), (1 << 52, false)] {
        let state = AmbModel { height, ..small() };
        let config = of_amb(ChainLimits::default());
        let mut head = header(&config, height, [1; 32], [2; 32]);
        head.roots = vec![(Scheme::Amb.id(), state.root().to_vec())];
        let checkpoint = Checkpoint { config, height, header_hash: head.hash() };
        let synced = sync(&checkpoint, &sign(&head, &[0]), &[]);
        let mut input =
            AmbChain::new(small()).proven(query, 5, &prove(&state, query, None).encode());
        input["checkpoint"] = json!(CheckpointJson::from(&checkpoint));
        input["head"] = json!(synced.head);
        input["inclusion"] = json!([]);
        input["now"] = json!(synced.now);
        let number = if is_valid { "2^52 - 1, the last one" } else { "2^52, one after the last" };
        let comment = format!("{of}: the head is block {number}");
        if is_valid {
            let mut found = accepted(&head);
            found.extend(expected(answer(&state, query, None)));
            group(file, &input);
            file.valid(&[FLAG], comment, &input, found);
        } else {
            invalid(file, FLAG, &comment, &input, Reason::InvalidArgument);
        }
    }
}
