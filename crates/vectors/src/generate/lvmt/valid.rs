//! `lvmt/proof.json`: honest proofs of every kind of answer.

use prooflight_amt::INFINITY;
use prooflight_core::merkle::{multiproof, multiproof_root};
use prooflight_lvmt::proof::{Claim, ENVELOPE, OpeningForm, Place, Proof};
use serde_json::{Value, json};

use super::lies::Question;
use super::sample::{find, name, sample};
use super::state::{Keccak, State, block_leaf, keccak, key_leaf};
use super::tower::tower;
use super::{input, nodes};
use crate::carrier::{Hex, Quantity};
use crate::generate::builder::{Builder, UPPER_CASE, expected, upper_case};

const FLAGS: &[(&str, &str)] = &[
    ("Absent", "a key that was never written"),
    ("Costly", "the longest walks that there are"),
    ("Deep", "entries at level 2 or further down"),
    ("Deleted", "a key whose value was deleted"),
    ("Empty", "a state, a value or a key of nothing, or no keys at all"),
    ("Extreme", "the largest versions, heights, sizes or indices"),
    ("Form", "openings or owners' leaves in another form than the usual one"),
    ("Malleable", "points or sizes that are not those of an honest prover, but show the same"),
    ("Many", "several keys in one proof"),
    ("Present", "a key that has a value"),
    ("Shape", "another size of vectors, or another arity"),
    UPPER_CASE,
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("lvmt", FLAGS);
    file.group("LvmtProof");
    one_key(&mut file);
    shapes(&mut file);
    many_keys(&mut file);
    forms(&mut file);
    malleable(&mut file);
    empty(&mut file);
    extremes(&mut file);
    longest(&mut file);
    upper(&mut file);
    of_the_specification(&mut file);
    nodes::add(&mut file);
    file.finish()
}

/// The honest proof about keys of a state, and what the state has.
fn honest(file: &mut Builder, flags: &[&str], comment: &str, state: &State, keys: &[&[u8]]) {
    add(file, flags, comment, state, keys, &state.prove(keys));
}

pub(super) fn add(
    file: &mut Builder,
    flags: &[&str],
    comment: &str,
    state: &State,
    keys: &[&[u8]],
    proof: &Proof,
) {
    let results: Value = keys.iter().map(|key| result(state, key)).collect();
    let input = input(&Question::new(state, keys, proof));
    file.valid(flags, comment, &input, expected(json!({ "results": results })));
}

fn upper(file: &mut Builder) {
    let mut state = State::new(4, 2);
    for value in 0xa0..0xac {
        state.commit(&[(b"\xca\xfe", Some(&[value]))]);
    }
    let keys: [&[u8]; 2] = [b"\xca\xfe", b"\xbe\xef"];
    let input = input(&Question::new(&state, &keys, &state.prove(&keys)));
    let results: Value = keys.iter().map(|key| result(&state, key)).collect();
    let comment = "hexadecimal digits in upper case";
    let expected = expected(json!({ "results": results }));
    file.valid(&[UPPER_CASE.0], comment, &upper_case(&input), expected);
}

/// The example that the specification works out byte by byte.
fn of_the_specification(file: &mut Builder) {
    let mut state = State::new(2, 1);
    let names = [b"l", b"n", b"o", b"r", b"s"];
    let values = [b"1", b"2", b"3", b"4", b"5"];
    let first: Vec<_> =
        names.iter().zip(&values).map(|(name, value)| (&name[..], Some(&value[..]))).collect();
    state.commit(&first);
    state.commit(&[(b"n", None), (b"x", Some(b"6"))]);
    honest(file, &["Present", "Shape"], "the example of lvmt 7", &state, &[b"x"]);
}

/// What the state has of a key.
fn result(state: &State, key: &[u8]) -> Value {
    let Some(record) = state.keys.get(&keccak(key)) else { return json!({}) };
    let (place, _) = record.leaves.last().expect("it was written");
    let (block, version) = (Quantity(place.block), Quantity(record.version));
    match record.value.clone().map(Hex) {
        Some(value) => json!({ "value": value, "since": block, "version": version }),
        None => json!({ "deletedAt": block, "version": version }),
    }
}

