//! Questions that have no answer: of other schemes, and about bounds that are none.

use prooflight_core::Reason;
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use serde_json::{Value, json};

use super::{AmbChain, group, invalid, refused};
use crate::generate::amb::{count, range};
use crate::generate::builder::FileBuilder;

const FLAG: &str = "Question";

pub(super) fn make(file: &mut FileBuilder, kept: &AmbChain) {
    for (of, query) in [("range", range("ab", Some("m"), 3)), ("count", count("ab", Some("m")))] {
        let honest = kept.honest(&query, kept.head());
        schemes(file, of, &honest);
        bounds(file, kept, of, &query, &honest);
    }
}

fn schemes(file: &mut FileBuilder, of: &str, honest: &Value) {
    for scheme in ["avl", "lvmt", "smt", "mpt", "lmpt", "verkle", "AMB", ""] {
        let mut input = honest.clone();
        input["scheme"] = json!(scheme);
        let comment = format!("{of}: the scheme {scheme:?}");
        invalid(file, FLAG, &comment, &input, Reason::UnknownStatement);
        input["head"] = json!("0x");
        let comment = format!("{comment}, and no head");
        invalid(file, FLAG, &comment, &input, Reason::UnknownStatement);
    }
    let mut input = honest.clone();
    input["scheme"] = json!("smt");
    input["checkpoint"]["config"]["quorum"] = json!(0);
    let comment = format!("{of}: the scheme \"smt\", and a configuration with a quorum of 0");
    invalid(file, FLAG, &comment, &input, Reason::UnknownStatement);
    for (what, scheme) in [("missing", None), ("null", Some(Value::Null)), ("6", Some(json!(6)))] {
        let mut input = honest.clone();
        match scheme {
            Some(scheme) => input["scheme"] = scheme,
            None => drop(input.as_object_mut().and_then(|input| input.shift_remove("scheme"))),
        }
        let comment = format!("{of}: the scheme is {what}");
        invalid(file, FLAG, &comment, &input, Reason::InvalidArgument);
    }
}

fn bounds(file: &mut FileBuilder, kept: &AmbChain, of: &str, query: &Query, honest: &Value) {
    let (argument, length) = (Reason::InvalidArgument, Reason::KeyLength);
    let long = format!("0x{}", "61".repeat(258));
    let longer = format!("0x{}", "6d".repeat(258));
    for (comment, lo, hi, reason) in [
        ("bounds that are equal", "0x6d", json!("0x6d"), argument),
        ("two empty bounds", "0x", json!("0x"), argument),
        ("bounds in the wrong order", "0x6d", json!("0x6162"), argument),
        ("a lower bound that begins with the upper one", "0x6d00", json!("0x6d"), argument),
        ("a lower bound of 258 bytes", &long[..], json!("0x6d"), length),
        ("a lower bound of 258 bytes, without an upper one", &long[..], Value::Null, length),
        ("an upper bound of 258 bytes", "0x6162", json!(longer), length),
        ("bounds of 258 bytes that are equal", &long[..], json!(long), argument),
    ] {
        let mut input = honest.clone();
        input["lo"] = json!(lo);
        input["hi"] = hi;
        invalid(file, FLAG, &format!("{of}: {comment}"), &input, reason);
        input["proof"] = json!("0x");
        let comment = format!("{of}: {comment}, and no proof");
        invalid(file, FLAG, &comment, &input, reason);
    }
    for (comment, lo, hi) in [
        ("another upper bound", "ab", Some("d")),
        ("another lower bound", "cc", Some("m")),
        ("a later upper bound", "ab", Some("n")),
        ("no upper bound", "ab", None),
        ("an earlier lower bound", "", Some("m")),
    ] {
        let asked = match query {
            Query::Range { .. } => range(lo, hi, 3),
            _ => count(lo, hi),
        };
        let proof = prove(&kept.after(kept.head()), query, None).encode();
        let input = kept.proven(&asked, kept.head(), &proof);
        let comment = format!("{of}: {comment}, with the proof of the bounds before");
        if proof == prove(&kept.after(kept.head()), &asked, None).encode() {
            // The same nodes show another number, which is the right one.
            group(file, &input);
            file.valid(&[FLAG], comment, &input, kept.expected(&asked, kept.head(), None));
        } else {
            refused(file, FLAG, &comment, &input);
        }
    }
}
