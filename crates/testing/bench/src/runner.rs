//! One side of the comparison, in its own process: loads work from a line of JSON, runs it on an
//! empty line, and answers with a line of JSON with the measurements.

use std::io::{Write, stdin, stdout};

use prooflight_avl::{AvlProver, Params};
use prooflight_bench::{PeerOperation, PeerProver, Result, VerifierCases, peer_operations};
use prooflight_json::HexBytes;
use prooflight_vectors::avl::AvlOp;
use serde::{Deserialize, Serialize};

use crate::account::{self, AccountProof};
use crate::allocations;
use crate::report::timed;
use crate::workload::DICTIONARY_PARAMS;

/// The measurements of one run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunMeasurement {
    pub(crate) nanoseconds: u64,
    pub(crate) allocations: usize,
    /// The digest after each batch, or the value of each account.
    pub(crate) digests: Vec<HexBytes>,
    /// The proof, if a prover ran.
    pub(crate) proof: HexBytes,
}

/// Loads and runs work until the input ends.
pub(crate) fn serve(side: &str, role: &str) -> Result<()> {
    let mut contender: Box<dyn WorkRunner> = match (side, role) {
        ("ours", "prover") => {
            Box::new(ProverRunner { dictionary: AvlProver::new(GROWTH_PARAMS)?, ops: Vec::new() })
        }
        ("peer", "prover") => Box::new(PeerProverRunner {
            dictionary: PeerProver::new(&GROWTH_PARAMS),
            ops: Vec::new(),
        }),
        ("ours", "verifier") => {
            Box::new(VerifierRunner { read: VerifierCases::ours, cases: VerifierCases::default() })
        }
        ("peer", "verifier") => {
            Box::new(VerifierRunner { read: VerifierCases::peer, cases: VerifierCases::default() })
        }
        ("ours", "account") => {
            Box::new(AccountRunner { verify: account::verify_ours, accounts: Vec::new() })
        }
        ("peer", "account") => {
            Box::new(AccountRunner { verify: account::verify_peers, accounts: Vec::new() })
        }
        _ => return Err(format!("no contender {side} {role}").into()),
    };
    for line in stdin().lines() {
        let line = line?;
        if line.is_empty() {
            let answer = serde_json::to_string(&contender.work()?)?;
            writeln!(stdout(), "{answer}")?;
        } else {
            contender.load(&line)?;
        }
    }
    Ok(())
}

/// Dictionaries are grown in batches larger than the default limit.
const GROWTH_PARAMS: Params = DICTIONARY_PARAMS.with_max_operations(1 << 20);

trait WorkRunner {
    /// Reads operations (provers) or a vector file (verifiers).
    fn load(&mut self, json: &str) -> Result<()>;
    /// Runs the work loaded last.
    fn work(&mut self) -> Result<RunMeasurement>;
}

/// Our prover.
struct ProverRunner {
    dictionary: AvlProver,
    ops: Vec<AvlOp>,
}

impl WorkRunner for ProverRunner {
    fn load(&mut self, json: &str) -> Result<()> {
        self.ops = serde_json::from_str(json)?;
        Ok(())
    }

    fn work(&mut self) -> Result<RunMeasurement> {
        let ops: Vec<_> = self.ops.iter().map(AvlOp::borrow).collect();
        let (batch, answer) = measure(|| Ok(self.dictionary.apply_batch(&ops)?))?;
        Ok(RunMeasurement {
            digests: vec![HexBytes(batch.digest.0.into())],
            proof: HexBytes(batch.proof),
            ..answer
        })
    }
}

/// The peer's prover.
struct PeerProverRunner {
    dictionary: PeerProver,
    ops: Vec<PeerOperation>,
}

impl WorkRunner for PeerProverRunner {
    fn load(&mut self, json: &str) -> Result<()> {
        self.ops = peer_operations(&serde_json::from_str::<Vec<AvlOp>>(json)?);
        Ok(())
    }

    fn work(&mut self) -> Result<RunMeasurement> {
        let ((proof, digest), answer) = measure(|| self.dictionary.apply(&self.ops))?;
        Ok(RunMeasurement {
            digests: vec![HexBytes(digest.0.into())],
            proof: HexBytes(proof.into()),
            ..answer
        })
    }
}

/// Our verifier or the peer's.
struct VerifierRunner {
    read: fn(&str) -> Result<VerifierCases>,
    cases: VerifierCases,
}

impl WorkRunner for VerifierRunner {
    fn load(&mut self, json: &str) -> Result<()> {
        self.cases = (self.read)(json)?;
        Ok(())
    }

    fn work(&mut self) -> Result<RunMeasurement> {
        let (digests, answer) = measure(|| self.cases.verify())?;
        let digests = digests.iter().map(|digest| HexBytes(digest.0.into())).collect();
        Ok(RunMeasurement { digests, ..answer })
    }
}

/// Our verifier of account proofs, or the peer's.
struct AccountRunner {
    verify: fn(&[AccountProof]) -> Result<Vec<HexBytes>>,
    accounts: Vec<AccountProof>,
}

impl WorkRunner for AccountRunner {
    fn load(&mut self, json: &str) -> Result<()> {
        self.accounts = account::accounts(json, account::PROOF_NODES)?;
        Ok(())
    }

    fn work(&mut self) -> Result<RunMeasurement> {
        let (digests, answer) = measure(|| (self.verify)(&self.accounts))?;
        Ok(RunMeasurement { digests, ..answer })
    }
}

/// Runs a call, measures its time and counts its allocations.
fn measure<T>(call: impl FnOnce() -> Result<T>) -> Result<(T, RunMeasurement)> {
    let before = allocations::count();
    let (result, time) = timed(call);
    let answer = RunMeasurement {
        nanoseconds: u64::try_from(time.as_nanos())?,
        allocations: allocations::count() - before,
        digests: Vec::new(),
        proof: HexBytes::default(),
    };
    Ok((result?, answer))
}
