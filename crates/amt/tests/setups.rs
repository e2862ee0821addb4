//! Setups: keys as bytes, `.ptau` files of snarkjs, tables in files.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::Cursor;
use std::sync::atomic::{AtomicU32, Ordering};

use prooflight_amt::{
    EntryChange, IndexClass, Opening, OpeningKind, ProverSetup, Scalar, TableParts, Tables,
    TreeState, VerifyingKey, verify_openings,
};
use prooflight_core::{Reason, Result};

/// 32 powers after two contributions and a beacon, with the values for a second phase.
static PREPARED: &[u8] = include_bytes!("data/ptau/prepared.ptau");
/// 32 powers after one contribution of another ceremony.
static OTHER: &[u8] = include_bytes!("data/ptau/other.ptau");
/// 8 powers before the first contribution.
static NO_CONTRIBUTION: &[u8] = include_bytes!("data/ptau/no_contribution.ptau");
/// 8 powers on another curve.
static BLS12_381: &[u8] = include_bytes!("data/ptau/bls12_381.ptau");

const PARTS: TableParts = TableParts { single: true, tree: Some(2) };

fn read(bytes: &[u8], log_n: u8) -> Result<ProverSetup> {
    ProverSetup::read_ptau(Cursor::new(bytes), log_n)
}

#[track_caller]
fn refused(bytes: &[u8], log_n: u8, reason: Reason) {
    assert_eq!(read(bytes, log_n).map(|_| ()).map_err(|error| error.reason()), Err(reason));
}

/// The byte range of a section.
fn section(file: &[u8], id: u32) -> std::ops::Range<usize> {
    let mut at = 12;
    loop {
        let found = u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        let size = u64::from_le_bytes(file[at + 4..at + 12].try_into().unwrap());
        let size = usize::try_from(size).unwrap();
        if found == id {
            return at + 12..at + 12 + size;
        }
        at += 12 + size;
    }
}

/// The file with a section of another one.
fn mixed(file: &[u8], other: &[u8], ids: &[u32]) -> Vec<u8> {
    let mut mixed = file.to_vec();
    for id in ids {
        mixed[section(file, *id)].copy_from_slice(&other[section(other, *id)]);
    }
    mixed
}

#[test]
fn openings_under_a_setup_of_snarkjs_verify() {
    for (file, log_n) in [(PREPARED, 4), (PREPARED, 2), (OTHER, 4)] {
        let setup = read(file, log_n).unwrap();
        let key = setup.verifying_key();
        assert!(!key.is_insecure());
        let tables = Tables::build(&setup, PARTS, &|_, _| ()).unwrap();
        let mut state = TreeState::new(log_n, 2, IndexClass::ALL).unwrap();
        state
            .update(&tables, &[EntryChange::version(1, 3, 1), EntryChange::version(3, 0, 2)])
            .unwrap();
        let value = |versions| Scalar::from_versions(&versions).unwrap();
        let entries = [(1, value([0, 0, 0, 1, 0, 0])), (3, value([2, 0, 0, 0, 0, 0]))];
        let commitment = tables.commit(&entries).unwrap().to_bytes();
        for (index, value) in [entries[0], entries[1], (2, Scalar::ZERO)] {
            let (tree, single) =
                (state.open(index).unwrap(), [tables.open_single(&entries, index).unwrap()]);
            let opening = |kind, points| Opening { commitment, index, value, kind, points };
            let openings = [
                opening(OpeningKind::Tree { log_arity: 2 }, &tree[..]),
                opening(OpeningKind::Single, &single),
            ];
            assert_eq!(verify_openings(&openings, key), Ok(()));
            // Under any other setup they do not.
            let dev = VerifyingKey::dev(log_n).unwrap();
            let error = verify_openings(&openings, &dev).unwrap_err();
            assert_eq!(error.reason(), Reason::OpeningMismatch);
        }
    }
    let ids = [read(PREPARED, 4), read(PREPARED, 3), read(OTHER, 4), ProverSetup::dev(4)]
        .map(|setup| setup.unwrap().verifying_key().params_id());
    assert!((0..4).all(|i| (0..i).all(|j| ids[i] != ids[j])));
}

#[test]
fn a_file_of_the_wrong_power_curve_or_kind_is_refused() {
    refused(PREPARED, 6, Reason::SetupTooSmall);
    refused(PREPARED, 28, Reason::SetupTooSmall);
    refused(PREPARED, 0, Reason::InvalidArgument);
    refused(PREPARED, 29, Reason::InvalidArgument);
    refused(NO_CONTRIBUTION, 3, Reason::InvalidSetup);
    refused(BLS12_381, 3, Reason::InvalidPtau);
    refused(b"", 3, Reason::Truncated);
    refused(b"zkey\x01\0\0\0\0\0\0\0", 3, Reason::InvalidPtau);
    refused(b"ptau\x01\0\0\0\0\0\0\0", 3, Reason::InvalidPtau);
    refused(b"ptau\x01\0\0\0\xff\xff\xff\xff", 3, Reason::InvalidPtau);
    let missing = ProverSetup::open_ptau("/nowhere/at/all.ptau".as_ref(), 4).unwrap_err();
    assert_eq!(missing.reason(), Reason::StoreFailed);
    // A header of another power than its sections have.
    let header = section(PREPARED, 1);
    for power in [0, 4, 6, 28, 29, 255] {
        let mut file = PREPARED.to_vec();
        file[header.start + 36] = power;
        refused(&file, 3, Reason::InvalidPtau);
    }
}