/// A name that the state does not know, and whose walk ends at this level.
fn unknown(state: &State, level: u8) -> Vec<u8> {
    let ends = |key: &Vec<u8>| {
        let mut levels = (0..).map(|level| state.entry_at(&keccak(key), level));
        levels.position(|versions| versions.contains(&0)) == Some(usize::from(level))
    };
    (1000..9000).map(name).find(ends).expect("a key that ends there")
}

fn one_key(file: &mut Builder) {
    let state = sample(2, 1, 150);
    for level in 0..3 {
        let deep: &[&str] = if level > 1 { &["Deep"] } else { &[] };
        let flags = |flag| [&[flag], deep].concat();
        let comment = |what: &str| format!("{what} at level {level}");
        let key = find(&state, |r| r.level == level && r.value.is_some());
        honest(file, &flags("Present"), &comment("a value"), &state, &[&key]);
        let key = find(&state, |r| r.level == level && r.value.is_none());
        honest(file, &flags("Deleted"), &comment("a deleted key"), &state, &[&key]);
    }
    let deep = unknown(&state, 2);
    honest(file, &["Absent", "Deep"], "an absent key below two full entries", &state, &[&deep]);
    let sparse = sample(4, 2, 24);
    let key = find(&sparse, |r| r.value.is_some() && r.version == 1);
    honest(file, &["Present"], "a value of version 1", &sparse, &[&key]);
    let key = unknown(&sparse, 0);
    honest(file, &["Absent"], "an absent key whose entry has a free slot", &sparse, &[&key]);
    let full = full_entry();
    let key = full_entry_key(&full);
    honest(file, &["Absent"], "an absent key whose entry is full, without a child", &full, &[&key]);
}

/// A state with an entry of five occupied slots and no child.
fn full_entry() -> State {
    let mut state = State::new(4, 2);
    let first = keccak(&name(0))[0] >> 4;
    let of_entry: Vec<_> =
        (0..1000).map(name).filter(|key| keccak(key)[0] >> 4 == first).take(5).collect();
    let changes: Vec<_> = of_entry.iter().map(|key| (&key[..], Some(&b"v"[..]))).collect();
    state.commit(&changes);
    state
}

/// A key of that entry that the state does not know.
fn full_entry_key(state: &State) -> Vec<u8> {
    let entry = *state.entries.keys().next().expect("one entry");
    let there = |key: &Vec<u8>| {
        state.entry_name(&keccak(key), 0) == entry && !state.keys.contains_key(&keccak(key))
    };
    (0..1000).map(name).find(there).expect("a sixth key of that entry")
}

fn shapes(file: &mut Builder) {
    for (log_n, log_arity, keys) in
        [(1, 1, 40), (2, 2, 60), (3, 1, 60), (3, 3, 60), (4, 1, 100), (4, 4, 100), (8, 2, 60)]
    {
        let state = sample(log_n, log_arity, keys);
        let deepest = state.keys.values().map(|record| record.level).max().expect("keys");
        let comment = |what: &str| format!("log_n {log_n}, log_arity {log_arity}, {what}");
        let key = find(&state, |r| r.level == deepest);
        honest(file, &["Shape"], &comment("a key at the deepest level"), &state, &[&key]);
        honest(file, &["Shape", "Absent"], &comment("an absent key"), &state, &[&name(1000)]);
    }
    for log_arity in [1, 2, 4] {
        let state = sample(16, log_arity, 12);
        let comment = format!("log_n 16, arity {}", 1 << log_arity);
        honest(file, &["Shape", "Many"], &comment, &state, &[&name(1), &name(0), &name(50)]);
    }
    let state = level_one();
    for (level, key) in [name(0), b"below".to_vec()].iter().enumerate() {
        let comment = format!("log_n 16, level {level}");
        honest(file, &["Shape", "Present"], &comment, &state, &[key]);
    }
}

