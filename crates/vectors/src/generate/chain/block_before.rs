//! `chain/state_block.json`: blocks after a parent, after a digest, or after both.

use prooflight_core::chain::Header;
use prooflight_core::{Limits, Reason, Scheme};
use serde_json::{Value, json, to_value};

use super::ledger::{Ledger, seven_blocks};
use super::made::{config, config_of_all_schemes};
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::state::StateBlock;

const FLAGS: &[(&str, &str)] = &[
    ("Before", "what is known of the state before a block"),
    ("Encoding", "a digest or header that is none"),
    ("Input", "the input cannot be read as one of a StateBlock"),
    ("OtherParent", "the block does not follow the header that is given as its parent"),
    ("OtherState", "the operations do not lead from the state before to the header's"),
];

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    file.group("StateBlock");
    honest(&mut file, "one scheme", &Ledger::new(config(1, 1), seven_blocks()));
    let all = Ledger::new(config_of_all_schemes(), seven_blocks()[..4].to_vec());
    honest(&mut file, "all schemes", &all);
    parents(&mut file);
    states(&mut file);
    inputs(&mut file);
    file.finish()
}

/// A block with its parent, if it has one, and the digest before it.
fn both(ledger: &Ledger, height: usize) -> StateBlock {
    let parent = height.checked_sub(1).map(|before| Hex(ledger.chain.headers[before].encode()));
    let of = ledger.transition(height);
    let (digest, limits) = (Some(of.digest), of.limits);
    StateBlock { parent, digest, header: of.header, limits, ops: of.ops, proof: of.proof }
}

fn honest(file: &mut Builder, chain: &str, ledger: &Ledger) {
    for height in 0..ledger.blocks.len() {
        let input = both(ledger, height);
        let alone = StateBlock { digest: None, ..input.clone() };
        let known = if height == 0 { "nothing" } else { "its parent" };
        let digest = StateBlock { parent: None, ..input.clone() };
        for (known, input) in
            [("its parent, if any, and the digest", input), (known, alone), ("the digest", digest)]
        {
            let comment = format!("block {height} after {known}, {chain}");
            file.valid(&["Before"], comment, &input, ledger.expected_digest(height));
        }
    }
}

fn change(header: &Hex, change: impl FnOnce(&mut Header)) -> Header {
    let mut header = Header::decode(&header.0, &Limits::DEFAULT).expect("an honest header");
    change(&mut header);
    header
}

fn parents(file: &mut Builder) {
    let ledger = Ledger::new(config(1, 1), seven_blocks());
    let honest = both(&ledger, 4);
    let encoded = |at: usize| Some(Hex(ledger.chain.headers[at].encode()));
    let parent = honest.parent.clone().expect("it has one");
    let mut refuse = |comment: &str, reason, input: StateBlock| {
        file.invalid(&["OtherParent"], comment, &input, reason);
        let comment = format!("{comment}, without the digest");
        file.invalid(&["OtherParent"], comment, &StateBlock { digest: None, ..input }, reason);
    };
    for (comment, at) in [
        ("the parent's parent", 2),
        ("the block itself as its parent", 4),
        ("the next block as its parent", 5),
        ("genesis as its parent", 0),
    ] {
        let input = StateBlock { parent: encoded(at), ..honest.clone() };
        refuse(comment, Reason::NotExtending, input);
    }
    let genesis = StateBlock { parent: encoded(0), ..both(&ledger, 0) };
    refuse("a parent of block 0", Reason::NotExtending, genesis);
    let other = change(&parent, |header| header.chain[0] ^= 1);
    let input = StateBlock { parent: Some(Hex(other.encode())), ..honest.clone() };
    refuse("a parent with the same root, of another chain", Reason::NotExtending, input);
    // The block names its parent rightly, but does not come after it.
    let follows = |of: &dyn Fn(&mut Header), block: &dyn Fn(&mut Header)| {
        let before = change(&parent, of);
        let header = change(&honest.header, |header| {
            header.parent = before.hash();
            block(header);
        });
        let (parent, header) = (Some(Hex(before.encode())), Hex(header.encode()));
        StateBlock { parent, header, ..honest.clone() }
    };
    let wrong = Reason::InvalidHeader;
    for height in [1, 3, 5, 4 + (1 << 32), u64::MAX] {
        let input = follows(&|_| {}, &|header| header.height = height);
        refuse(&format!("block {height} after block 3"), wrong, input);
    }
    let input = follows(&|header| header.height = u64::MAX, &|_| {});
    refuse("block 4 after block 2^64 - 1", wrong, input);
    for (comment, ahead) in [("at the same time as", 0), ("a millisecond before", 1)] {
        let time = change(&honest.header, |_| {}).timestamp_ms + ahead;
        let input = follows(&|header| header.timestamp_ms = time, &|_| {});
        refuse(&format!("a block {comment} its parent"), wrong, input);
    }
    let time = change(&honest.header, |_| {}).timestamp_ms - 1;
    let input = follows(&|header| header.timestamp_ms = time, &|_| {});
    let comment = "a block a millisecond after its parent";
    file.valid(&["Before"], comment, &input, ledger.expected_digest(4));

    let plain = |header: &mut Header| header.roots.retain(|(id, _)| *id != Scheme::Avl.id());
    let input = follows(&plain, &|_| {});
    let comment = "a parent without a root of the scheme, and the digest";
    file.valid(&["Before"], comment, &input, ledger.expected_digest(4));
    let input = StateBlock { digest: None, ..input };
    let comment = "a parent without a root of the scheme, and no digest";
    file.invalid(&["OtherParent"], comment, &input, Reason::WrongSchemes);
}

