//! File descriptors: a connection takes one each, and must not take those of the store.

use prooflight_core::{Error, Reason, Result};
use prooflight_embedded::CACHED_FILES;

/// Descriptors for everything but the connections of clients: the store, its log and the files that it
/// merges, snapshot files, the admin listener, connections that are turned away, and the leader's.
const RESERVE: u64 = CACHED_FILES as u64 + 256;

/// The fewest connections that are worth serving.
const LEAST: u64 = 16;

/// Raises the limit of open files, as far as it may be raised, so that this many connections fit
/// beside the node's own files; returns how many fit.
///
/// `invalid_config` if almost none do.
pub fn connections(asked: u32) -> Result<u32> {
    let needed = u64::from(asked) + RESERVE;
    let Some(limit) = raise(needed).filter(|limit| *limit < needed) else { return Ok(asked) };
    let fit = fitting(limit)?;
    tracing::warn!(
        asked,
        connections = fit,
        limit,
        needed,
        "fewer connections than asked for: the limit of open files (ulimit -n, LimitNOFILE) is too low"
    );
    Ok(fit)
}

fn fitting(limit: u64) -> Result<u32> {
    let fit = limit.saturating_sub(RESERVE);
    if fit < LEAST {
        let least = RESERVE + LEAST;
        let expected = format_args!("a limit of {least} open files (ulimit -n, LimitNOFILE)");
        return Err(Error::new(Reason::InvalidConfig, expected, limit));
    }
    Ok(u32::try_from(fit).unwrap_or(u32::MAX))
}

/// Raises the limit of open files to this number if it is lower; returns the limit then, or `None` if
/// there is none.
#[cfg(unix)]
fn raise(needed: u64) -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= needed) {
        return current;
    }
    let raised = Some(maximum.map_or(needed, |maximum| maximum.min(needed)));
    // If it cannot be raised, the limit stays.
    match setrlimit(Resource::Nofile, Rlimit { current: raised, maximum }) {
        Ok(()) => raised,
        Err(_) => current,
    }
}

/// Elsewhere the standard library cannot run out of descriptors.
#[cfg(not(unix))]
fn raise(_needed: u64) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_the_store() {
        assert_eq!(fitting(1024), Ok(512));
        assert_eq!(fitting(528), Ok(16));
        for limit in [0, 256, 527] {
            assert_eq!(fitting(limit).map_err(|error| error.reason()), Err(Reason::InvalidConfig));
        }
    }
}
