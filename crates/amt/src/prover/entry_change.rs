//! Changes of the entries of a vector.

use ark_bn254::{Fr, G1Affine};
use ark_ec::CurveGroup;
use ark_ff::Field;

use super::group::Point;
use crate::scalar::{SLOTS, Scalar, VERSION_BITS};

/// A change of one entry of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryChange {
    index: u32,
    slot: u8,
    factor: ChangeFactor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeFactor {
    Steps(i64),
    Value(Scalar),
}

impl EntryChange {
    /// Adds `steps` to the version in `slot` (0 to 5) of the entry, that is, `steps * 2^(40 slot)`
    /// to its value.
    pub const fn version(index: u32, slot: u8, steps: i64) -> Self {
        Self { index, slot, factor: ChangeFactor::Steps(steps) }
    }

    /// Adds `value` to the value of the entry.
    pub const fn value(index: u32, value: Scalar) -> Self {
        Self { index, slot: 0, factor: ChangeFactor::Value(value) }
    }

    /// The index of the entry.
    pub const fn index(&self) -> u32 {
        self.index
    }

    /// The steps of a change of a version; `None` for a change of the whole value.
    pub const fn steps(&self) -> Option<i64> {
        match self.factor {
            ChangeFactor::Steps(steps) => Some(steps),
            ChangeFactor::Value(_) => None,
        }
    }

    /// The slot; 0 for a change of the whole value.
    pub const fn slot(&self) -> u8 {
        self.slot
    }

    /// Whether the change adds one to a version or subtracts one: multiplying a point by it is free.
    pub(super) const fn is_step(&self) -> bool {
        matches!(self.factor, ChangeFactor::Steps(1 | -1))
    }

    /// The factor of the change.
    pub(super) fn factor(&self) -> Fr {
        match self.factor {
            ChangeFactor::Steps(steps) => Fr::from(steps),
            ChangeFactor::Value(value) => value.0,
        }
    }

    /// Multiplies `point` by the change.
    pub(super) fn times(&self, point: G1Affine) -> Point {
        Point(match self.factor {
            ChangeFactor::Steps(1) => point,
            ChangeFactor::Steps(-1) => -point,
            ChangeFactor::Steps(steps) => (point * Fr::from(steps)).into_affine(),
            ChangeFactor::Value(value) => (point * value.0).into_affine(),
        })
    }
}

/// `2^(40 slot)` for each slot.
pub(super) fn shifts() -> [Fr; SLOTS] {
    let mut shift = Fr::ONE;
    core::array::from_fn(|_| {
        let this = shift;
        shift *= Fr::from(1_u64 << VERSION_BITS);
        this
    })
}