/// Keys of which the sixth has an entry with five others in an AMT of 2^16 entries.
fn level_one() -> State {
    // Hashes with the same first 16 bits are rare: the entry is filled by hand.
    let mut state = State::new(16, 2);
    let key = keccak(b"below");
    state.entries.insert(state.entry_name(&key, 0), [0, 3, 1, 4, 1, 5]);
    let others: Vec<_> = (0..60).map(name).collect();
    let mut changes: Vec<_> = others.iter().map(|key| (&key[..], Some(&b"other"[..]))).collect();
    state.commit(&changes);
    changes.truncate(3);
    changes.push((b"below", Some(b"at level 1")));
    state.commit(&changes);
    state
}

fn many_keys(file: &mut Builder) {
    let state = sample(2, 1, 120);
    let names = |numbers: &mut dyn Iterator<Item = u32>| numbers.map(name).collect::<Vec<_>>();
    for (comment, keys) in [
        ("two keys", names(&mut [3, 5].into_iter())),
        (
            "every kind of answer, not in the order of the hashes",
            names(&mut (0..12).chain(300..306)),
        ),
        ("deleted keys", names(&mut (0..10).map(|n| 7 * n))),
        ("absent keys", names(&mut (500..520))),
        ("a key three times", names(&mut [9, 400, 9, 9].into_iter())),
        ("keys one after the other in the tree", names(&mut (40..70))),
    ] {
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        honest(file, &["Many"], comment, &state, &keys);
    }
}

fn forms(file: &mut Builder) {
    let state = sample(4, 2, 150);
    let key = find(&state, |record| record.level == 1 && record.value.is_some());
    let mut proof = state.prove(&[&key]);
    for amt in &mut proof.amts {
        amt.opening = OpeningForm::Tree;
    }
    state.open(&[keccak(&key)].into(), &mut proof);
    add(file, &["Form"], "an AMT at level 1 opened by its tree", &state, &[&key], &proof);

    let key = unknown(&state, 1);
    let oldest = |proof: &mut Proof| {
        for owner in &mut proof.owners {
            let record = &state.keys[&owner.key_hash];
            let entry = state.entry_name(&owner.key_hash, record.level);
            *owner = state.owner(&entry, record.slot, |_| 0).expect("the same slot");
        }
    };
    let mut proof = state.prove(&[&key]);
    assert!(proof.owners.iter().any(|owner| owner.value_hash.is_none()), "a tombstone");
    oldest(&mut proof);
    state.seal(&mut proof);
    add(file, &["Form"], "owners by their first leaves", &state, &[&key], &proof);

    let mut later = sample(4, 2, 24);
    for _ in 0..4 {
        later.commit(&[]);
    }
    let key = name(1);
    honest(file, &["Present"], "empty blocks after the last write", &later, &[&key]);
}

/// What a prover may choose, although none does.
fn malleable(file: &mut Builder) {
    let mut state = State::new(4, 2);
    state.commit(&[(&name(0), Some(b"a")), (&name(1), Some(b"b")), (&name(2), Some(b"c"))]);
    let first = |key: &Vec<u8>| state.keys[&keccak(key)].leaves[0].0.index == 0;
    let key: &[u8] = &(0..3).map(name).find(first).expect("one of the three");
    let mut proof = state.prove(&[key]);
    let entry = state.entry_name(&keccak(key), 0);
    let values = state.values(state.amt_name(&keccak(key), 0));
    proof.points = vec![INFINITY, state.setup.single_opening(&values, state.index(&entry))];
    let comment = "the root AMT opened by the single point after infinity";
    add(file, &["Malleable", "Present"], comment, &state, &[key], &proof);

    let mut proof = state.prove(&[key]);
    assert_eq!(proof.sizes, [3], "a tree over three leaves, of which this is the first");
    proof.sizes[0] = 4;
    let comment = "a block of three leaves as one of four: the first has the same path";
    add(file, &["Malleable", "Present"], comment, &state, &[key], &proof);
}

