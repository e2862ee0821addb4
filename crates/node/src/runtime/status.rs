//! Why a server is not ready.

use std::fmt;
use std::time::Duration;

use prooflight_core::Error;

/// Why a server is not ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReady {
    /// Its chain is not open.
    Closed(LifecyclePhase),
    /// Its chain is known to have a later block, or the leader has not answered yet.
    Behind {
        /// Its own height.
        height: u64,
        /// The newest known height.
        newest: Option<u64>,
    },
    /// The newest known height of its chain is stale.
    NoNews {
        /// Its own height.
        height: u64,
        /// The age of the last news.
        age: Duration,
    },
    /// It could not continue, or its status could not be determined.
    Failed(Error),
}

impl From<Error> for NotReady {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed(LifecyclePhase::Opening) => f.write_str("opening the chain"),
            Self::Closed(LifecyclePhase::Stopping) => f.write_str("stopping"),
            Self::Behind { height, newest: Some(newest) } => {
                write!(f, "behind, at height {height} of {newest}")
            }
            Self::Behind { height, newest: None } => {
                write!(f, "at height {height}, and the leader has not answered yet")
            }
            Self::NoNews { height, age } => {
                write!(f, "at height {height}, without news of the leader for {} s", age.as_secs())
            }
            Self::Failed(error) => write!(f, "{error} ({} / {})", error.code(), error.reason()),
        }
    }
}

/// The phase of a server whose chain is not open yet, or is about to be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifecyclePhase {
    /// It is opening its chain.
    Opening,
    /// It is stopping.
    Stopping,
}
