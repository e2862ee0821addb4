//! Proofs that break one rule each, and the reason for which they must be refused.
//!
//! If a rule is about more than the form, everything else is consistent: the liar computes hashes and
//! openings for its claims, under roots of its own if necessary.

mod absence;
mod deep;
mod encoding;
mod leaves;
pub mod nodes;
mod openings;
mod question;
mod walks;

use prooflight_core::{Limits, Reason};
use prooflight_lvmt::LvmtRoot;
use prooflight_lvmt::proof::{PROOF_ENVELOPE, Proof};

use super::state::LvmtModel;

/// The inputs of the verifier.
#[derive(Clone, Debug)]
pub struct VerifierInput {
    /// Whether the setup is the development one; otherwise it is that of the ceremony.
    pub dev: bool,
    pub log_n: u8,
    pub log_arity: u8,
    pub allow_insecure_setup: bool,
    pub root: LvmtRoot,
    pub keys: Vec<Vec<u8>>,
    pub limits: Limits,
    pub proof: Vec<u8>,
}

/// A question that must be refused.
#[derive(Clone, Debug)]
pub struct RefusedInput {
    pub flag: &'static str,
    pub comment: String,
    pub input: VerifierInput,
    pub reason: Reason,
}

/// All lies.
pub fn lies() -> Vec<RefusedInput> {
    let mut lies = encoding::lies();
    lies.extend(question::lies());
    lies.extend(walks::lies());
    lies.extend(absence::lies());
    lies.extend(leaves::lies());
    lies.extend(openings::lies());
    lies.extend(deep::lies());
    lies.extend(nodes::lies());
    lies
}

impl VerifierInput {
    pub fn new(state: &LvmtModel, keys: &[&[u8]], proof: &Proof) -> Self {
        Self {
            dev: true,
            log_n: state.setup.log_n,
            log_arity: state.log_arity,
            allow_insecure_setup: true,
            root: state.root(),
            keys: keys.iter().map(|key| key.to_vec()).collect(),
            limits: Limits::DEFAULT,
            proof: PROOF_ENVELOPE.encode(proof),
        }
    }
}

/// Lies of one kind, told about one state.
struct LieCollector<'a> {
    flag: &'static str,
    state: &'a LvmtModel,
    lies: Vec<RefusedInput>,
}

impl<'a> LieCollector<'a> {
    fn new(flag: &'static str, state: &'a LvmtModel) -> Self {
        Self { flag, state, lies: Vec::new() }
    }

    /// A proof about the state.
    fn proof(&mut self, reason: Reason, comment: &str, keys: &[&[u8]], proof: &Proof) {
        self.question(reason, comment, VerifierInput::new(self.state, keys, proof));
    }

    /// A proof about another state.
    fn about(
        &mut self,
        state: &LvmtModel,
        reason: Reason,
        comment: &str,
        keys: &[&[u8]],
        proof: &Proof,
    ) {
        self.question(reason, comment, VerifierInput::new(state, keys, proof));
    }

    /// The honest proof about these keys, changed.
    fn change(&mut self, reason: Reason, comment: &str, keys: &[&[u8]], by: impl Fn(&mut Proof)) {
        let mut proof = self.state.prove(keys);
        by(&mut proof);
        self.proof(reason, comment, keys, &proof);
    }

    /// The honest proof about these keys, changed, with the hashes for the changed places.
    fn sealed(&mut self, reason: Reason, comment: &str, keys: &[&[u8]], by: impl Fn(&mut Proof)) {
        let mut proof = self.state.prove(keys);
        by(&mut proof);
        self.state.seal(&mut proof);
        self.proof(reason, comment, keys, &proof);
    }

    fn question(&mut self, reason: Reason, comment: &str, question: VerifierInput) {
        let (flag, comment) = (self.flag, comment.to_owned());
        self.lies.push(RefusedInput { flag, comment, input: question, reason });
    }
}
