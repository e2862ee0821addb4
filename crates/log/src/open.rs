//! Opens stores by their URLs, and keeps secrets out of their names.
//!
//! Other stores of `object_store` are used by [`Bucket::new`](crate::Bucket::new).

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use prooflight_core::{Error, Reason, Result};
use url::Url;

use crate::redact::redacted;
use crate::s3;
use crate::staged_files::FolderWriters;

/// A store, the folder in it, its name without credentials, and its writers if it is a folder of files.
type StoreLocation = (Arc<dyn ObjectStore>, Path, String, Option<FolderWriters>);

const URL_FORMS: &str = "s3://BUCKET/FOLDER, file:///FOLDER or memory:///";

/// Opens the store of a URL, with the settings and credentials of environment variables.
pub(crate) fn open(url: &str, variable: impl Fn(&str) -> Option<String>) -> Result<StoreLocation> {
    let wrong = |found: &str| Error::new(Reason::InvalidArgument, URL_FORMS, found);
    let url = Url::parse(url).map_err(|error| wrong(&error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        // The URL is not shown: it may have a password.
        return Err(wrong(
            "a user name or password in it; credentials belong into the environment",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("a query or fragment"));
    }
    let name = name(&url);
    let folder = Path::from_url_path(url.path()).map_err(|error| wrong(&error.to_string()))?;
    match url.scheme() {
        "file" => {
            let (store, writers) = folder_store(&url)?;
            Ok((store, Path::default(), name, Some(writers)))
        }
        "memory" => Ok((Arc::new(InMemory::new()), folder, name, None)),
        "s3" => {
            let (store, endpoint) = s3::open(&url, variable)?;
            let at = endpoint.map(|endpoint| format!(" at {}", endpoint.trim_end_matches('/')));
            Ok((store, folder, name + at.as_deref().unwrap_or_default(), None))
        }
        other => Err(wrong(other)),
    }
}

/// The name of a URL. That of a folder does not depend on a slash at its end.
fn name(url: &Url) -> String {
    let trimmed = url.as_str().trim_end_matches('/');
    if trimmed.ends_with(':') { url.to_string() } else { trimmed.to_owned() }
}

/// A folder whose files are on disk when they are created.
fn folder_store(url: &Url) -> Result<(Arc<dyn ObjectStore>, FolderWriters)> {
    let folder = url.to_file_path().map_err(|()| {
        Error::new(Reason::InvalidArgument, "file:///FOLDER, an absolute path", url)
    })?;
    if !folder.is_dir() {
        let expected = format_args!("the folder {}; create it first", folder.display());
        return Err(Error::new(Reason::InvalidArgument, expected, "none"));
    }
    let store = LocalFileSystem::new_with_prefix(&folder);
    let store = store.map_err(|error| {
        let expected = format_args!("a usable folder {}", folder.display());
        Error::new(Reason::InvalidArgument, expected, redacted(&error))
    })?;
    // A folder of proposals is removed with its last one.
    let store = Arc::new(store.with_fsync(true).with_automatic_cleanup(true));
    Ok((store, FolderWriters::of(&folder)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_url_is_refused_with_the_forms_and_without_its_password() {
        for url in [
            "",
            "bucket",
            "/folder",
            "ftp://host/folder",
            "https://host/bucket",
            "gs://bucket/folder",
            "s3:bucket",
            "s3://me:hunter2@bucket/folder",
            "file:///folder?key=hunter2",
            "file://host/folder",
        ] {
            let error = open(url, |_| None).map(|_| ()).unwrap_err();
            assert_eq!(error.reason(), Reason::InvalidArgument, "{url}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
        let missing = open("file:///no/such/folder", |_| None).map(|_| ()).unwrap_err();
        assert!(missing.expected().contains("create it first"), "{missing}");
    }

    #[test]
    fn a_store_has_one_name_without_secrets() {
        let keys = [("AWS_ACCESS_KEY_ID", "an-id"), ("AWS_SECRET_ACCESS_KEY", "hunter2-hunter2")];
        let named = |url: &str, endpoint: &str| {
            let all = [&keys[..], &[("AWS_ENDPOINT_URL", endpoint)]].concat();
            let variable = |name: &str| Some(all.iter().find(|it| it.0 == name)?.1.to_owned());
            open(url, variable).unwrap().2
        };
        for url in ["s3://bucket/chain", "s3://bucket/chain/"] {
            assert_eq!(named(url, ""), "s3://bucket/chain");
            for endpoint in ["http://127.0.0.1:9000", "http://127.0.0.1:9000/"] {
                assert_eq!(named(url, endpoint), "s3://bucket/chain at http://127.0.0.1:9000");
            }
        }
        assert_eq!(named("s3://bucket/", ""), "s3://bucket");
        assert_eq!(named("memory:///", ""), "memory:///");
    }
}
