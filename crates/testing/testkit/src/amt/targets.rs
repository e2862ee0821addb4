//! The fuzz targets.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    unreachable_pub,
    missing_docs,
    reason = "a fuzz target reports a finding by panicking"
)]

use std::io::Cursor;
use std::sync::LazyLock;

use crate::replay::FuzzTarget;

use arbitrary::{Result, Unstructured};
use prooflight_amt::{
    EntryChange, IndexClass, Opening, OpeningKind, PointBytes, ProverSetup, Scalar, TableParts,
    Tables, TreeState, VerifyingKey, verify_openings,
};

/// All targets of this crate by their names.
pub const TARGETS: [(&str, FuzzTarget); 2] = [("amt_opening", amt_opening), ("amt_ptau", amt_ptau)];

const LOG_N: u8 = 4;

/// An opening that owns its points.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OwnedOpening {
    commitment: PointBytes,
    index: u32,
    value: Scalar,
    kind: OpeningKind,
    points: Vec<PointBytes>,
}

static VERIFYING_KEY: LazyLock<VerifyingKey> = LazyLock::new(|| VerifyingKey::dev(LOG_N).unwrap());

/// True openings of one vector, of every kind and arity.
static HONEST_OPENINGS: LazyLock<Vec<OwnedOpening>> = LazyLock::new(|| {
    let entries: Vec<_> = (0..16)
        .map(|i| (i, Scalar::from_versions(&[u64::from(i) + 1, 7, 0, 1, 2, 3]).unwrap()))
        .collect();
    let mut openings = Vec::new();
    for log_arity in [1, 2, 4] {
        let parts = TableParts { single: true, tree: Some(log_arity) };
        let tables = Tables::dev(LOG_N, parts).unwrap();
        let changes: Vec<_> =
            entries.iter().map(|(i, value)| EntryChange::value(*i, *value)).collect();
        let mut state = TreeState::new(LOG_N, log_arity, IndexClass::ALL).unwrap();
        state.update(&tables, &changes).unwrap();
        let commitment = tables.commit(&entries).unwrap().to_bytes();
        for (index, value) in entries.iter().copied().step_by(5) {
            let own = |kind, points| OwnedOpening { commitment, index, value, kind, points };
            openings.push(own(OpeningKind::Tree { log_arity }, state.open(index).unwrap()));
            let point = tables.open_single(&entries, index).unwrap();
            openings.push(own(OpeningKind::Single, vec![point]));
        }
    }
    openings
});

/// Verifies true, changed and arbitrary openings, and decodes arbitrary keys.
pub fn amt_opening(u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1, 8)? {
        key(u.bytes(u.len())?);
        return Ok(());
    }
    let honest = &*HONEST_OPENINGS;
    let mut openings = Vec::new();
    let mut wrong = false;
    for _ in 0..u.int_in_range(1..=5)? {
        let original = u.choose(honest)?;
        let mut opening = original.clone();
        if u.arbitrary()? {
            change(u, &mut opening)?;
        }
        wrong |= !same(&opening, original);
        openings.push(opening);
    }
    let borrowed: Vec<_> = openings
        .iter()
        .map(|OwnedOpening { commitment, index, value, kind, points }| Opening {
            commitment: *commitment,
            index: *index,
            value: *value,
            kind: *kind,
            points,
        })
        .collect();
    let verdict = verify_openings(&borrowed, &VERIFYING_KEY);
    assert_eq!(verdict.is_err(), wrong, "{verdict:?}: {openings:?}");
    Ok(())
}

/// Checks that bytes that decode as a key encode to the same bytes.
fn key(bytes: &[u8]) {
    if let Ok(key) = VerifyingKey::decode(bytes) {
        assert_eq!(key.encode(), bytes);
    }
}

/// Compares two openings; a tree of one level equals a single point.
fn same(a: &OwnedOpening, b: &OwnedOpening) -> bool {
    let single = |opening: &OwnedOpening| match opening.kind {
        OpeningKind::Tree { log_arity: LOG_N } => {
            OwnedOpening { kind: OpeningKind::Single, ..opening.clone() }
        }
        _ => opening.clone(),
    };
    single(a) == single(b)
}

fn change(u: &mut Unstructured<'_>, opening: &mut OwnedOpening) -> Result<()> {
    match u.int_in_range(0..=7)? {
        0 => opening.index = u.arbitrary()?,
        1 => opening.index ^= 1 << u.int_in_range(0..=4)?,
        2 => {
            if let Ok(value) = Scalar::from_bytes(&u.arbitrary()?) {
                opening.value = value;
            }
        }
        3 => flip(u, &mut opening.commitment)?,
        4 => opening.kind = OpeningKind::Tree { log_arity: u.arbitrary()? },
        5 => opening.kind = OpeningKind::Single,
        6 => {
            let count = u.int_in_range(0..=6)?;
            opening.points.resize(count, u.arbitrary()?);
        }
        _ => {
            if !opening.points.is_empty() {
                let place = u.choose_index(opening.points.len())?;
                match u.int_in_range(0..=2)? {
                    0 => opening.points[place] = u.arbitrary()?,
                    1 => opening.points[place] = u.choose(&HONEST_OPENINGS)?.points[0],
                    _ => flip(u, &mut opening.points[place])?,
                }
            }
        }
    }
    Ok(())
}

fn flip(u: &mut Unstructured<'_>, bytes: &mut [u8]) -> Result<()> {
    let bit = u.choose_index(bytes.len() * 8)?;
    bytes[bit / 8] ^= 1 << (bit % 8);
    Ok(())
}

static PTAU_FILE: &[u8] = include_bytes!("../../../../amt/tests/data/ptau/prepared.ptau");

/// Reads a changed file of snarkjs, or any bytes: it must be refused, or be the original setup.
pub fn amt_ptau(u: &mut Unstructured<'_>) -> Result<()> {
    let log_n = u.int_in_range(0..=6)?;
    if u.ratio(1, 8)? {
        let bytes = u.bytes(u.len())?;
        assert!(ProverSetup::read_ptau(Cursor::new(bytes), log_n).is_err());
        return Ok(());
    }
    let mut file = PTAU_FILE.to_vec();
    for _ in 0..u.int_in_range(0..=4)? {
        let at = u.choose_index(file.len().max(1))?;
        match u.int_in_range(0..=4)? {
            0 => file.truncate(at),
            1 => file.insert(at, u.arbitrary()?),
            // The head, the table of sections and the header.
            2 => {
                let at = at % 80;
                if let Some(byte) = file.get_mut(at) {
                    *byte = u.arbitrary()?;
                }
            }
            _ => {
                if let Some(byte) = file.get_mut(at) {
                    *byte ^= u.arbitrary::<u8>()?;
                }
            }
        }
    }
    if let Ok(setup) = ProverSetup::read_ptau(Cursor::new(&file[..]), log_n) {
        let original = ProverSetup::read_ptau(Cursor::new(PTAU_FILE), log_n).unwrap();
        assert_eq!(setup.verifying_key(), original.verifying_key());
    }
    Ok(())
}
