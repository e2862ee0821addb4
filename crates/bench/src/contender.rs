//! One side of the comparison in a process of its own: loads work from a line of JSON, does it on an
//! empty line, and answers with what it measured.

use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

use prooflight_avl::{AvlProver, Params};
use prooflight_bench::{Case, PeerCase, PeerProver, Result, operations, read};
use prooflight_vectors::avl::Op;
use prooflight_vectors::carrier::Hex;
use serde::{Deserialize, Serialize};

use crate::allocations;
use crate::workload::PARAMS;

/// What a contender says about its work.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) nanoseconds: u64,
    pub(crate) allocations: usize,
    /// The digest after each batch.
    pub(crate) digests: Vec<Hex>,
    /// A prover's proof.
    pub(crate) proof: Hex,
}

/// Loads and works until the input ends.
pub(crate) fn serve(side: &str, role: &str) -> Result<()> {
    let mut contender: Box<dyn Contender> = match (side, role) {
        ("our", "prover") => Box::new(OurProver(AvlProver::new(LARGE)?, Vec::new())),
        ("their", "prover") => Box::new(TheirProver(PeerProver::new(&LARGE), Vec::new())),
        ("our", "verifier") => Box::new(OurVerifier(Vec::new())),
        ("their", "verifier") => Box::new(TheirVerifier(Vec::new())),
        _ => return Err(format!("no contender {side} {role}").into()),
    };
    for line in stdin().lock().lines() {
        let line = line?;
        if line.is_empty() {
            let mut out = stdout().lock();
            serde_json::to_writer(&mut out, &contender.work()?)?;
            out.write_all(b"\n")?;
            out.flush()?;
        } else {
            contender.load(&line)?;
        }
    }
    Ok(())
}

/// Dictionaries grow in batches beyond the default limit.
const LARGE: Params = PARAMS.with_max_operations(1 << 20);

trait Contender {
    /// Takes JSON: operations for a prover, a vector file for a verifier.
    fn load(&mut self, json: &str) -> Result<()>;
    /// Does what was loaded, and measures it.
    fn work(&mut self) -> Result<Answer>;
}

struct OurProver(AvlProver, Vec<Op>);

impl Contender for OurProver {
    fn load(&mut self, json: &str) -> Result<()> {
        self.1 = serde_json::from_str(json)?;
        Ok(())
    }

    fn work(&mut self) -> Result<Answer> {
        let ops: Vec<_> = self.1.iter().map(Op::borrow).collect();
        let (batch, answer) = measure(|| Ok(self.0.apply_batch(&ops)?))?;
        Ok(Answer { digests: vec![Hex(batch.digest.0.into())], proof: Hex(batch.proof), ..answer })
    }
}

struct TheirProver(PeerProver, Vec<Op>);

impl Contender for TheirProver {
    fn load(&mut self, json: &str) -> Result<()> {
        self.1 = serde_json::from_str(json)?;
        Ok(())
    }

    fn work(&mut self) -> Result<Answer> {
        let ops = operations(&self.1);
        let ((proof, digest), answer) = measure(|| self.0.apply(&ops))?;
        Ok(Answer { digests: vec![Hex(digest.0.into())], proof: Hex(proof.into()), ..answer })
    }
}

struct OurVerifier(Vec<Case>);

impl Contender for OurVerifier {
    fn load(&mut self, json: &str) -> Result<()> {
        self.0 = read(json)?;
        Ok(())
    }

    fn work(&mut self) -> Result<Answer> {
        let cases: Vec<_> = self.0.iter().map(|case| (case, case.operations())).collect();
        let mut digests = Vec::with_capacity(cases.len());
        let ((), answer) = measure(|| {
            cases.iter().try_for_each(|(case, ops)| Ok(digests.push(case.verify(ops)?)))
        })?;
        Ok(Answer {
            digests: digests.iter().map(|digest| Hex(digest.0.into())).collect(),
            ..answer
        })
    }
}

struct TheirVerifier(Vec<PeerCase>);

impl Contender for TheirVerifier {
    fn load(&mut self, json: &str) -> Result<()> {
        self.0 = read(json)?.iter().map(PeerCase::new).collect();
        Ok(())
    }

    fn work(&mut self) -> Result<Answer> {
        let mut digests = Vec::with_capacity(self.0.len());
        let ((), answer) =
            measure(|| self.0.iter().try_for_each(|case| Ok(digests.push(case.verify()?))))?;
        Ok(Answer {
            digests: digests.iter().map(|digest| Hex(digest.0.into())).collect(),
            ..answer
        })
    }
}

/// Times a call, and counts its allocations; freeing what it does not return is part of it.
fn measure<T>(call: impl FnOnce() -> Result<T>) -> Result<(T, Answer)> {
    let allocated = allocations::count();
    let start = Instant::now();
    let result = call();
    let time = start.elapsed();
    let answer = Answer {
        nanoseconds: u64::try_from(time.as_nanos())?,
        allocations: allocations::count() - allocated,
        digests: Vec::new(),
        proof: Hex::default(),
    };
    Ok((result?, answer))
}
