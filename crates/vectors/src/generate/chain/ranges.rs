//! `chain/state_range.json`: histories, averages and diffs from a checkpoint on, right and wrong.

use std::collections::BTreeSet;

use prooflight_core::chain::{ChainConfig, ChainLimits, Header, SchemeConfig};
use prooflight_core::{Reason, Scheme};
use serde::Serialize;
use serde_json::{Value, json, to_value};

use super::inclusions::hashes;
use super::ledger::{key_of, set, seven_blocks};
use super::made::{Chain, config};
use crate::answer::Answer;
use crate::carrier::{Hash32, Hex, Quantity};
use crate::generate::builder::{Builder, expected};
use crate::generate::smt::plain::Plain;
use crate::range::{Diff, History, StateDiff, StateHistory, Synced};
use crate::smt::found;
use crate::state::StateOp;

const FLAGS: &[(&str, &str)] = &[
    ("Average", "averages, and values and times that have none"),
    ("Headers", "headers are missing, or not those of the head's history"),
    ("Input", "the input cannot be read as one of its type"),
    ("Limit", "as much as the chain allows, or more"),
    ("Question", "another scheme, chain or range"),
    ("Range", "every change in ranges of blocks"),
    ("Replay", "a right proof of something else"),
];

const KEYS: [&str; 6] = ["alice", "bob", "carol", "dave", "key 03", "nobody"];

/// A chain that keeps `smt`, with every change of its keys.
struct Kept {
    chain: Chain,
    state: Plain,
}

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    let kept = Kept::new(smt(), &seven_blocks());
    file.group("StateHistory");
    histories(&mut file, &kept);
    history_headers(&mut file, &kept);
    history_questions(&mut file, &kept);
    limits(&mut file);
    averages(&mut file);
    let honest = kept.history("alice", 2, 5, 6);
    let all = ["headers", "hashes", "key", "from", "to", "proof", "scheme", "head", "checkpoint"];
    inputs(&mut file, "history", &honest, &all);
    let flag = |value: Value| edited(&honest, "average", value);
    for value in [json!(null), json!(1), json!("true")] {
        let comment = format!("average is {value}");
        file.invalid(&["Input"], comment, &flag(value), Reason::InvalidArgument);
    }
    file.group("StateDiff");
    diffs(&mut file, &kept);
    let all = ["headers", "hashes", "from", "to", "proof", "scheme", "now", "inclusion"];
    inputs(&mut file, "diff", &kept.diff(Some(2), 5, 6), &all);
    file.finish()
}

/// A configuration with `smt` alone.
fn smt() -> ChainConfig {
    ChainConfig { schemes: vec![SchemeConfig::plain(Scheme::Smt)], ..config(1, 1) }
}

impl Kept {
    fn new(config: ChainConfig, blocks: &[Vec<StateOp>]) -> Self {
        Self::with(config, blocks, |_| {})
    }

    fn with(
        config: ChainConfig,
        blocks: &[Vec<StateOp>],
        mut change: impl FnMut(&mut Header),
    ) -> Self {
        let mut state = Plain::default();
        for (height, ops) in (0..).zip(blocks) {
            state.apply(height, ops.iter().map(|op| (key_of(op).to_vec(), value_of(op))));
        }
        let chain = Chain::with(config, blocks.len(), |header| {
            let root = state.root(header.height).to_vec();
            header.roots.iter_mut().filter(|(id, _)| *id == Scheme::Smt.id()).for_each(|of| {
                of.1.clone_from(&root);
            });
            change(header);
        });
        Self { chain, state }
    }

    fn synced<T>(&self, head: usize, asked: T) -> Synced<T> {
        Synced { sync: self.chain.sync(0, head), asked }
    }

    /// The honest history of a key, for a head.
    fn history(&self, key: &str, from: u64, to: u64, head: usize) -> StateHistory {
        let key = key.as_bytes();
        let (headers, hashes) = self.headers(&self.needed(key, from, to), head);
        let proof = Hex(self.state.prove_history(key, from, to));
        let (key, from, to) = (Hex(key.to_vec()), Quantity(from), Quantity(to));
        let (scheme, average) = ("smt".to_owned(), false);
        self.synced(head, History { scheme, headers, hashes, key, from, to, average, proof })
    }