#[test]
fn a_truncated_or_longer_file_is_refused() {
    for length in (0..PREPARED.len()).step_by(997).chain([PREPARED.len() - 1]) {
        refused(&PREPARED[..length], 4, Reason::Truncated);
    }
    refused(&[PREPARED, &[0]].concat(), 4, Reason::TrailingBytes);
    // A section with a false, huge length does not cause an allocation.
    let mut file = PREPARED.to_vec();
    let size = section(PREPARED, 7).start - 8;
    file[size..size + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    refused(&file, 4, Reason::Truncated);
}

#[test]
fn sections_twice_missing_or_unknown_are_refused() {
    for id in 1..=7 {
        for other in [0, 8, 99, if id == 7 { 2 } else { 7 }] {
            let mut file = PREPARED.to_vec();
            file[section(PREPARED, id).start - 12] = other;
            refused(&file, 4, Reason::InvalidPtau);
        }
    }
    // One section less, with a matching count.
    let prepared = section(PREPARED, 7);
    let mut file = PREPARED[..section(OTHER, 6).end].to_vec();
    assert_eq!(prepared.start, file.len() + 12);
    file[8] = 6;
    refused(&file, 4, Reason::InvalidPtau);
}

#[test]
fn a_flipped_bit_of_any_point_is_refused() {
    for id in 2..=6 {
        let range = section(PREPARED, id);
        for at in range.clone().step_by(211).chain([range.end - 1]) {
            let mut file = PREPARED.to_vec();
            file[at] ^= 1 << (at % 8);
            assert!(read(&file, 5).is_err(), "section {id}, byte {}", at - range.start);
        }
    }
    // The header's bytes, except the ceremony's power, which only has to be large enough.
    for at in section(PREPARED, 1).take(40) {
        let mut file = PREPARED.to_vec();
        file[at] ^= 1;
        refused(&file, 5, Reason::InvalidPtau);
    }
    // The points of the contributions; their hashes and names do not affect the powers.
    let start = section(PREPARED, 7).start + 4;
    for at in (start..start + 1216).step_by(61) {
        let mut file = PREPARED.to_vec();
        file[at] ^= 4;
        assert!(read(&file, 5).is_err(), "contribution, byte {}", at - start);
    }
}

#[test]
fn two_files_mixed_are_refused() {
    for ids in [&[2][..], &[3], &[4], &[5], &[6], &[2, 3], &[2, 3, 4, 5], &[2, 3, 4, 5, 6]] {
        refused(&mixed(PREPARED, OTHER, ids), 5, Reason::InvalidSetup);
    }
    // A point of one file among those of the other, and two points swapped.
    for id in 2..=5 {
        let size = if id == 3 { 128 } else { 64 };
        let start = section(PREPARED, id).start;
        for (j, k) in [(0, 1), (1, 2), (7, 31), (30, 31)] {
            let mut file = PREPARED.to_vec();
            file[start + j * size..][..size]
                .copy_from_slice(&OTHER[section(OTHER, id).start + j.max(1) * size..][..size]);
            refused(&file, 5, Reason::InvalidSetup);
            let mut file = PREPARED.to_vec();
            let (low, high) = file.split_at_mut(start + k * size);
            low[start + j * size..][..size].swap_with_slice(&mut high[..size]);
            refused(&file, 5, Reason::InvalidSetup);
        }
    }
    // Infinity, as snarkjs writes it.
    for (id, size) in [(2, 64), (3, 128), (6, 128)] {
        let mut file = PREPARED.to_vec();
        file[section(PREPARED, id).start..][..size].fill(0);
        refused(&file, 5, Reason::InvalidPoint);
    }
}

#[test]
fn keys_as_bytes() {
    for key in [VerifyingKey::dev(3).unwrap(), VerifyingKey::ppot(16).unwrap()] {
        let bytes = key.encode();
        assert_eq!(bytes.len(), 65 + 64 * usize::from(key.log_n()));
        assert_eq!(VerifyingKey::decode(bytes).unwrap(), key);
        assert_eq!(VerifyingKey::decode(bytes).unwrap().params_id(), key.params_id());
    }
    let key = VerifyingKey::dev(3).unwrap();
    let bytes = key.encode();
    let reason = |bytes: &[u8]| VerifyingKey::decode(bytes).unwrap_err().reason();
    for length in 0..bytes.len() {
        assert_eq!(reason(&bytes[..length]), Reason::Truncated);
    }
    assert_eq!(reason(&[bytes, &[0]].concat()), Reason::TrailingBytes);
    let with = |at: usize, point: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes[at..at + point.len()].copy_from_slice(point);
        bytes
    };
    for log_n in [0, 29, 255] {
        assert_eq!(reason(&with(0, &[log_n])), Reason::InvalidSetup);
    }
    assert_eq!(reason(&with(0, &[2])), Reason::TrailingBytes);
    assert_eq!(reason(&with(0, &[4])), Reason::Truncated);
    // The first point must be the generator.
    assert_eq!(reason(&with(1, &bytes[65..129])), Reason::InvalidSetup);
    let mut infinity = [0; 64];
    infinity[63] = 0x40;
    assert_eq!(reason(&with(65, &infinity)), Reason::InvalidPoint);
    assert_eq!(reason(&with(65, &[0xff; 64])), Reason::InvalidPoint);
    // Points off the curve, or on it: of those, all but one in 2^254 are outside the subgroup.
    let mut outside = 0;
    for x in 1..30_u8 {
        let mut point = [0; 64];
        point[0] = x;
        let error = VerifyingKey::decode(&with(65, &point)).unwrap_err();
        assert_eq!(error.reason(), Reason::InvalidPoint);
        outside += u32::from(error.expected().contains("subgroup"));
    }
    assert!(outside > 5, "{outside} points on the curve");
}

