//! One side of the comparison, in its own process: loads work from a line of JSON, runs it on an
//! empty line, and answers with a line of JSON with the measurements.

use std::io::{Write, stdin, stdout};

use prooflight_avl::{AvlProver, Params};
use prooflight_bench::{Cases, PeerOperation, PeerProver, Result, peer_operations};
use prooflight_json::Hex;
use prooflight_vectors::avl::Op;
use serde::{Deserialize, Serialize};

use crate::account::{self, Account};
use crate::allocations;
use crate::report::timed;
use crate::workload::PARAMS;

/// The measurements of one run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) nanoseconds: u64,
    pub(crate) allocations: usize,
    /// The digest after each batch, or the value of each account.
    pub(crate) digests: Vec<Hex>,
    /// The proof, if a prover ran.
    pub(crate) proof: Hex,
}

/// Loads and runs work until the input ends.
pub(crate) fn serve(side: &str, role: &str) -> Result<()> {
    let mut contender: Box<dyn Contender> = match (side, role) {
        ("ours", "prover") => {
            Box::new(Ours { dictionary: AvlProver::new(LARGE)?, ops: Vec::new() })
        }
        ("peer", "prover") => {
            Box::new(Peer { dictionary: PeerProver::new(&LARGE), ops: Vec::new() })
        }
        ("ours", "verifier") => Box::new(Verifier { read: Cases::ours, cases: Cases::default() }),
        ("peer", "verifier") => Box::new(Verifier { read: Cases::peer, cases: Cases::default() }),
        ("ours", "account") => Box::new(Accounts { verify: account::ours, accounts: Vec::new() }),
        ("peer", "account") => Box::new(Accounts { verify: account::peers, accounts: Vec::new() }),
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
const LARGE: Params = PARAMS.with_max_operations(1 << 20);

trait Contender {
    /// Reads operations (provers) or a vector file (verifiers).
    fn load(&mut self, json: &str) -> Result<()>;
    /// Runs the work loaded last.
    fn work(&mut self) -> Result<Answer>;
}

/// Our prover.
struct Ours {
    dictionary: AvlProver,
    ops: Vec<Op>,
}

impl Contender for Ours {
    fn load(&mut self, json: &str) -> Result<()> {
        self.ops = serde_json::from_str(json)?;
        Ok(())
    }

    fn work(&mut self) -> Result<Answer> {
        let ops: Vec<_> = self.ops.iter().map(Op::borrow).collect();
        let (batch, answer) = measure(|| Ok(self.dictionary.apply_batch(&ops)?))?;
        Ok(Answer { digests: vec![Hex(batch.digest.0.into())], proof: Hex(batch.proof), ..answer })
    }
}

/// The peer's prover.
struct Peer {
    dictionary: PeerProver,
    ops: Vec<PeerOperation>,
}

impl Contender for Peer {
    fn load(&mut self, json: &str) -> Result<()> {
        self.ops = peer_operations(&serde_json::from_str::<Vec<Op>>(json)?);
        Ok(())
    }

    fn work(&mut self) -> Result<Answer> {
        let ((proof, digest), answer) = measure(|| self.dictionary.apply(&self.ops))?;
        Ok(Answer { digests: vec![Hex(digest.0.into())], proof: Hex(proof.into()), ..answer })
    }
}

/// Our verifier or the peer's.
struct Verifier {
    read: fn(&str) -> Result<Cases>,
    cases: Cases,
}

impl Contender for Verifier {
    fn load(&mut self, json: &str) -> Result<()> {
        self.cases = (self.read)(json)?;
        Ok(())
    }

    fn work(&mut self) -> Result<Answer> {
        let (digests, answer) = measure(|| self.cases.verify())?;
        let digests = digests.iter().map(|digest| Hex(digest.0.into())).collect();
        Ok(Answer { digests, ..answer })
    }
}

/// Our verifier of account proofs, or the peer's.
struct Accounts {
    verify: fn(&[Account]) -> Result<Vec<Hex>>,
    accounts: Vec<Account>,
}

impl Contender for Accounts {
    fn load(&mut self, json: &str) -> Result<()> {
        self.accounts = account::accounts(json, account::NODES)?;
        Ok(())
    }

    fn work(&mut self) -> Result<Answer> {
        let (digests, answer) = measure(|| (self.verify)(&self.accounts))?;
        Ok(Answer { digests, ..answer })
    }
}

/// Runs a call, measures its time and counts its allocations.
fn measure<T>(call: impl FnOnce() -> Result<T>) -> Result<(T, Answer)> {
    let before = allocations::count();
    let (result, time) = timed(call);
    let answer = Answer {
        nanoseconds: u64::try_from(time.as_nanos())?,
        allocations: allocations::count() - before,
        digests: Vec::new(),
        proof: Hex::default(),
    };
    Ok((result?, answer))
}