    /// The honest diff, for a head.
    fn diff(&self, from: Option<u64>, to: u64, head: usize) -> StateDiff {
        let (headers, hashes) = self.headers(&[to].into(), head);
        let proof = Hex(self.state.prove_diff(from, to));
        let (from, to, scheme) = (from.map(Quantity), Quantity(to), "smt".to_owned());
        self.synced(head, Diff { scheme, headers, hashes, from, to, proof })
    }

    /// The blocks whose headers a history rests on.
    fn needed(&self, key: &[u8], from: u64, to: u64) -> BTreeSet<u64> {
        let changed = (from..=to).filter(|&at| self.changed(key, at));
        self.state.history_blocks(key, from, to).into_iter().chain(changed).chain([from]).collect()
    }

    fn changed(&self, key: &[u8], at: u64) -> bool {
        self.state.last_change(key, at).is_some_and(|(block, _)| block == at)
    }

    /// The headers of these blocks, but not the head's, with what places them.
    fn headers(&self, blocks: &BTreeSet<u64>, head: usize) -> (Vec<Hex>, Vec<Hash32>) {
        let all: Vec<_> = blocks.iter().map(|&at| place(at)).filter(|at| *at < head).collect();
        let headers = all.iter().map(|&at| Hex(self.chain.headers[at].encode())).collect();
        (headers, hashes(&self.chain, &all, head).into_iter().map(Hash32).collect())
    }

    /// The honest history of a key with the headers of other blocks.
    fn with_headers(&self, of: &StateHistory, blocks: &[u64]) -> StateHistory {
        let (headers, hashes) = self.headers(&blocks.iter().copied().collect(), 6);
        Synced { sync: of.sync.clone(), asked: History { headers, hashes, ..of.asked.clone() } }
    }

    /// What an honest history says, block by block.
    fn says(&self, asked: &History) -> Answer {
        let (key, from, to) = (&asked.key.0, asked.from.0, asked.to.0);
        let at = |block| found(&self.state.answer(key, block));
        let changes: Vec<_> =
            (from..=to).filter(|&block| self.changed(key, block)).map(at).collect();
        let entering = if self.changed(key, from) { Value::Null } else { at(from) };
        let mut members = expected(json!({ "entering": entering, "changes": changes }));
        if asked.average {
            members.insert("average".to_owned(), self.average(key, from, to));
        }
        members
    }

    /// The average by the sum over all blocks.
    fn average(&self, key: &[u8], from: u64, to: u64) -> Value {
        let time = |block: u64| self.chain.headers[place(block)].timestamp_ms;
        let (mut sum, mut covered, mut gaps) = (0u128, 0, Vec::<(u64, u64)>::new());
        for block in from..to {
            let (start, end) = (time(block), time(block + 1));
            match self.state.last_change(key, block).and_then(|(_, value)| value) {
                Some(value) => {
                    let number = value.iter().fold(0, |all, &byte| all << 8 | u128::from(byte));
                    sum += number * u128::from(end - start);
                    covered += end - start;
                }
                None => match gaps.last_mut().filter(|gap| gap.1 == start) {
                    Some(gap) => gap.1 = end,
                    None => gaps.push((start, end)),
                },
            }
        }
        let gap = |(from, to)| json!({ "fromMs": Quantity(from), "toMs": Quantity(to) });
        let sum = Hex([&[0; 24][..], &sum.to_be_bytes()].concat());
        let gaps: Vec<_> = gaps.into_iter().map(gap).collect();
        json!({ "sum": sum, "coveredMs": Quantity(covered), "gaps": gaps })
    }
}

/// A flag, a comment, why it is refused, and what is changed.
type Row<E> = (&'static str, &'static str, Reason, E);

type HistoryEdit = fn(&Kept, &mut History);
type DiffEdit<'a> = &'a dyn Fn(&mut StateDiff);

fn place(height: u64) -> usize {
    usize::try_from(height).expect("a short chain")
}

fn value_of(op: &StateOp) -> Option<Vec<u8>> {
    match op {
        StateOp::Set { value, .. } => Some(value.0.clone()),
        StateOp::Delete { .. } => None,
    }
}

fn edited(input: &impl Serialize, member: &str, value: Value) -> Value {
    let mut input = to_value(input).expect("plain data");
    input[member] = value;
    input
}

