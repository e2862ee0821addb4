//! File descriptors: each connection takes one, and must not take those of the store.

use prooflight_core::{Error, Reason, Result};
use prooflight_embedded::MAX_CACHED_FILES;

use crate::api::server::{REFUSED_CONNECTIONS, admin};
use crate::runtime::blocking::MAX_OPEN_FILES;

/// Descriptors for everything but the connections of clients: the tables of the store, the files of
/// `smt` that proofs read, the admin listener, and connections that are refused.
const RESERVED_FILES: u64 = (MAX_CACHED_FILES
    + MAX_OPEN_FILES
    + admin::MAX_ADMIN_CONNECTIONS
    + REFUSED_CONNECTIONS
    + OTHER_FILES) as u64;

/// Descriptors for everything else: the log of the store, tables that it merges, a file that is being
/// written, locks, listeners, the connections to a leader or an object store, and the standard streams.
const OTHER_FILES: usize = 64;

/// The most connections of authorities, which are few.
pub const AUTHORITY_CONNECTIONS: u32 = 128;

/// Descriptors of the listener for authorities.
const AUTHORITY_FILES: u64 = AUTHORITY_CONNECTIONS as u64 + REFUSED_CONNECTIONS as u64;

/// The fewest connections that are worth serving.
const MIN_CONNECTIONS: u64 = 16;

/// Raises the limit of open files, as far as permitted, for this many connections besides the node's own
/// files and, if there is one, the listener for authorities; returns how many connections fit.
///
/// `invalid_config` if almost none do.
pub fn connections(requested: u32, with_authorities: bool) -> Result<u32> {
    let reserve = reserve(with_authorities);
    let needed = u64::from(requested) + reserve;
    let Some(limit) = raise(needed).filter(|limit| *limit < needed) else { return Ok(requested) };
    let fit = fitting_connections(limit, reserve)?;
    tracing::warn!(
        requested,
        connections = fit,
        limit,
        needed,
        "fewer connections than requested: the limit of open files (ulimit -n, LimitNOFILE) is too low"
    );
    Ok(fit)
}

const fn reserve(with_authorities: bool) -> u64 {
    if with_authorities { RESERVED_FILES + AUTHORITY_FILES } else { RESERVED_FILES }
}

fn fitting_connections(limit: u64, reserve: u64) -> Result<u32> {
    let fit = limit.saturating_sub(reserve);
    if fit < MIN_CONNECTIONS {
        let least = reserve + MIN_CONNECTIONS;
        let expected = format_args!("a limit of {least} open files (ulimit -n, LimitNOFILE)");
        return Err(Error::new(Reason::InvalidConfig, expected, limit));
    }
    Ok(u32::try_from(fit).unwrap_or(u32::MAX))
}

/// Raises the limit of open files to `needed` if it is lower; returns the new limit, or `None` if there is
/// no limit.
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

/// Other systems have no such limit.
#[cfg(not(unix))]
fn raise(_needed: u64) -> Option<u64> {
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_the_store() {
        for (with_authorities, reserve) in [(false, 544), (true, 736)] {
            assert_eq!(super::reserve(with_authorities), reserve);
            assert_eq!(
                fitting_connections(1024, reserve),
                Ok(u32::try_from(1024 - reserve).unwrap())
            );
            assert_eq!(fitting_connections(reserve + 16, reserve), Ok(16));
            for limit in [0, 256, reserve + 15] {
                let refused = fitting_connections(limit, reserve).map_err(|error| error.reason());
                assert_eq!(refused, Err(Reason::InvalidConfig));
            }
        }
    }

    #[test]
    fn every_connection_and_file_that_may_be_open_is_counted() {
        let open = |with_authorities| {
            let own = MAX_CACHED_FILES + MAX_OPEN_FILES;
            let refused = REFUSED_CONNECTIONS * (1 + usize::from(with_authorities));
            let authorities = if with_authorities { AUTHORITY_CONNECTIONS } else { 0 };
            (own + admin::MAX_ADMIN_CONNECTIONS + refused) as u64 + u64::from(authorities)
        };
        for with_authorities in [false, true] {
            assert!(reserve(with_authorities) >= open(with_authorities) + 64);
        }
    }
}
