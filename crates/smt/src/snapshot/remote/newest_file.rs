//! Finds the newest file where there is no manifest.

use alloc::vec::Vec;

use prooflight_core::Result;

use super::parallel_map::{MAX_THREADS, parallel_map};
use super::remote_files::RemoteFiles;
use crate::snapshot::format::file_name;
use crate::snapshot::format::manifest::Manifest;

/// Returns the blocks of the files, given the last known ones; `None` if there is no file yet.
///
/// If nothing is new, it asks for one file. Otherwise the number of requests is logarithmic in the number of
/// files.
pub(crate) fn find_newest(
    files: &dyn RemoteFiles,
    known: Option<Manifest>,
) -> Result<Option<Manifest>> {
    let blocks_per_file = match known {
        Some(known) => Some(known.blocks_per_file),
        None => files.blocks_per_file()?.filter(|it| *it > 0),
    };
    let Some(blocks_per_file) = blocks_per_file else { return Ok(None) };
    let last = |number: u64| number.saturating_add(1).saturating_mul(blocks_per_file) - 1;
    let exists = |number: &u64| {
        files.read_range(&file_name(last(*number)), 0..1).map(|found| found.is_some())
    };
    let first = known.map_or(0, |known| known.newest / blocks_per_file + 1);
    let newest =
        if exists(&first)? { Some(last_existing(first, exists)?) } else { first.checked_sub(1) };
    // If the newest file is damaged, the error appears when its block is read.
    Ok(newest.map(|newest| Manifest {
        blocks_per_file,
        oldest: 0,
        newest: last(newest),
        newest_header: 0,
    }))
}

/// Returns the last number that exists, given one that exists; there are no gaps.
fn last_existing(mut found: u64, exists: impl Fn(&u64) -> Result<bool> + Sync) -> Result<u64> {
    let mut missing: Option<u64> = None;
    let mut reach = 1_u64;
    let round = |probes: &[u64], found: &mut u64, missing: &mut Option<u64>| -> Result<()> {
        for (probe, exists) in probes.iter().zip(parallel_map(probes, &exists)) {
            if !exists? {
                *missing = Some(*probe);
                break;
            }
            *found = *probe;
        }
        Ok(())
    };
    loop {
        let probes: Vec<u64> = match missing {
            None => (0..MAX_THREADS)
                .map(|_| {
                    let probe = found.saturating_add(reach);
                    reach = reach.saturating_mul(4);
                    probe
                })
                .collect(),
            Some(missing) if missing - found < 2 => return Ok(found),
            Some(missing) => {
                let step = (missing - found).div_ceil(MAX_THREADS as u64 + 1);
                let probes = (1..=MAX_THREADS as u64).map(|number| found + number * step);
                probes.filter(|probe| *probe < missing).collect()
            }
        };
        round(&probes, &mut found, &mut missing)?;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn the_newest_is_found_with_few_requests() {
        for newest in (0..300).chain([4095, 4096, 9999, 1_000_000]) {
            let asked = AtomicU64::new(0);
            let exists = |number: &u64| {
                asked.fetch_add(1, Ordering::Relaxed);
                Ok(*number <= newest)
            };
            assert_eq!(last_existing(0, exists), Ok(newest));
            let asked = asked.into_inner();
            assert!(asked <= 80, "{asked} requests to find {newest}");
        }
    }
}
