//! A cache of rows of points, each computed when it is needed for the second time.

use std::boxed::Box;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::vec::Vec;

use ark_bn254::G1Affine;

/// The points of a row from a level on.
#[derive(Debug)]
pub(super) struct PointRow {
    pub(super) level: u8,
    pub(super) points: Box<[G1Affine]>,
}

/// A cache of rows; `None` for a row that was needed once.
#[derive(Debug)]
pub(super) struct RowCache {
    limit: usize,
    rows: RwLock<HashMap<u32, Option<Arc<PointRow>>>>,
}

impl RowCache {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, rows: RwLock::default() }
    }

    /// Returns each row that was needed before, with its points from `level` on; `make` computes missing rows.
    pub(super) fn get_or_make(
        &self,
        numbers: &[Option<u32>],
        level: u8,
        make: impl FnOnce(&[u32]) -> Vec<PointRow>,
    ) -> Vec<Option<Arc<PointRow>>> {
        let (mut once, mut again) = (Vec::new(), Vec::new());
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        for number in numbers.iter().flatten() {
            match rows.get(number) {
                None => once.push(*number),
                Some(Some(row)) if row.level <= level => {}
                Some(_) => again.push(*number),
            }
        }
        drop(rows);
        again.sort_unstable();
        again.dedup();
        let made = if again.is_empty() { Vec::new() } else { make(&again) };
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        rows.extend(again.into_iter().zip(made.into_iter().map(|row| Some(Arc::new(row)))));
        for number in once {
            if rows.len() < self.limit {
                rows.entry(number).or_default();
            }
        }
        let row = |number: &Option<u32>| rows.get(&(*number)?)?.clone();
        numbers.iter().map(|number| row(number).filter(|row| row.level <= level)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    /// A row without points, from a level on.
    fn row(level: u8) -> PointRow {
        PointRow { level, points: [].into() }
    }

    #[test]
    fn rows_are_made_the_second_time_and_again_only_for_higher_levels() {
        let remembered = RowCache::new(2);
        let ask = |numbers: &[u32], level: u8| {
            let numbers: Vec<_> = numbers.iter().copied().map(Some).collect();
            let mut asked = Vec::new();
            let make = |numbers: &[u32]| {
                asked = numbers.to_vec();
                numbers.iter().map(|_| row(level)).collect()
            };
            let rows = remembered.get_or_make(&numbers, level, make);
            (asked, rows.iter().map(Option::is_some).collect::<Vec<_>>())
        };
        assert_eq!(ask(&[7, 8], 2), (vec![], vec![false, false]));
        assert_eq!(ask(&[7], 2), (vec![7], vec![true]));
        assert_eq!(ask(&[7, 7], 3), (vec![], vec![true, true]));
        // The row in memory begins below the level; it is replaced.
        assert_eq!(ask(&[8, 7, 8], 1), (vec![7, 8], vec![true, true, true]));
        assert_eq!(ask(&[8, 7], 2), (vec![], vec![true, true]));
        // The cache is full with two numbers.
        assert_eq!(ask(&[9], 2), (vec![], vec![false]));
        assert_eq!(ask(&[9], 2), (vec![], vec![false]));
    }
}
