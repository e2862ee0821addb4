//! The caller's arguments, and honest proofs about something else.

use prooflight_core::{Limits, Reason};
use prooflight_lvmt::LvmtRoot;

use super::super::sample::{find, name, sample};
use super::{LieCollector, RefusedInput, VerifierInput};

pub(super) fn lies() -> Vec<RefusedInput> {
    let state = sample(4, 2, 60);
    let key = find(&state, |record| record.level == 0 && record.value.is_some());
    let mut told = LieCollector::new("Question", &state);
    let honest = || VerifierInput::new(&state, &[&key], &state.prove(&[&key]));
    let mut asked = |reason, comment: &str, by: &dyn Fn(&mut VerifierInput)| {
        let mut question = honest();
        by(&mut question);
        told.question(reason, comment, question);
    };

    asked(Reason::InsecureSetup, "the development setup, which the caller does not allow", &|q| {
        q.allow_insecure_setup = false;
    });
    asked(Reason::OpeningMismatch, "another setup than the chain's", &|q| q.dev = false);
    asked(Reason::InvalidArgument, "an arity of 2^3 for vectors of 2^4", &|q| q.log_arity = 3);
    asked(Reason::InvalidArgument, "an arity of 1", &|q| q.log_arity = 0);
    asked(Reason::InvalidArgument, "vectors of 2^17 entries", &|q| {
        (q.log_n, q.log_arity) = (17, 1);
    });
    asked(Reason::InvalidArgument, "a height without a next one", &|q| q.root.height = u64::MAX);
    asked(Reason::TooManyKeys, "more keys than the limit", &|q| {
        q.limits = Limits { max_keys: 0, ..Limits::DEFAULT };
    });
    asked(Reason::ValueTooLarge, "a value longer than the limit", &|q| {
        q.limits = Limits { max_value_bytes: 0, ..Limits::DEFAULT };
    });
    asked(Reason::OpeningLength, "a chain of arity 2, a proof of arity 4", &|q| q.log_arity = 1);
    asked(Reason::OpeningLength, "a chain of arity 16, a proof of arity 4", &|q| q.log_arity = 4);

    let other = name(1000);
    asked(Reason::RootMismatch, "another key than the proof is about", &|q| {
        q.keys[0].clone_from(&other);
    });
    asked(Reason::ClaimCount, "a second key that the proof says nothing of", &|q| {
        q.keys.push(other.clone());
    });
    asked(Reason::ClaimCount, "no key, but a proof of one", &|q| q.keys.clear());

    let mut later = state.clone();
    later.commit(&[(&key[..], Some(b"later"))]);
    asked(Reason::OpeningMismatch, "the commitment of a later block", &|q| {
        q.root.aroot = later.root().aroot;
    });
    asked(Reason::PathLength, "the leaves of a later block", &|q| {
        q.root = LvmtRoot { aroot: q.root.aroot, ..later.root() };
    });
    asked(Reason::PathLength, "the right roots at another height", &|q| q.root.height += 1);
    asked(Reason::RootMismatch, "the leaves of other blocks", &|q| q.root.hroot[0] ^= 1);
    asked(Reason::InvalidPoint, "a commitment that is no point", &|q| q.root.aroot = [0xff; 32]);
    asked(Reason::OpeningMismatch, "the commitment of the empty state", &|q| {
        q.root.aroot = [0; 32];
        q.root.aroot[31] = 0x40;
    });
    told.lies
}