fn histories(file: &mut Builder, kept: &Kept) {
    for (from, to, head) in [(0, 0, 0), (0, 6, 6), (1, 4, 6), (3, 3, 6), (2, 5, 5), (4, 6, 6)] {
        for key in KEYS {
            let input = kept.history(key, from, to, head);
            let comment = format!("{key} in blocks {from} to {to}, by the head {head}");
            file.valid(&["Range"], comment, &input, kept.says(&input.asked));
        }
        for key in ["alice", "bob", "nobody"] {
            let mut input = kept.history(key, from, to, head);
            input.asked.average = true;
            let comment =
                format!("the average of {key} in blocks {from} to {to}, by the head {head}");
            file.valid(&["Average"], comment, &input, kept.says(&input.asked));
        }
    }
    let honest = kept.history("alice", 2, 5, 6);
    let input = kept.with_headers(&honest, &[0, 1, 2, 3, 4, 5]);
    let comment = "more headers than are needed";
    file.valid(&["Headers"], comment, &input, kept.says(&input.asked));
}

fn history_headers(file: &mut Builder, kept: &Kept) {
    // alice changes in blocks 3, 4 and 5, so that the roots of 5, 4, 3 and 2 are needed.
    let honest = kept.history("alice", 1, 5, 6);
    let mut refuse = |reason, comment: &str, input: &StateHistory| {
        for average in [false, true] {
            let mut input = input.clone();
            input.asked.average = average;
            let comment = if average { format!("{comment}, averaged") } else { comment.to_owned() };
            file.invalid(&["Headers"], comment, &input, reason);
        }
    };
    for (block, what) in [
        (1, "first block"),
        (2, "block before the first change"),
        (3, "block of a change"),
        (5, "last block"),
    ] {
        let others: Vec<_> = (1..=5).filter(|at| *at != block).collect();
        let comment = format!("the header of the {what} is missing");
        refuse(Reason::InvalidResult, &comment, &kept.with_headers(&honest, &others));
    }
    let none = kept.with_headers(&honest, &[]);
    refuse(Reason::InvalidResult, "no headers but the head's", &none);
    // bob changes in block 3 alone, after the range's first one.
    let of_bob = kept.history("bob", 1, 4, 6);
    let comment = "the header of a block is missing whose time alone is needed";
    refuse(Reason::InvalidResult, comment, &kept.with_headers(&of_bob, &[1, 2, 4]));
    let mut beyond = kept.history("dave", 6, 6, 6);
    beyond.asked.to = Quantity(7);
    beyond.asked.proof = Hex(kept.state.prove_history(b"dave", 6, 7));
    refuse(Reason::InvalidResult, "the last block is above the head", &beyond);

    // Another history of the same chain, in which alice never changed after block 0.
    let mut lie = seven_blocks();
    for ops in &mut lie[3..] {
        ops.retain(|op| key_of(op) != b"alice");
    }
    let fork = Kept::new(smt(), &lie);
    let lie = fork.history("alice", 1, 5, 6);
    let not_placed = Reason::NotAnAncestor;
    let forged = Synced { sync: honest.sync.clone(), asked: lie.asked.clone() };
    refuse(not_placed, "the history and the headers of a fork that hides changes", &forged);
    let proof = lie.asked.proof;
    let hidden = Synced { asked: History { proof, ..honest.asked.clone() }, ..honest.clone() };
    refuse(Reason::RootMismatch, "the history of a fork that hides changes", &hidden);
    let edit = |edit: fn(&mut History)| {
        let mut input = honest.clone();
        edit(&mut input.asked);
        input
    };
    refuse(not_placed, "two headers swapped", &edit(|asked| asked.headers.swap(1, 2)));
    refuse(
        not_placed,
        "a header twice",
        &edit(|asked| asked.headers[1] = asked.headers[0].clone()),
    );
    refuse(not_placed, "a hash too many", &edit(|asked| asked.hashes.push(Hash32([0; 32]))));
    refuse(not_placed, "no hashes", &edit(|asked| asked.hashes.clear()));
    refuse(not_placed, "another hash", &edit(|asked| asked.hashes[0].0[0] ^= 1));
    refuse(
        Reason::TrailingBytes,
        "a byte after a header",
        &edit(|asked| {
            asked.headers[0].0.push(0);
        }),
    );
    let mut unsigned = edit(|asked| asked.hashes.clear());
    let last = unsigned.sync.head.0.len() - 1;
    unsigned.sync.head.0[last] ^= 1;
    refuse(Reason::TooFewSignatures, "a wrong signature, and no hashes", &unsigned);
    let mut stale = honest.clone();
    stale.sync.max_head_age = Some(Quantity(0));
    refuse(Reason::HeadTooOld, "a head that is too old", &stale);
}

