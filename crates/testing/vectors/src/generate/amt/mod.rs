//! `AmtOpening`: vectors of the development setup and their openings.

pub(super) mod cancelling;
pub(super) mod setups;
pub(super) mod valid;

use prooflight_amt::{EntryChange, IndexClass, PointBytes, Scalar, TableParts, Tables, TreeState};
use prooflight_json::{Hash32, Quantity};

use crate::amt::{AmtOpening, KindName, OpeningInput};

/// A vector of versions under the development setup, with its tree.
struct SampleVector {
    tables: Tables,
    state: TreeState,
    log_arity: u8,
    entries: Vec<(u32, [u64; 6])>,
}

impl SampleVector {
    fn new(log_n: u8, log_arity: u8, entries: &[(u32, [u64; 6])]) -> Self {
        let parts = TableParts { single: true, tree: Some(log_arity) };
        let tables = Tables::dev(log_n, parts).expect("the arity fits");
        let mut state = TreeState::new(log_n, log_arity, IndexClass::ALL).expect("the arity fits");
        let changes: Vec<_> = scalars(entries)
            .into_iter()
            .map(|(index, value)| EntryChange::value(index, value))
            .collect();
        state.update(&tables, &changes).expect("indices of the vector");
        Self { tables, state, log_arity, entries: entries.to_vec() }
    }

    /// The vector with versions in two of every three entries.
    fn sample(log_n: u8, log_arity: u8) -> Self {
        let entry = |i: u32| {
            let i64 = u64::from(i);
            (i, [i64 + 1, 7 * i64, 0, (1 << 40) - 1 - i64, i64 % 2, 3])
        };
        let entries: Vec<_> = (0..1 << log_n).filter(|i| i % 3 != 1).map(entry).collect();
        Self::new(log_n, log_arity, &entries)
    }

    fn commitment(&self) -> PointBytes {
        self.tables.commit(&scalars(&self.entries)).expect("indices of the vector").to_bytes()
    }

    fn versions(&self, index: u32) -> [u64; 6] {
        self.entries.iter().find(|entry| entry.0 == index).map_or([0; 6], |entry| entry.1)
    }

    fn tree(&self, index: u32) -> OpeningInput {
        let points = self.state.open(index).expect("an index of the vector");
        self.opening(KindName::Tree, index, &points)
    }

    fn single(&self, index: u32) -> OpeningInput {
        let point = self.tables.open_single(&scalars(&self.entries), index);
        self.opening(KindName::Single, index, &[point.expect("an index of the vector")])
    }

    fn opening(&self, kind: KindName, index: u32, points: &[PointBytes]) -> OpeningInput {
        let value = Scalar::from_versions(&self.versions(index)).expect("versions below 2^40");
        OpeningInput {
            kind,
            log_arity: (kind == KindName::Tree).then_some(self.log_arity),
            commitment: Hash32(self.commitment()),
            index,
            value: Some(Hash32(value.to_bytes())),
            versions: None,
            points: points.iter().copied().map(Hash32).collect(),
        }
    }
}

impl OpeningInput {
    /// The same opening with its value given by versions.
    fn with_versions(mut self, versions: [u64; 6]) -> Self {
        self.value = None;
        self.versions = Some(versions.map(Quantity));
        self
    }
}

/// These openings under the development setup, which is allowed.
fn dev(log_n: usize, openings: Vec<OpeningInput>) -> AmtOpening {
    AmtOpening {
        setup: "dev".to_owned(),
        log_n: Some(log_n),
        params_id: None,
        allow_insecure_setup: Some(true),
        openings,
    }
}

fn scalars(entries: &[(u32, [u64; 6])]) -> Vec<(u32, Scalar)> {
    let scalar = |versions| Scalar::from_versions(versions).expect("versions below 2^40");
    entries.iter().map(|(index, versions)| (*index, scalar(versions))).collect()
}
