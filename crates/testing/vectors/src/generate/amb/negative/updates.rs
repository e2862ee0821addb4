//! Updates, and the arguments of a verification.

use prooflight_core::Reason;
use prooflight_testkit::amb::proof::{HistoryPart, ProofNode};
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::tree::peaks;
use serde_json::json;

use super::{hashes, record};
use crate::generate::amb::lies::AmbLies;
use crate::generate::amb::{
    delete, get, hist, input, owned, part, range, set, transfer, update, update_input,
};

pub(super) fn updates(lies: &mut AmbLies<'_>) {
    let state = lies.state.clone();
    let few = part(&state, &["aa"]).1;
    let ops = [set("aa", "n"), set("ez", "n")];
    let keys = owned(&["aa", "ez"]);
    lies.rejected("the proof of fewer keys", &update_input(&state, &ops, &[(keys, few)]));

    let query = Query::Update { keys: owned(&["aa"]) };
    let mut proof = lies.honest(&query);
    *proof.on_path(b"aa", 2) = ProofNode::closed(&record(&state, b"aa", 2), 5, true);
    let parts = [(owned(&["aa"]), proof.encode())];
    let input = update_input(&state, &[set("aa", "n")], &parts);
    let comment = "a child closed that an operation needs";
    lies.invalid(comment, &input, Reason::NodeNotExpanded);

    for (comment, op, key, reason) in [
        (
            "an operation on a key that was not asked for",
            set("m", "n"),
            "aa",
            Reason::NodeNotExpanded,
        ),
        (
            "an operation on the neighbour that the proof shows as another key's",
            set("c", "n"),
            "b",
            Reason::NodeNotExpanded,
        ),
        ("the deletion of a key that was never written", delete("b"), "b", Reason::KeyAbsent),
        ("the deletion of a key that is deleted", delete("d"), "d", Reason::KeyAbsent),
    ] {
        lies.invalid(comment, &update(&state, &[op], &[&[key]]), reason);
    }

    let (mut other, c) = (peaks(&hashes(&state, b"c")), Query::Update { keys: owned(&["c"]) });
    other[0][0] ^= 1;
    let mut forgotten = lies.honest(&c);
    forgotten.leaf(b"c").past = other.into_iter().map(HistoryPart::Hash).collect();
    let mut fewer = lies.honest(&c);
    fewer.leaf(b"c").versions = 2;
    fewer.leaf(b"c").past = vec![HistoryPart::Hash(hashes(&state, b"c")[0])];
    for (comment, proof) in [
        ("peaks of another history, so that the next root would forget it", forgotten),
        ("a number of versions lower by one, with the peaks of that number", fewer),
    ] {
        let parts = [(owned(&["c"]), proof.encode())];
        lies.invalid(
            comment,
            &update_input(&state, &[set("c", "n")], &parts),
            Reason::RootMismatch,
        );
    }
    let parts = [part(&state, &["aa"]), part(&state.as_of(3), &["m"])];
    let input = update_input(&state, &[set("aa", "n"), set("m", "n")], &parts);
    lies.invalid("two parts, one against another root", &input, Reason::RootMismatch);
}

pub(super) fn arguments(lies: &mut AmbLies<'_>) {
    let state = lies.state.clone();
    let honest = |query: &Query| input(&state, query, &prove(&state, query, None).encode());
    let one = get(&["aa"], 5);
    let (histories, part) = (hist(&["c"], 0, 5), range("ab", Some("m"), 5));
    let changed = transfer("", None, Some(5));
    let long = "0x".to_owned() + &"61".repeat(257);
    let longer = "0x".to_owned() + &"6d".repeat(258);
    let root = honest(&one)["root"].as_str().map(|root| root[..64].to_owned());
    let argument = Reason::InvalidArgument;
    for (comment, query, place, value, reason) in [
        ("a root of 31 bytes", &one, "root", json!(root), argument),
        ("B above R", &one, "at", json!("0x6"), argument),
        ("R is 2^52", &one, "block", json!("0x10000000000000"), argument),
        (
            "a history from a later block to an earlier one",
            &histories,
            "to",
            json!("0x0"),
            argument,
        ),
        ("a history to a block above R", &histories, "to", json!("0x6"), argument),
        ("a range whose bounds are equal", &part, "hi", json!("0x6162"), argument),
        ("a range whose bounds are in the wrong order", &part, "hi", json!("0x6161"), argument),
        ("a transfer of changes after a block above R", &changed, "after", json!("0x6"), argument),
        ("no key", &one, "keys", json!([]), argument),
        ("a limit of no entries", &part, "limits", json!({ "maxEntries": 0 }), argument),
        (
            "more keys than the limit, repetitions counted",
            &get(&["aa", "aa"], 5),
            "limits",
            json!({ "maxKeys": 1 }),
            Reason::TooManyKeys,
        ),
        (
            "a key of 257 bytes where it is asked for",
            &one,
            "keys",
            json!([long]),
            Reason::KeyLength,
        ),
        ("a bound of 258 bytes", &part, "hi", json!(longer), Reason::KeyLength),
    ] {
        let mut input = honest(query);
        if comment == "a history from a later block to an earlier one" {
            input["from"] = json!("0x5");
        }
        input[place] = value;
        lies.invalid(comment, &input, reason);
    }
}