fn history_questions(file: &mut Builder, kept: &Kept) {
    let honest = kept.history("alice", 2, 5, 6);
    let mut refuse = |flag, reason, comment: &str, input: &StateHistory| {
        file.invalid(&[flag], comment, input, reason);
    };
    for scheme in ["avl", "lvmt", "mpt", "verkle", "SMT", ""] {
        let mut input = honest.clone();
        scheme.clone_into(&mut input.asked.scheme);
        refuse("Question", Reason::UnknownStatement, &format!("the scheme {scheme:?}"), &input);
        input.sync.head = Hex(Vec::new());
        let comment = format!("the scheme {scheme:?}, and no head");
        refuse("Question", Reason::UnknownStatement, &comment, &input);
    }
    let other = Kept::new(config(1, 1), &seven_blocks());
    let without = Synced { asked: honest.asked.clone(), ..other.history("alice", 2, 5, 6) };
    let (headers, hashes) = other.headers(&(2..=5).collect(), 6);
    let asked = History { headers, hashes, ..without.asked.clone() };
    let without = Synced { asked, ..without };
    refuse("Question", Reason::WrongSchemes, "a chain without the scheme", &without);
    // The head has the scheme, an older header does not.
    let gap = Kept::with(smt(), &seven_blocks(), |header| {
        header.roots.retain(|_| header.height != 3);
    });
    let input = gap.history("alice", 2, 5, 6);
    refuse("Question", Reason::WrongSchemes, "a block in between without the scheme", &input);

    let edits: [Row<HistoryEdit>; 9] = [
        ("Question", "the range ends before it begins", Reason::InvalidArgument, |_, asked| {
            asked.to = Quantity(1);
        }),
        ("Replay", "the history of another key", Reason::VersionOutOfRange, |kept, asked| {
            asked.proof = Hex(kept.state.prove_history(b"bob", 2, 5));
        }),
        (
            "Replay",
            "the history of a shorter range, from its end",
            Reason::RootMismatch,
            |kept, asked| {
                asked.proof = Hex(kept.state.prove_history(b"alice", 4, 5));
            },
        ),
        ("Replay", "the history of a longer range", Reason::TrailingBytes, |kept, asked| {
            asked.from = Quantity(4);
            asked.proof = Hex(kept.state.prove_history(b"alice", 2, 5));
        }),
        ("Replay", "the history up to an earlier block", Reason::RootMismatch, |kept, asked| {
            asked.proof = Hex(kept.state.prove_history(b"alice", 2, 4));
        }),
        ("Replay", "a proof of the key", Reason::UnknownKind, |kept, asked| {
            asked.proof = Hex(kept.state.prove(5, &[b"alice"]));
        }),
        ("Replay", "a diff", Reason::UnknownKind, |kept, asked| {
            asked.proof = Hex(kept.state.prove_diff(Some(2), 5));
        }),
        ("Replay", "no proof", Reason::Truncated, |_, asked| asked.proof = Hex(Vec::new())),
        ("Replay", "a byte after the proof", Reason::TrailingBytes, |_, asked| {
            asked.proof.0.push(0);
        }),
    ];
    for (flag, comment, reason, edit) in edits {
        let mut input = honest.clone();
        edit(kept, &mut input.asked);
        refuse(flag, reason, comment, &input);
        input.asked.average = true;
        refuse(flag, reason, &format!("{comment}, averaged"), &input);
    }
}

