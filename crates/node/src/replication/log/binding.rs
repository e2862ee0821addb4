//! The log that the blocks of a folder belong to.
//!
//! The file `log` in the folder names the log. Without this file, a mistyped URL would make a second chain: the keys
//! would sign blocks in one log, and a standby with the same keys would sign others in the old log.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use prooflight_core::{Error, Reason, Result};

use crate::chain::store::corrupt;
use crate::runtime::durable::{failed, replace};
use crate::runtime::files;

const LOG_FILE: &str = "log";

/// The second line of the file while the log does not have every block of the folder yet.
const PUBLISHING_LINE: &str = "publishing";

/// The log that a folder belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogBinding {
    /// The log's location, without credentials.
    pub log: String,
    /// Whether blocks of the folder are still being published, so that the log may lack some.
    pub publishing: bool,
}

impl LogBinding {
    /// The log of a folder, if it has one; `store_corrupt` if its file does not name a log.
    pub fn of(folder: &Path) -> Result<Option<Self>> {
        let path = path(folder);
        let text = match files::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => return Err(damaged(&path)),
            Err(error) => return Err(failed(&path, &error)),
        };
        let mut lines = text.lines();
        match (lines.next(), lines.next(), lines.next()) {
            (Some(log), rest, None)
                if !log.is_empty() && rest.is_none_or(|rest| rest == PUBLISHING_LINE) =>
            {
                Ok(Some(Self { log: log.to_owned(), publishing: rest.is_some() }))
            }
            _ => Err(damaged(&path)),
        }
    }

    /// Makes this the log of a folder, on disk.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let Self { log, publishing } = self;
        let rest = if *publishing { format!("{PUBLISHING_LINE}\n") } else { String::new() };
        replace(&path(folder), format!("{log}\n{rest}").as_bytes())
    }
}

/// Checks that the blocks of a folder belong to the log `given`, or to no log yet; returns the folder's binding.
///
/// A folder of the log `moved_from` counts as one without a log. `invalid_argument` if it belongs to another log.
pub fn check_bound(
    folder: &Path,
    given: &str,
    moved_from: Option<&str>,
) -> Result<Option<LogBinding>> {
    let Some(bound) = LogBinding::of(folder)? else { return Ok(None) };
    if bound.log == given {
        return Ok(Some(bound));
    }
    if moved_from == Some(&*bound.log) {
        return Ok(None);
    }
    let expected = format_args!(
        "the log {}, to which the blocks of {} belong. A second log would make a second chain; if the log was moved and \
         nobody will use the old one, say --log-moved-from '{}'",
        bound.log,
        folder.display(),
        bound.log
    );
    Err(Error::new(Reason::InvalidArgument, expected, given))
}

/// Checks that the blocks of a folder belong to no log, before a block is made without a log.
///
/// A folder of the log `moved_from` is detached from it. `invalid_argument` if it belongs to another log.
pub fn check_unbound(folder: &Path, moved_from: Option<&str>) -> Result<()> {
    let Some(bound) = LogBinding::of(folder)? else { return Ok(()) };
    if moved_from == Some(&*bound.log) {
        let path = path(folder);
        return fs::remove_file(&path).map_err(|error| failed(&path, &error));
    }
    let expected = format_args!(
        "`run --log`, since the blocks of {} belong to the log {}. Blocks made beside it would be a second chain; if \
         nobody will use that log any more, say --log-moved-from '{}'",
        folder.display(),
        bound.log,
        bound.log
    );
    Err(Error::new(Reason::InvalidArgument, expected, "no log"))
}

fn path(folder: &Path) -> PathBuf {
    folder.join(LOG_FILE)
}

fn damaged(path: &Path) -> Error {
    corrupt(format_args!("the name of a log in {}", path.display()), "something else")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_folder_keeps_its_log_and_damage_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert_eq!(LogBinding::of(folder), Ok(None));
        check_unbound(folder, Some("s3://old")).unwrap();
        for publishing in [true, false] {
            let bound =
                LogBinding { log: "s3://bucket/chain at http://[::1]:9".into(), publishing };
            bound.write(folder).unwrap();
            assert_eq!(LogBinding::of(folder), Ok(Some(bound.clone())));
            assert_eq!(check_bound(folder, &bound.log, None), Ok(Some(bound)));
        }
        for wrong in [&b""[..], b"\n", b"log\nother\n", b"log\npublishing\nmore\n", b"\xff"] {
            fs::write(folder.join(LOG_FILE), wrong).unwrap();
            assert_eq!(LogBinding::of(folder).unwrap_err().reason(), Reason::StoreCorrupt);
        }
    }

    #[test]
    fn only_the_log_that_was_named_is_left_for_another() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        LogBinding { log: "s3://old".into(), publishing: false }.write(folder).unwrap();
        for from in [None, Some("s3://new"), Some("s3://other")] {
            for error in
                [check_bound(folder, "s3://new", from).map(drop), check_unbound(folder, from)]
            {
                let error = error.unwrap_err();
                assert_eq!(error.reason(), Reason::InvalidArgument);
                assert!(error.expected().contains("--log-moved-from 's3://old'"), "{error}");
            }
        }
        assert_eq!(check_bound(folder, "s3://new", Some("s3://old")), Ok(None));
        check_unbound(folder, Some("s3://old")).unwrap();
        assert_eq!(LogBinding::of(folder), Ok(None));
    }
}
