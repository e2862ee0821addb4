//! True openings of every kind are accepted, alone and mixed.

mod common;

use common::{Vector, value, verify};
use prooflight_amt::{
    EntryChange, IndexClass, Opening, OpeningKind, Point, SLOTS, Scalar, TableParts, Tables,
    TreeState, VerifyingKey, verify_openings,
};

/// Sizes and arities, each arity with one level and with several.
const SHAPES: [(u8, u8); 9] =
    [(1, 1), (4, 1), (5, 1), (2, 2), (6, 2), (4, 4), (8, 4), (3, 3), (6, 3)];

#[test]
fn every_entry_opens_in_trees_of_every_arity_and_by_a_single_point() {
    for (log_n, log_arity) in SHAPES {
        let vector = Vector::sample(log_n, log_arity);
        let key = VerifyingKey::dev(log_n).unwrap();
        let step = if log_n > 6 { 29 } else { 1 };
        let mut all = Vec::new();
        for index in (0..1 << log_n).step_by(step) {
            all.extend([vector.tree(index), vector.single(index)]);
        }
        for opening in all.iter().step_by(7) {
            assert_eq!(verify(&key, std::slice::from_ref(opening)), Ok(()), "{opening:?}");
        }
        assert_eq!(verify(&key, &all), Ok(()), "log_n {log_n}, log_arity {log_arity}");
    }
}

#[test]
fn openings_of_several_vectors_and_arities_are_verified_together() {
    let key = VerifyingKey::dev(4).unwrap();
    let mut openings = Vec::new();
    for log_arity in [1, 2, 4] {
        let vector = Vector::new(4, log_arity, &[(3, value(7)), (u32::from(log_arity), value(8))]);
        openings.extend([vector.tree(3), vector.single(0), vector.tree(15), vector.single(3)]);
    }
    assert_eq!(verify(&key, &openings), Ok(()));
    openings.reverse();
    assert_eq!(verify(&key, &openings), Ok(()));
    assert_eq!(verify(&key, &[]), Ok(()));
    let twice = [openings[0].clone(), openings[0].clone()];
    assert_eq!(verify(&key, &twice), Ok(()));
}

#[test]
fn a_vector_of_zeros_opens_to_zero() {
    let key = VerifyingKey::dev(4).unwrap();
    let vector = Vector::new(4, 2, &[]);
    assert_eq!(vector.commitment(), prooflight_amt::INFINITY);
    assert_eq!(verify(&key, &[vector.tree(5), vector.single(6)]), Ok(()));
}

#[test]
fn versions_go_up_and_down_by_changes_of_their_slots() {
    let (log_n, log_arity) = (4, 2);
    let key = VerifyingKey::dev(log_n).unwrap();
    let tables = Tables::dev(log_n, TableParts { single: true, tree: Some(log_arity) }).unwrap();
    let mut state = TreeState::new(log_n, log_arity, IndexClass::ALL).unwrap();
    let mut versions = [[0_u64; SLOTS]; 16];
    let mut commitment = [Point::ZERO];
    for block in 0..6_u32 {
        let mut changes = Vec::new();
        for i in 0..9_u32 {
            let (index, slot) = ((block * 5 + i * 3) % 16, ((block + i) % 6) as u8);
            let version = &mut versions[index as usize][usize::from(slot)];
            let steps = if *version > 0 && i % 4 == 0 { -1 } else { i64::from(i % 3) + 1 };
            *version = version.checked_add_signed(steps).unwrap();
            changes.push(EntryChange::version(index, slot, steps));
        }
        let numbered: Vec<_> = changes.iter().map(|change| (0, *change)).collect();
        tables.update(&mut commitment, &numbered).unwrap();
        let before = state.clone();
        let (draft, dropped) =
            (state.draft(&tables, &changes), state.draft(&tables, &changes[..1]));
        let (draft, dropped) = (draft.unwrap(), dropped.unwrap());
        // A draft has all points of the nodes that it changes, and does not modify the state.
        let drafted: Vec<_> = draft.nodes(&before).collect();
        assert_ne!(draft, dropped);
        assert_eq!(state, before);
        let touched = state.update(&tables, &changes).unwrap();
        assert!(drafted.iter().map(|(node, _)| node).eq(&touched));
        for (node, points) in &drafted {
            assert_eq!(state.node(*node), Some(&points[..]));
        }
        for node in (0..state.nodes()).filter(|node| !touched.contains(node)) {
            assert_eq!(state.node(node), before.node(node));
        }
        let mut taken_over = before;
        taken_over.apply(&draft);
        assert_eq!(taken_over, state);
        assert!(touched.is_sorted_by(|a, b| a < b) && touched[0] == 0);
        assert!(touched.iter().all(|node| state.node(*node).is_some()));
    }
    let entries: Vec<_> =
        (0..).zip(&versions).map(|(i, v)| (i, Scalar::from_versions(v).unwrap())).collect();
    assert_eq!(tables.commit(&entries), Ok(commitment[0]));
    for (index, value) in &entries {
        let single = [tables.open_single(&entries, *index).unwrap()];
        let tree = state.open(*index).unwrap();
        let (commitment, value) = (commitment[0].to_bytes(), *value);
        let opening = |kind, points| Opening { commitment, index: *index, value, kind, points };
        let openings = [
            opening(OpeningKind::Tree { log_arity }, &tree),
            opening(OpeningKind::Single, &single),
        ];
        assert_eq!(verify_openings(&openings, &key), Ok(()), "{index}");
    }
}

#[test]
fn a_class_keeps_what_its_openings_need_and_no_more() {
    let vector = Vector::sample(6, 2);
    let changes: Vec<_> =
        vector.entries.iter().map(|(index, value)| EntryChange::value(*index, *value)).collect();
    for bits in 0..=6 {
        let mut nodes = 0;
        for class in 0..1 << bits {
            let class = IndexClass::new(bits, class).unwrap();
            let mut state = TreeState::new(6, 2, class).unwrap();
            state.update(&vector.tables, &changes).unwrap();
            nodes = state.nodes();
            for index in 0..64 {
                let expected = class.contains(index).then(|| vector.state.open(index).unwrap());
                assert_eq!(state.open(index).ok(), expected, "{index} in {class:?}");
            }
        }
        // Levels have 1, 4 and 16 nodes.
        let expected = [1 + 4 + 16, 1 + 2 + 8, 1 + 1 + 4, 1 + 1 + 2, 3, 3, 3];
        assert_eq!(nodes, expected[usize::from(bits)]);
    }
}

#[test]
fn a_state_is_restored_from_its_nodes() {
    let vector = Vector::sample(4, 1);
    let mut restored = TreeState::new(4, 1, IndexClass::ALL).unwrap();
    for node in 0..restored.nodes() {
        for slot in 0..6 {
            let of_slot = vector.state.node(node).unwrap().iter().skip(slot).step_by(6);
            let bytes: Vec<_> = of_slot.map(Point::to_coordinates).collect();
            let points: Result<Vec<_>, _> = bytes.iter().map(Point::from_coordinates).collect();
            restored.set_points(node, u8::try_from(slot).unwrap(), &points.unwrap()).unwrap();
        }
    }
    assert_eq!(restored, vector.state);
    let point = &[Point::ZERO];
    restored.set_points(0, 5, point).unwrap();
    assert!(restored.set_points(restored.nodes(), 0, point).is_err());
    assert!(restored.set_points(0, 6, point).is_err());
    assert!(restored.set_points(0, 0, &[]).is_err());
    assert!(restored.set_points(0, 0, &[Point::ZERO; 2]).is_err());
    assert!(restored.node(restored.nodes()).is_none());
}
