//! Every rule of the verifier, broken alone: each lie is refused, with the reason of its rule.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeSet;

use prooflight_amt::VerifyingKey;
use prooflight_core::{Reason, Result};
use prooflight_lvmt::{Params, verify};
use prooflight_testkit::lvmt::lies::{RefusedInput, lies};

fn outcome(RefusedInput { input: asked, .. }: &RefusedInput) -> Result<()> {
    let key =
        if asked.dev { VerifyingKey::dev(asked.log_n)? } else { VerifyingKey::ppot(asked.log_n)? };
    let params = Params {
        key: &key,
        log_arity: asked.log_arity,
        allow_insecure_setup: asked.allow_insecure_setup,
        limits: asked.limits,
    };
    verify(&asked.root, &asked.keys, &asked.proof, &params).map(drop)
}

#[test]
fn every_lie_is_refused_with_its_reason() {
    let wrong: Vec<_> = lies()
        .iter()
        .filter_map(|lie| match outcome(lie) {
            Ok(()) => Some(format!("{}: accepted", lie.comment)),
            Err(error) if error.reason() == lie.reason => None,
            Err(error) => Some(format!(
                "{}: {:?}, not {:?}: {error}",
                lie.comment,
                error.reason(),
                lie.reason
            )),
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The reasons that no other scheme has.
const OWN: [Reason; 15] = [
    Reason::InvalidSlot,
    Reason::InvalidEntry,
    Reason::PlaceTwice,
    Reason::ClaimCount,
    Reason::EntryCount,
    Reason::AmtCount,
    Reason::OwnerCount,
    Reason::SizeCount,
    Reason::LevelOutOfRange,
    Reason::NoChild,
    Reason::SlotFree,
    Reason::SlotTaken,
    Reason::OwnerRequested,
    Reason::OwnerElsewhere,
    Reason::OwnerVersion,
];

#[test]
fn every_reason_of_the_scheme_has_a_lie() {
    let told: BTreeSet<_> = lies().iter().map(|lie| lie.reason.as_str()).collect();
    let missing: Vec<_> = OWN.iter().filter(|own| !told.contains(own.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
