//! The comparisons: batches on large dictionaries, blocks of the Ergo mainnet, and accounts of
//! Ethereum mainnet.

use std::io::{IsTerminal, stderr};

use prooflight_avl::{AvlProver, Digest};
use prooflight_bench::{BatchCase, HashInputs, LabelCounts, Result, VerifierCases, read, write};
use prooflight_json::HexBytes;
use prooflight_vectors::avl::AvlOp;
use serde_json::Value;

use crate::BenchPlan;
use crate::account;
use crate::process::ProcessPair;
use crate::report::{ReportTable, TimeSamples, timed};
use crate::workload::{BATCH_OPERATIONS, BatchWorkload, DICTIONARY_PARAMS};

/// Compares provers and verifiers on one dictionary.
pub(crate) fn dictionary(table: &mut ReportTable, keys: usize, plan: BenchPlan) -> Result<()> {
    let name = match keys {
        1_000_000.. => format!("{} M keys", keys / 1_000_000),
        _ => format!("{} k keys", keys / 1000),
    };
    let mut workload = BatchWorkload::new();
    let mut provers = ProcessPair::start("prover")?;
    let mut before = AvlProver::new(DICTIONARY_PARAMS)?.digest();
    progress(&format!("{name}: inserting"), 0, keys);
    while let Some(ops) = workload.grow(keys) {
        provers.load(&serde_json::to_string(&ops)?)?;
        before = digest(&provers.work()?.digests)?;
        progress(&format!("{name}: inserting"), workload.keys(), keys);
    }
    let mut times = <[TimeSamples; 2]>::default();
    let mut verifiers = VerifierTimes::default();
    let mut proof_bytes = 0;
    for number in 0..plan.batches {
        progress(&format!("{name}: batches"), number, plan.batches);
        let ops = workload.batch();
        provers.load(&serde_json::to_string(&ops)?)?;
        let answers = provers.compete()?;
        TimeSamples::add_both(&mut times, &answers);
        let [proved, _] = answers;
        let after = digest(&proved.digests)?;
        let case =
            BatchCase { params: DICTIONARY_PARAMS, before, after, ops, proof: proved.proof.0 };
        proof_bytes += case.proof.len();
        before = after;
        verifiers.verify(&write(core::slice::from_ref(&case))?, plan.repeats)?;
    }
    progress_ends();
    table.times(&name, "prover", &times);
    let per_operation = proof_bytes / (plan.batches * BATCH_OPERATIONS);
    table.both("  bytes of proof an operation", [per_operation; 2]);
    verifiers.report(table, "");
    Ok(())
}

/// Compares verifiers on all blocks of a vector file.
pub(crate) fn blocks(table: &mut ReportTable, json: &str, plan: BenchPlan) -> Result<()> {
    let name = format!("{} Ergo blocks", read(json)?.len());
    // Contenders read a single line.
    let json: Value = serde_json::from_str(json)?;
    let json = json.to_string();
    let mut verifiers = VerifierTimes::default();
    for _ in 0..plan.batches {
        verifiers.verify(&json, plan.repeats)?;
    }
    verifiers.report(table, &name);
    Ok(())
}

/// Compares verifiers on the mainnet account proofs of a vector file.
pub(crate) fn accounts(table: &mut ReportTable, json: &str, plan: BenchPlan) -> Result<()> {
    let cases = account::accounts(json, account::PROOF_NODES)?;
    let verifications = cases.len() * account::VERIFY_REPEATS;
    let json: Value = serde_json::from_str(json)?;
    let json = json.to_string();
    let mut times = <[TimeSamples; 2]>::default();
    let mut hashing = TimeSamples::default();
    let mut allocations = [0; 2];
    for _ in 0..plan.batches {
        let mut pair = ProcessPair::start("account")?;
        pair.load(&json)?;
        allocations = pair.compete()?.map(|answer| answer.allocations / verifications);
        for _ in 0..plan.repeats {
            TimeSamples::add_both(&mut times, &pair.compete()?);
            hashing.add(timed(|| account::hash(&cases)).1);
        }
    }
    let name = format!("mainnet accounts, {} nodes", account::PROOF_NODES);
    table.times(&name, &format!("{verifications} verifications"), &times);
    table.floor("    the nodes' Keccak-256 alone", &hashing, &times);
    table.both("  allocations a verification", allocations);
    Ok(())
}

