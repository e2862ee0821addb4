//! Batches of 2000 operations on large dictionaries.

use std::io::{IsTerminal, Write, stderr};

use prooflight_avl::{AvlProver, Operation, Params};
use prooflight_bench::{Case, PeerCase, PeerProver, Result, operations};
use prooflight_vectors::avl::Op;
use prooflight_vectors::carrier::Hex;

use crate::Plan;
use crate::allocations::{self, Allocations};
use crate::floor::Floor;
use crate::report::{Samples, Table, timed};

const PARAMS: Params = Params::new(32, Some(8));
/// Every fourth operation inserts, the others update.
const OPERATIONS: u64 = 2000;
/// Inserts in one batch while a dictionary is built.
const BUILD: u64 = 50_000;

/// The same dictionary on both sides.
struct Dictionary {
    ours: AvlProver,
    peer: PeerProver,
    /// Keys 0 to this are in it.
    keys: u64,
    random: SplitMix,
}

/// Compares provers and verifiers on one dictionary.
pub(crate) fn compare(table: &mut Table, keys: u64, plan: Plan) -> Result<()> {
    let mut dictionary = Dictionary::build(keys)?;
    let mut provers = [Samples::default(), Samples::default()];
    let mut verifiers = Verifiers::default();
    let mut bytes = 0;
    for number in 0..plan.batches {
        progress(&format!("{} keys: batch {} of {}", scale(keys), number + 1, plan.batches));
        let case = dictionary.next(number, &mut provers)?;
        bytes += case.proof.len();
        verifiers.measure(&[case], plan.repeats)?;
    }
    progress("");
    let what = format!("{} keys", scale(keys));
    let [ours, peer] = &provers;
    table.times(&what, "prover", ours, peer);
    verifiers.report(table, "");
    let per_operation = bytes / plan.batches / usize::try_from(OPERATIONS)?;
    let per_operation = format!("{per_operation} B/op");
    table.row("", "proof, the same bytes", &per_operation, &per_operation, f64::NAN);
    Ok(())
}

/// Consecutive batches on one dictionary.
pub(crate) fn cases(keys: u64, batches: usize) -> Result<Vec<Case>> {
    let mut dictionary = Dictionary::build(keys)?;
    let mut provers = [Samples::default(), Samples::default()];
    (0..batches).map(|number| dictionary.next(number, &mut provers)).collect()
}

impl Dictionary {
    fn build(keys: u64) -> Result<Self> {
        let params = PARAMS.with_max_operations(usize::try_from(BUILD)?);
        let mut dictionary = Self {
            ours: AvlProver::new(params)?,
            peer: PeerProver::new(&params),
            keys: 0,
            random: SplitMix(u64::MAX / 3),
        };
        while dictionary.keys < keys {
            progress(&format!("{} keys: {} inserted", scale(keys), dictionary.keys));
            let count = BUILD.min(keys - dictionary.keys);
            let ops: Vec<Op> = (0..count).map(|_| dictionary.insert()).collect();
            let digest = dictionary.ours.apply_batch(&borrow(&ops))?.digest;
            same(&digest, &dictionary.peer.apply(&operations(&ops))?.1)?;
        }
        Ok(dictionary)
    }

    /// Proves a fresh batch on both sides, first on one side, next time on the other.
    fn next(&mut self, number: usize, provers: &mut [Samples; 2]) -> Result<Case> {
        let ops: Vec<Op> = (0..OPERATIONS)
            .map(|n| if n % 4 == 0 { self.insert() } else { self.update() })
            .collect();
        let before = self.ours.digest();
        let (borrowed, converted) = (borrow(&ops), operations(&ops));
        let (mut ours, mut peer) = (None, None);
        for side in [number % 2, 1 - number % 2] {
            if side == 0 {
                let (proved, time) = timed(|| self.ours.apply_batch(&borrowed));
                provers[0].add(time);
                ours = Some(proved?);
            } else {
                let (proved, time) = timed(|| self.peer.apply(&converted));
                provers[1].add(time);
                peer = Some(proved?);
            }
        }
        let (Some(ours), Some((proof, digest))) = (ours, peer) else {
            return Err("a side was left out".into());
        };
        same(&ours.digest, &digest)?;
        same(&ours.proof[..], &proof[..])?;
        Ok(Case { params: PARAMS, before, after: digest, ops, proof: ours.proof })
    }

