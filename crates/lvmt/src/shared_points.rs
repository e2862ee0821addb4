//! The points that openings of one AMT share: one for each node of its tree.

use alloc::collections::BTreeMap;

use prooflight_amt::OpeningKind;
use prooflight_core::{Error, Hex, Reason, Result};

use crate::walk::WalkEntry;

/// Checks that entries of one tree have the same point for each node that they share.
///
/// The d-th point belongs to the node of the entries whose indices are equal modulo `2^(log_arity * d)`. It
/// depends on nothing else of the entry, so an honest prover sends one point per node. A proof with several may
/// still be true, but it costs the verifier more pairings, so it is refused: `opening_mismatch`.
pub(crate) fn check_shared_points(entries: &[WalkEntry<'_>]) -> Result<()> {
    for of_amt in entries.chunk_by(|a, b| a.amt == b.amt) {
        let mut nodes = BTreeMap::new();
        for entry in of_amt {
            let OpeningKind::Tree { log_arity } = entry.kind else { continue };
            let bits = (1..).map(|depth| u32::from(log_arity) * depth);
            for (bits, point) in bits.zip(entry.points) {
                let node = (bits, entry.index & !(u32::MAX << bits));
                let first = *nodes.entry(node).or_insert(point);
                if first != point {
                    let expected = format_args!(
                        "{}, the point of the entries with {} in the last {bits} bits",
                        Hex(first),
                        node.1
                    );
                    return Err(Error::new(Reason::OpeningMismatch, expected, Hex(point)));
                }
            }
        }
    }
    Ok(())
}