fn states(file: &mut Builder) {
    let ledger = Ledger::new(config(1, 1), seven_blocks());
    let honest = both(&ledger, 4);
    let neither = |input: &StateBlock| StateBlock { parent: None, digest: None, ..input.clone() };
    let unknown = Reason::InvalidArgument;
    file.invalid(&["Before"], "neither a parent nor a digest", &neither(&honest), unknown);
    // The state before is the empty one, but not since this is block 0.
    let empty = Ledger::new(config(1, 1), vec![vec![], seven_blocks()[0].clone()]);
    let input = neither(&both(&empty, 1));
    let comment = "block 1 after an empty state, neither a parent nor a digest";
    file.invalid(&["Before"], comment, &input, unknown);
    let digest = |at: usize| Some(ledger.blocks[at].after.digest());
    let mut refuse = |comment: &str, input: &StateBlock| {
        file.refused(&["OtherState"], comment, input);
    };
    refuse("the digest of an earlier state", &StateBlock { digest: digest(2), ..honest.clone() });
    refuse("the digest of the state after", &StateBlock { digest: digest(4), ..honest.clone() });
    let other = StateBlock { proof: both(&ledger, 5).proof, digest: None, ..honest.clone() };
    refuse("the transition of another block, after its parent", &other);
    let other = StateBlock { digest: digest(3), ..neither(&both(&ledger, 0)) };
    refuse("block 0 after a state that is not empty", &other);
    let fewer = StateBlock { ops: honest.ops[1..].to_vec(), digest: None, ..honest.clone() };
    let mismatch = Reason::OperationsMismatch;
    file.invalid(&["OtherState"], "an operation left out", &fewer, mismatch);
    let header = change(&honest.header, |header| {
        header.roots[0].1.clone_from(&ledger.blocks[3].after.digest().0);
    });
    let input = StateBlock { header: Hex(header.encode()), digest: None, ..honest.clone() };
    let comment = "a header with the state before the block, after its parent";
    file.invalid(&["OtherState"], comment, &input, Reason::StateRootMismatch);

    let none = Some(Hex(vec![]));
    let with = |parent: &Option<Hex>, digest: &Option<Hex>, header: &Hex| {
        let (parent, digest, header) = (parent.clone(), digest.clone(), header.clone());
        StateBlock { parent, digest, header, ..honest.clone() }
    };
    let longer = honest.parent.as_ref().map(|parent| Hex([&parent.0[..], &[0]].concat()));
    let (StateBlock { parent, digest, header, .. }, bare) = (&honest, &Hex(vec![]));
    for (comment, input, reason) in [
        ("no bytes of a parent", with(&none, digest, header), Reason::InvalidEncoding),
        ("a byte after the parent", with(&longer, digest, header), Reason::TrailingBytes),
        ("no bytes of a digest", with(parent, &none, header), Reason::DigestLength),
        ("no bytes of a digest and of a header", with(parent, &none, bare), Reason::DigestLength),
        (
            "a byte after the parent, and no digest",
            with(&longer, &none, bare),
            Reason::TrailingBytes,
        ),
        ("no bytes of a header", with(parent, digest, bare), Reason::InvalidEncoding),
        (
            "another parent, and no header",
            with(&Some(header.clone()), digest, bare),
            Reason::InvalidEncoding,
        ),
    ] {
        file.invalid(&["Encoding"], comment, &input, reason);
    }
}

fn inputs(file: &mut Builder) {
    let ledger = Ledger::new(config(1, 1), seven_blocks());
    let honest = to_value(both(&ledger, 1)).expect("plain data");
    let mut refuse = |comment: &str, input: &Value| {
        file.invalid(&["Input"], comment, input, Reason::InvalidArgument);
    };
    for member in ["parent", "digest", "header", "limits", "ops", "proof"] {
        let mut input = honest.clone();
        for value in [json!(null), json!(1), json!(true)] {
            input[member] = value.clone();
            refuse(&format!("{member} is {value}"), &input);
        }
        input.as_object_mut().expect("an object").shift_remove(member);
        if !["parent", "digest"].contains(&member) {
            refuse(&format!("{member} is missing"), &input);
        }
    }
    let mut input = honest;
    input["before"] = json!("0x");
    refuse("an unknown member", &input);
}