/// The walks with most entries, and those with most points.
fn longest(file: &mut Builder) {
    let state = tower(1, 1, 255, [0, 1, 0, 0, 0, 0], 1);
    let comment = "a value at level 255, below as many full entries";
    honest(file, &["Costly", "Deep", "Present"], comment, &state, &[&name(0)]);

    let state = tower(16, 1, 15, [0; 6], 0);
    let key = name(0);
    let mut proof = state.prove(&[&key]);
    for amt in &mut proof.amts {
        amt.opening = OpeningForm::Tree;
    }
    state.open(&[keccak(&key)].into(), &mut proof);
    assert_eq!((proof.points.len(), proof.owners.len()), (16 * 16, 15 * 5));
    let comment = "an absent key at the last of 16 levels, each AMT opened by its tree of arity 2";
    add(file, &["Absent", "Costly", "Deep"], comment, &state, &[&key], &proof);
}

fn empty(file: &mut Builder) {
    let mut state = State::new(4, 2);
    state.commit(&[]);
    honest(file, &["Empty", "Absent"], "a chain without writes", &state, &[b"any"]);
    let mut question = Question::new(&state, &[b"any"], &state.prove(&[b"any"]));
    (question.dev, question.allow_insecure_setup) = (false, false);
    let none = || expected(json!({ "results": [{}] }));
    let comment = "a chain without writes, with the setup of the ceremony";
    file.valid(&["Empty", "Absent"], comment, &input(&question), none());

    let long = vec![0xab; 1000];
    state.commit(&[
        (b"", Some(b"of the empty key")),
        (b"empty value", Some(b"")),
        (&long, Some(&long)),
    ]);
    honest(file, &["Empty", "Present"], "the key of no bytes", &state, &[b""]);
    honest(file, &["Empty", "Present"], "the value of no bytes", &state, &[b"empty value"]);
    honest(file, &["Present"], "a key and a value of 1,000 bytes", &state, &[&long]);
    honest(file, &["Empty"], "no keys", &state, &[]);
}

fn extremes(file: &mut Builder) {
    // The versions of an entry are as large as they can be.
    let mut state = State::new(4, 2);
    state.commit(&[(b"key", Some(b"before"))]);
    let hash = keccak(b"key");
    let last = (1 << 40) - 1;
    state.entries.insert(state.entry_name(&hash, 0), [last; 6]);
    let value_hash = Some(keccak(b"value"));
    let place = state.plant(key_leaf(0, 1, last, &hash, value_hash));
    let record = state.keys.get_mut(&hash).expect("the key");
    (record.version, record.value) = (last, Some(b"value".to_vec()));
    record.leaves.push((place, value_hash));
    honest(file, &["Extreme", "Present"], "versions of 2^40 - 1", &state, &[b"key"]);

    // A leaf at the end of the largest trees, whose other parts are made up.
    let mut state = State::new(4, 2);
    state.commit(&[(b"key", Some(b"value"))]);
    let mut proof = state.prove(&[b"key"]);
    let (block, index, size) = (u64::MAX - 1, u32::MAX - 1, u32::MAX);
    let Claim::Present { place, .. } = &mut proof.claims[0] else { panic!("present") };
    *place = Place { block, index };
    let lengths = [(u64::from(index), u64::from(size)), (block, u64::MAX)]
        .map(|(index, size)| multiproof(&[index], size).expect("in the tree").len());
    proof.hashes = (0..lengths[0] + lengths[1]).map(|n| [n as u8; 32]).collect();
    proof.sizes = vec![size];
    let leaf = key_leaf(0, 1, 1, &keccak(b"key"), Some(keccak(b"value")));
    let mut hashes = proof.hashes.iter().copied();
    let leaves = [(u64::from(index), leaf)];
    let root = multiproof_root::<Keccak>(&leaves, size.into(), &mut hashes).expect("enough");
    let leaves = [(block, block_leaf(block, &root))];
    let mut question = Question::new(&state, &[b"key"], &proof);
    question.root.hroot =
        multiproof_root::<Keccak>(&leaves, u64::MAX, &mut hashes).expect("enough");
    question.root.height = u64::MAX - 1;
    assert_eq!(question.proof, ENVELOPE.encode(&proof));
    let result = json!({
        "value": Hex(b"value".to_vec()), "since": Quantity(block), "version": Quantity(1),
    });
    let comment = "the last leaf of the largest tree, in the block of the largest height";
    let answer = expected(json!({ "results": [result] }));
    file.valid(&["Extreme", "Present"], comment, &input(&question), answer);
}