fn limits(file: &mut Builder) {
    let with = |max_key, max_value| ChainConfig {
        limits: ChainLimits { max_key, max_value, max_ops: 2 },
        ..smt()
    };
    let blocks = [vec![set("alice", "100"), set("bob", "")], vec![]];
    let small = Kept::new(with(5, 3), &blocks);
    let large = [vec![set("large", vec![0xa5; 65_537])], vec![]];
    let large = Kept::new(with(5, 65_537), &large);
    for (comment, kept, key) in [
        ("a key and a value as long as the chain allows", &small, "alice"),
        ("a value above the default limit, which the chain allows", &large, "large"),
    ] {
        let input = kept.history(key, 0, 1, 1);
        file.valid(&["Limit"], comment, &input, kept.says(&input.asked));
    }
    let tight = Kept::new(with(5, 2), &blocks);
    let long = small.history("alice2", 0, 1, 1);
    for average in [false, true] {
        for (comment, mut input, reason) in [
            ("a key longer than the chain allows", long.clone(), Reason::KeyLength),
            (
                "a value longer than it allows",
                tight.history("alice", 0, 1, 1),
                Reason::ValueTooLarge,
            ),
        ] {
            input.asked.average = average;
            let comment = if average { format!("{comment}, averaged") } else { comment.to_owned() };
            file.invalid(&["Limit"], comment, &input, reason);
        }
    }
    let mut input = long;
    input.asked.headers.clear();
    input.asked.hashes.clear();
    input.asked.proof = Hex(Vec::new());
    let comment = "a key longer than the chain allows, no headers and no proof";
    file.invalid(&["Limit"], comment, &input, Reason::KeyLength);
}

fn averages(file: &mut Builder) {
    let values = [vec![set("long", [7; 33]), set("none", [])], vec![], vec![set("long", [1])]];
    let kept = Kept::new(smt(), &values);
    for (key, from) in [("long", 0), ("none", 0), ("none", 1), ("long", 1)] {
        let mut input = kept.history(key, from, 2, 2);
        let comment = format!("{key} in blocks {from} to 2, whose value is no number");
        file.valid(&["Average"], comment.clone(), &input, kept.says(&input.asked));
        input.asked.average = true;
        let comment = format!("the average of {comment}");
        file.invalid(&["Average"], comment, &input, Reason::ValueNotNumber);
    }
    // In no time a value counts for nothing.
    let mut input = kept.history("long", 2, 2, 2);
    input.asked.average = true;
    file.valid(&["Average"], "the average over one block", &input, kept.says(&input.asked));
    for (later, comment) in [(0, "at the same time as"), (-1, "before")] {
        let mut time = 0;
        let still = Kept::with(smt(), &seven_blocks(), |header| {
            if header.height == 3 {
                header.timestamp_ms = u64::wrapping_add_signed(time, later);
            }
            time = header.timestamp_ms;
        });
        let mut input = still.history("alice", 2, 5, 6);
        let comment = format!("block 3 was made {comment} block 2");
        file.valid(&["Average"], comment.clone(), &input, still.says(&input.asked));
        input.asked.average = true;
        file.invalid(&["Average"], format!("{comment}, averaged"), &input, Reason::InvalidArgument);
    }
}