    fn insert(&mut self) -> Op {
        self.keys += 1;
        Op::Insert { key: key(self.keys - 1), value: self.value() }
    }

    fn update(&mut self) -> Op {
        Op::Update { key: key(self.random.next() % self.keys), value: self.value() }
    }

    fn value(&mut self) -> Hex {
        Hex(self.random.next().to_be_bytes().to_vec())
    }
}

/// Times of both verifiers on the same cases, and of the hashing that they cannot do without.
#[derive(Default)]
pub(crate) struct Verifiers {
    ours: Samples,
    peer: Samples,
    one_by_one: Samples,
    many_at_once: Samples,
    labels: usize,
    allocations: [Allocations; 2],
    measured: usize,
}

impl Verifiers {
    /// Measures all of `cases` as one sample, `repeats` times.
    pub(crate) fn measure(&mut self, cases: &[Case], repeats: usize) -> Result<()> {
        let ours: Vec<_> = cases.iter().map(|case| (case, case.operations())).collect();
        let peers: Vec<_> = cases.iter().map(PeerCase::new).collect();
        let mut compressions = 0;
        for ((case, ops), peer) in ours.iter().zip(&peers) {
            let (digest, allocations) = allocations::of(|| case.verify(ops));
            same(&digest?, &case.after)?;
            self.allocations[0] += allocations;
            let (digest, allocations) = allocations::of(|| peer.verify());
            same(&digest?, &case.after)?;
            self.allocations[1] += allocations;
            let work = peer.work()?;
            self.labels += work.labels;
            compressions += work.compressions;
        }
        self.measured += 1;
        let floor = Floor::new(compressions);
        for _ in 0..repeats {
            let verify = || ours.iter().try_for_each(|(case, ops)| case.verify(ops).map(drop));
            let (verified, time) = timed(verify);
            verified?;
            self.ours.add(time);
            let (verified, time) = timed(|| peers.iter().try_for_each(|peer| peer.verify().map(drop)));
            verified?;
            self.peer.add(time);
            self.one_by_one.add(floor.one_by_one());
            self.many_at_once.add(floor.many_at_once());
        }
        Ok(())
    }

    pub(crate) fn report(&self, table: &mut Table, what: &str) {
        let Self { ours, peer, one_by_one, many_at_once, .. } = self;
        table.times(what, "verifier", ours, peer);
        let labels = self.labels / self.measured;
        table.floor(&format!("  {labels} labels, blake2"), one_by_one, ours, peer);
        table.floor("  the same, blake2b_simd hash_many", many_at_once, ours, peer);
        let [ours, peer] = self.allocations.map(|a| (a.count / self.measured).to_string());
        table.row("", "  allocations", &ours, &peer, f64::NAN);
    }
}

/// Refuses to go on if the two sides differ: nothing else would be worth its time.
fn same<T: PartialEq + ?Sized>(ours: &T, peer: &T) -> Result<()> {
    if ours == peer { Ok(()) } else { Err("ours and the peer differ".into()) }
}

fn borrow(ops: &[Op]) -> Vec<Operation<'_>> {
    ops.iter().map(Op::borrow).collect()
}

fn key(number: u64) -> Hex {
    let mut random = SplitMix(number);
    Hex((0..4).flat_map(|_| random.next().to_be_bytes()).collect())
}

/// Steele, Lea and Flood's generator, for keys and values that are the same in every run.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}

fn scale(keys: u64) -> String {
    if keys >= 1_000_000 { format!("{} M", keys / 1_000_000) } else { format!("{} k", keys / 1000) }
}

fn progress(text: &str) {
    if stderr().is_terminal() {
        eprint!("\r\x1b[K{text}");
        drop(stderr().flush());
    } else if !text.is_empty() {
        eprintln!("{text}");
    }
}