/// Builds consecutive batches on a dictionary of `keys` keys, with our prover.
pub(crate) fn cases(keys: usize, batches: usize) -> Result<Vec<BatchCase>> {
    let mut workload = BatchWorkload::new();
    let mut prover = AvlProver::new(DICTIONARY_PARAMS.with_max_operations(1 << 20))?;
    while let Some(ops) = workload.grow(keys) {
        prover.apply_batch(&ops.iter().map(AvlOp::borrow).collect::<Vec<_>>())?;
    }
    let case = |_| {
        let (before, ops) = (prover.digest(), workload.batch());
        let batch = prover.apply_batch(&ops.iter().map(AvlOp::borrow).collect::<Vec<_>>())?;
        Ok(BatchCase {
            params: DICTIONARY_PARAMS,
            before,
            after: batch.digest,
            ops,
            proof: batch.proof,
        })
    };
    (0..batches).map(case).collect()
}

/// The times of both verifiers, and the lower bounds from hashing.
#[derive(Default)]
struct VerifierTimes {
    times: [TimeSamples; 2],
    batches: usize,
    work: LabelCounts,
    allocations: [usize; 2],
    /// Hashing alone: one message at a time, and several at once.
    hashing: [TimeSamples; 2],
}

impl VerifierTimes {
    /// Runs both verifiers on the cases of a vector file several times, and hashes as much as they
    /// must.
    fn verify(&mut self, json: &str, repeats: usize) -> Result<()> {
        let cases = read(json)?;
        let after: Vec<HexBytes> = cases.iter().map(|case| HexBytes(case.after.0.into())).collect();
        let work = VerifierCases::Ours(cases).work()?;
        self.work = self.work + work;
        let hashing = HashInputs::new(work.compressions);
        self.batches += 1;
        // Memory placement changes a process's times by up to a half, so each process is used only
        // once.
        let mut pair = ProcessPair::start("verifier")?;
        pair.load(json)?;
        if pair.work()?.digests != after {
            return Err("a digest is not the one after the batch".into());
        }
        for (sum, answer) in self.allocations.iter_mut().zip(&pair.compete()?) {
            *sum += answer.allocations;
        }
        for _ in 0..repeats {
            TimeSamples::add_both(&mut self.times, &pair.compete()?);
            self.hashing[0].add(timed(|| hashing.one_by_one()).1);
            self.hashing[1].add(timed(|| hashing.many_at_once()).1);
        }
        Ok(())
    }

    fn report(&self, table: &mut ReportTable, name: &str) {
        let [one_by_one, many_at_once] = &self.hashing;
        let LabelCounts { labels, compressions } = self.work;
        let [labels, compressions] = [labels, compressions].map(|sum| sum / self.batches);
        table.times(name, "verifier", &self.times);
        let work = format!("  {labels} labels in {compressions} compressions");
        table.text(&work);
        table.floor("    one by one, blake2", one_by_one, &self.times);
        table.floor("    many at once, blake2b_simd", many_at_once, &self.times);
        table.both("  allocations", self.allocations.map(|count| count / self.batches));
    }
}

fn digest(digests: &[HexBytes]) -> Result<Digest> {
    match digests {
        [digest] => Ok(Digest::try_from(&digest.0[..])?),
        _ => Err("not one digest".into()),
    }
}

/// Reports progress: on a terminal, updated in one line; otherwise only the start of a stage.
fn progress(stage: &str, done: usize, all: usize) {
    if stderr().is_terminal() {
        eprint!("\r\x1b[K{stage}, {done} of {all}");
    } else if done == 0 {
        eprintln!("{stage}");
    }
}

fn progress_ends() {
    if stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}