fn diffs(file: &mut Builder, kept: &Kept) {
    for (from, to, head) in [
        (None, 0, 0),
        (None, 6, 6),
        (Some(0), 6, 6),
        (Some(2), 5, 6),
        (Some(5), 6, 6),
        (Some(1), 2, 6),
    ] {
        let input = kept.diff(from, to, head);
        let changes = says(kept, from, to);
        let from = from.map_or("the first block".to_owned(), |from| format!("after block {from}"));
        let comment = format!("{from} to block {to}, by the head {head}");
        file.valid(&["Range"], comment, &input, changes);
    }
    let honest = kept.diff(Some(2), 5, 6);
    let mut extra = honest.clone();
    (extra.asked.headers, extra.asked.hashes) = kept.headers(&(0..=5).collect(), 6);
    let changes = says(kept, Some(2), 5);
    file.valid(&["Headers"], "diff: more headers than are needed", &extra, changes);

    let mut lie = seven_blocks();
    lie[4].retain(|op| key_of(op) != b"key 03");
    let fork = Kept::new(smt(), &lie).diff(Some(2), 5, 6).asked;
    let edits: [Row<DiffEdit<'_>>; 15] = [
        ("Question", "the scheme avl", Reason::UnknownStatement, &|it| {
            it.asked.scheme = "avl".into();
        }),
        ("Question", "the scheme verkle", Reason::UnknownStatement, &|it| {
            it.asked.scheme = "verkle".into();
        }),
        ("Question", "the range ends as it begins", Reason::InvalidArgument, &|it| {
            it.asked.from = Some(Quantity(5));
        }),
        ("Question", "the range ends before it begins", Reason::InvalidArgument, &|it| {
            it.asked.from = Some(Quantity(6));
        }),
        ("Headers", "the header of the last block is missing", Reason::InvalidResult, &|it| {
            (it.asked.headers, it.asked.hashes) = kept.headers(&[2, 4].into(), 6);
        }),
        ("Headers", "the last block is above the head", Reason::InvalidResult, &|it| {
            it.asked.to = Quantity(7);
            it.asked.proof = Hex(kept.state.prove_diff(Some(2), 7));
        }),
        ("Headers", "the header of a fork that hides a change", Reason::NotAnAncestor, &|it| {
            it.asked = fork.clone();
        }),
        ("Headers", "a wrong signature", Reason::TooFewSignatures, &|it| {
            let last = it.sync.head.0.len() - 1;
            it.sync.head.0[last] ^= 1;
        }),
        ("Replay", "the diff of a fork that hides a change", Reason::RootMismatch, &|it| {
            it.asked.proof.clone_from(&fork.proof);
        }),
        ("Replay", "the diff up to the head", Reason::VersionOutOfRange, &|it| {
            it.asked.proof = Hex(kept.state.prove_diff(Some(2), 6));
        }),
        ("Replay", "a history", Reason::UnknownKind, &|it| {
            it.asked.proof = Hex(kept.state.prove_history(b"alice", 2, 5));
        }),
        ("Replay", "the tree without keys", Reason::RootMismatch, &|it| {
            it.asked.proof.0.truncate(3);
        }),
        ("Replay", "no proof", Reason::Truncated, &|it| it.asked.proof.0.clear()),
        ("Replay", "a byte after the proof", Reason::TrailingBytes, &|it| it.asked.proof.0.push(0)),
        ("Headers", "the diff as one of the block before", Reason::VersionOutOfRange, &|it| {
            it.asked.to = Quantity(4);
            (it.asked.headers, it.asked.hashes) = kept.headers(&[4].into(), 6);
        }),
    ];
    for (flag, comment, reason, edit) in edits {
        let mut input = honest.clone();
        edit(&mut input);
        file.invalid(&[flag], format!("diff: {comment}"), &input, reason);
    }
    let tight =
        ChainConfig { limits: ChainLimits { max_key: 5, max_value: 2, max_ops: 2 }, ..smt() };
    let tight = Kept::new(tight, &[vec![set("alice", "100")], vec![]]);
    let comment = "diff: a value longer than the chain allows";
    file.invalid(&["Limit"], comment, &tight.diff(None, 1, 1), Reason::ValueTooLarge);
    let without = Kept::new(config(1, 1), &seven_blocks()).diff(Some(2), 5, 6);
    file.invalid(&["Question"], "diff: a chain without the scheme", &without, Reason::WrongSchemes);
}

/// What an honest diff says: the last change of each key that changed, by the hashes of the keys.
fn says(kept: &Kept, from: Option<u64>, to: u64) -> Answer {
    let mut keys = kept.state.keys();
    keys.sort_by_key(|key| prooflight_smt::hash::hash_key(key));
    let changes = keys.iter().filter_map(|key| {
        let (block, _) = kept.state.last_change(key, to)?;
        from.is_none_or(|from| block > from).then(|| {
            let mut change = found(&kept.state.answer(key, to));
            change["key"] = json!(Hex(key.clone()));
            change
        })
    });
    expected(json!({ "changes": changes.collect::<Vec<_>>() }))
}

/// What cannot be read.
fn inputs(file: &mut Builder, of: &str, honest: &impl Serialize, members: &[&str]) {
    let mut refuse = |comment: &str, input: &Value| {
        file.invalid(&["Input"], format!("{of}: {comment}"), input, Reason::InvalidArgument);
    };
    for member in members {
        let mut input = to_value(honest).expect("plain data");
        input.as_object_mut().expect("an object").shift_remove(*member);
        refuse(&format!("{member} is missing"), &input);
        refuse(&format!("{member} is a number"), &edited(honest, member, json!(1)));
        if *member != "from" {
            refuse(&format!("{member} is null"), &edited(honest, member, Value::Null));
        }
    }
    for (member, value) in [
        ("limits", json!({})),
        ("Proof", json!("0x")),
        ("headers", json!("0x")),
        ("headers", json!([null])),
        ("hashes", json!(["0x00"])),
        ("to", json!("0x06")),
        ("to", json!("6")),
    ] {
        refuse(&format!("{member} is {value}"), &edited(honest, member, value));
    }
}
