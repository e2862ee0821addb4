//! Blocks of the Ergo mainnet.

use prooflight_bench::{Result, read};

use crate::Plan;
use crate::dictionary::Verifiers;
use crate::report::Table;

const BLOCKS: &str = include_str!("../../../test-vectors/avl/ergo_mainnet.json");

/// Compares the verifiers on all blocks.
pub(crate) fn compare(table: &mut Table, plan: Plan) -> Result<()> {
    let cases = read(BLOCKS)?;
    let mut verifiers = Verifiers::default();
    verifiers.measure(&cases, plan.batches * plan.repeats)?;
    verifiers.report(table, &format!("{} Ergo blocks", cases.len()));
    Ok(())
}