#[test]
fn the_development_setup_is_refused_unless_it_is_allowed() {
    let dev = VerifyingKey::dev(4).unwrap();
    assert_eq!(dev.check_secure(false).unwrap_err().reason(), Reason::InsecureSetup);
    assert_eq!(dev.check_secure(true), Ok(()));
    // The development setup is recognised by its points, also when decoded from bytes.
    let bytes = VerifyingKey::decode(dev.encode()).unwrap();
    assert_eq!(bytes.check_secure(false).unwrap_err().reason(), Reason::InsecureSetup);
    assert_eq!(VerifyingKey::ppot(4).unwrap().check_secure(false), Ok(()));
}

#[test]
fn tables_are_loaded_if_they_are_whole_and_built_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let key = VerifyingKey::dev(4).unwrap();
    let built = AtomicU32::new(0);
    let open = |parts| {
        let setup = || {
            built.fetch_add(1, Ordering::Relaxed);
            ProverSetup::dev(4)
        };
        Tables::load_or_build(folder.path(), &key, parts, setup, &|_, _| ()).unwrap()
    };
    let expected = |tables: &Tables| {
        let mut state = TreeState::new(4, 2, IndexClass::ALL).unwrap();
        let changes: Vec<_> = (0..16).map(|i| EntryChange::version(i, (i % 6) as u8, 1)).collect();
        state.update(tables, &changes).unwrap();
        let entries: Vec<_> = (0..16).map(|i| (i, Scalar::from(u64::from(i)))).collect();
        (state, tables.commit(&entries).unwrap(), tables.open_single(&entries, 3).unwrap())
    };
    let first = expected(&open(PARTS));
    assert_eq!(first, expected(&Tables::dev(4, PARTS).unwrap()));
    assert_eq!(built.load(Ordering::Relaxed), 1);
    assert_eq!(expected(&open(PARTS)), first);
    assert_eq!(built.load(Ordering::Relaxed), 1, "loaded");

    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    let whole = fs::read(file).unwrap();
    let mut times = 1;
    let step = whole.len() / 9;
    for at in (0..whole.len()).step_by(step).chain([whole.len() - 1]) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(file, &damaged).unwrap();
        assert_eq!(expected(&open(PARTS)), first, "byte {at}");
        times += 1;
        assert_eq!(built.load(Ordering::Relaxed), times, "built anew, byte {at}");
        assert_eq!(fs::read(file).unwrap(), whole);
    }
    for damaged in [&whole[..whole.len() - 1], &whole[..40], &[], &[&whole[..], &[0]].concat()] {
        fs::write(file, damaged).unwrap();
        assert_eq!(expected(&open(PARTS)), first);
        times += 1;
    }
    assert_eq!(built.load(Ordering::Relaxed), times);
    // Other parts are another file.
    open(TableParts::default());
    open(TableParts { single: true, tree: Some(4) });
    assert_eq!(built.load(Ordering::Relaxed), times + 2);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
}

#[test]
fn tables_are_only_built_from_the_setup_that_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let key = VerifyingKey::dev(4).unwrap();
    let load = |setup: fn() -> Result<ProverSetup>| {
        let tables = Tables::load_or_build(folder.path(), &key, PARTS, setup, &|_, _| ());
        tables.unwrap_err().reason()
    };
    assert_eq!(load(|| read(PREPARED, 4)), Reason::SetupMismatch);
    assert_eq!(load(|| ProverSetup::dev(5)), Reason::SetupMismatch);
    assert_eq!(load(|| read(NO_CONTRIBUTION, 3)), Reason::InvalidSetup);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}
