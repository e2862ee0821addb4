//! Several things are wrong, and the first of them says why.

use prooflight_core::Reason;
use prooflight_lvmt::proof::{Amt, OpeningForm, Owner, Place, Proof, Version};

use super::input;
use super::lies::Question;
use super::sample::{name, sample};
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::lvmt::LvmtProof;

const FLAG: &str = "Order";

/// Adds to a proof something that nothing reads.
type Leave<'a> = &'a dyn Fn(&mut Proof);

/// The flag of these tests, and its note.
pub(super) const NOTE: (&str, &str) =
    (FLAG, "several things are wrong, and the first of them says why");

pub(super) fn add(file: &mut Builder) {
    let state = sample(4, 2, 24);
    let key = name(1);
    let honest = state.prove(&[&key]);
    let question = input(&Question::new(&state, &[&key], &honest));
    let argument = LvmtProof { log_arity: 3, proof: Hex(Vec::new()), ..question };
    let comment = "an arity that does not fit, and no proof at all";
    file.invalid(&[FLAG], comment, &argument, Reason::InvalidArgument);

    let place = Place { block: 0, index: 0 };
    let amt = Amt { commitment: [0; 32], place, opening: OpeningForm::Single };
    let version = Version::new(1).expect("a small version");
    let owner = Owner { key_hash: [0; 32], version, value_hash: None, place };
    let entry = *honest.entries.first().expect("the root's entry");
    let lists: [(&str, Reason, Leave<'_>); 4] = [
        ("entries", Reason::EntryCount, &|proof| proof.entries.push(entry)),
        ("amts", Reason::AmtCount, &|proof| proof.amts.push(amt)),
        ("points", Reason::OpeningLength, &|proof| proof.points.push([0; 32])),
        ("owners", Reason::OwnerCount, &|proof| proof.owners.push(owner)),
    ];
    for pair in lists.windows(2) {
        let [(one, reason, leave), (other, _, leave_other)] = pair else { continue };
        let mut proof = honest.clone();
        leave(&mut proof);
        leave_other(&mut proof);
        let comment = format!("{one} and {other} left over");
        let input = input(&Question::new(&state, &[&key], &proof));
        file.invalid(&[FLAG], comment, &input, *reason);
    }
}
