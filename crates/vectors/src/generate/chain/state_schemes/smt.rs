//! What is so of `smt` alone.

use prooflight_core::{Reason, Scheme};

use super::{States, with_proof};
use crate::generate::builder::Builder;
use crate::state::StateAnswer;

pub(super) fn add(file: &mut Builder) {
    let states = States::new();
    let honest = states.answer(Scheme::Smt, 6, 6, &[b"alice"]);
    let none = StateAnswer { keys: vec![], ..honest.clone() };
    file.invalid(&["Keys"], "smt: no key", &none, Reason::InvalidArgument);
    let input = with_proof(&none, vec![1, 3, 1]);
    file.invalid(&["Keys"], "smt: no key, and no part", &input, Reason::InvalidArgument);
    let input = with_proof(&honest, vec![1, 3, 1]);
    file.invalid(&["OtherBlock"], "smt: the tree without keys", &input, Reason::RootMismatch);
    let input = StateAnswer { allow_insecure_setup: true, ..honest };
    let expected = states.expected(6, &[b"alice"]);
    file.valid(&["Setup"], "smt: insecure setups are allowed, and it has none", &input, expected);

    for (comment, proof, kind) in [
        ("a history", states.smt.prove_history(b"alice", 0, 6), 2),
        ("a diff", states.smt.prove_diff(None, 6), 3),
    ] {
        let input = with_proof(&input, proof);
        assert_eq!(input.proof.0[2], kind, "the messages are numbered");
        let comment = format!("smt: {comment} instead of a proof of keys");
        file.invalid(&["OtherScheme"], comment, &input, Reason::UnknownKind);
    }
}
