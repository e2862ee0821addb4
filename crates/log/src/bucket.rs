//! A folder in an object store, with errors that say what to do.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{
    GetOptions, GetRange, GetResult, ObjectStore, ObjectStoreExt, PutMode, PutPayload,
};
use prooflight_core::{Error, Reason, Result};

use crate::backoff::RetryDelays;
use crate::object::MAX_OBJECT_BYTES;
use crate::open;
use crate::redact::redacted;
use crate::staged_files::FolderWriters;
use crate::startup_retry::StartupRetry;

/// A bucket, or a folder of one; clones share the connections.
#[derive(Clone)]
pub struct Bucket {
    store: Arc<dyn ObjectStore>,
    folder: Path,
    /// The name of the bucket in messages, without credentials.
    name: Arc<str>,
    observe: Arc<dyn Fn(BucketRequest) + Send + Sync>,
    /// The retries while a node starts.
    startup_retry: Option<Arc<StartupRetry>>,
    /// The writers of the folder, if the store is a folder of files.
    writers: Option<Arc<FolderWriters>>,
}

/// A request to the store, for counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketRequest {
    /// A GET of an object.
    Read,
    /// A PUT of an object that must not exist.
    Create,
    /// A listing of a folder.
    List,
    /// A DELETE of a proposal whose block is published.
    Delete,
}

/// The objects and folders in a folder of a bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderContents {
    /// The names of the objects in the folder itself, with their lengths.
    pub objects: BTreeMap<String, u64>,
    /// The names of the folders in it.
    pub folders: Vec<String>,
}

/// The outcome of [`Bucket::settle`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateOutcome<T> {
    /// The object has the given bytes.
    Created,
    /// The object existed, or this write succeeded although its answer was lost.
    Exists(T),
}

impl Bucket {
    /// Opens the folder that a URL names: `s3://BUCKET/FOLDER`, `file:///FOLDER`, whose files are on
    /// disk when they are created, or `memory:///`. The environment has the settings and credentials of
    /// S3: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_ENDPOINT_URL`, `AWS_REGION` and so on.
    ///
    /// `invalid_argument` if the URL is not of this form, the folder does not exist, there are no
    /// credentials, or the endpoint is without TLS on another machine. No request is made yet.
    pub fn open(url: &str) -> Result<Self> {
        Self::open_with(url, |name| std::env::var(name).ok())
    }

    /// Like [`open`](Self::open), with variables that are not those of the environment.
    pub fn open_with(url: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let (store, folder, name, writers) = open::open(url, variable)?;
        let writers = writers.map(Arc::new);
        Ok(Self { name: name.into(), writers, ..Self::new(store, folder) })
    }

    /// Uses a folder of any store. Its creates must be atomic and durable.
    pub fn new(store: Arc<dyn ObjectStore>, folder: Path) -> Self {
        let name = folder.as_ref().into();
        Self { store, folder, name, observe: Arc::new(|_| ()), startup_retry: None, writers: None }
    }

    /// Calls `observe` before each request.
    #[must_use]
    pub fn with_observer(self, observe: impl Fn(BucketRequest) + Send + Sync + 'static) -> Self {
        Self { observe: Arc::new(observe), ..self }
    }

    /// Retries requests that fail, if the next attempt may succeed: up to 6 attempts, with growing delays, within
    /// half a minute. This is for a startup, which such a failure would end; [`end_startup_retry`](Self::end_startup_retry) turns it off.
    ///
    /// It applies to reads and to opening or beginning a log; publishing retries in any case. `on_failure` is called
    /// with each failure except the last one.
    #[must_use]
    pub fn with_startup_retry(self, on_failure: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        Self { startup_retry: Some(Arc::new(StartupRetry::new(on_failure))), ..self }
    }

    /// Turns the retries off, in this bucket and its clones.
    pub fn end_startup_retry(&self) {
        if let Some(retry) = &self.startup_retry {
            retry.end();
        }
    }

    /// Makes a request; retries it after failures if [`with_startup_retry`](Self::with_startup_retry) was called.
    async fn request<T, R: Future<Output = Result<T>>>(
        &self,
        request: impl Fn() -> R,
    ) -> Result<T> {
        match &self.startup_retry {
            Some(retry) => retry.request(request).await,
            None => request().await,
        }
    }

    /// The name for messages; it has no credentials.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads an object; `None` if it does not exist.
    ///
    /// `invalid_argument` if there is no such bucket or the credentials do not suffice; `unreachable`
    /// for failures that a retry may avoid, such as a body that was cut in transit;
    /// `request_too_large` above 64 MiB.
    pub async fn read(&self, name: &str) -> Result<Option<Bytes>> {
        self.request(|| self.read_once(name)).await
    }

    async fn read_once(&self, name: &str) -> Result<Option<Bytes>> {
        (self.observe)(BucketRequest::Read);
        let found = match self.store.get(&self.path(name)).await {
            Ok(found) => found,
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(self.failed(name, &error)),
        };
        if found.meta.size > MAX_OBJECT_BYTES as u64 {
            let expected =
                format_args!("{name} of at most {MAX_OBJECT_BYTES} bytes in {}", self.name);
            return Err(Error::new(Reason::RequestTooLarge, expected, found.meta.size));
        }
        self.body(name, found).await.map(Some)
    }

    /// All bytes of an answer; `unreachable` if they were cut in transit. An object that was stored short
    /// has a short announced length.
    async fn body(&self, name: &str, found: GetResult) -> Result<Bytes> {
        let expected = found.range.end.saturating_sub(found.range.start);
        let bytes = found.bytes().await.map_err(|error| self.failed(name, &error))?;
        if bytes.len() as u64 == expected {
            return Ok(bytes);
        }
        let expected = format_args!("{expected} bytes of {name}, as announced ({})", self.name);
        Err(Error::new(Reason::Unreachable, expected, bytes.len()))
    }

    /// Reads a range of an object of any length, truncated at its end; `None` if the object does not exist.
    ///
    /// Errors are those of [`read`](Self::read), without a limit.
    pub async fn read_range(&self, name: &str, range: Range<u64>) -> Result<Option<Bytes>> {
        self.request(|| self.read_range_once(name, range.clone())).await
    }

    async fn read_range_once(&self, name: &str, range: Range<u64>) -> Result<Option<Bytes>> {
        (self.observe)(BucketRequest::Read);
        let start = range.start;
        let range = Some(GetRange::Bounded(range));
        let options = GetOptions { range, ..GetOptions::default() };
        let error = match self.store.get_opts(&self.path(name), options).await {
            Ok(found) => return self.body(name, found).await.map(Some),
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => error,
        };
        // Stores refuse a range that begins at the end.
        (self.observe)(BucketRequest::Read);
        match self.store.head(&self.path(name)).await {
            Ok(object) if object.size <= start => Ok(Some(Bytes::new())),
            _ => Err(self.failed(name, &error)),
        }
    }

    /// The objects in a folder, with their lengths, and the folders in it. Counted as one request, although it takes
    /// one for each thousand objects.
    pub async fn contents(&self, folder: &str) -> Result<FolderContents> {
        self.request(|| self.contents_once(folder)).await
    }

    async fn contents_once(&self, folder: &str) -> Result<FolderContents> {
        (self.observe)(BucketRequest::List);
        let found = self.store.list_with_delimiter(Some(&self.path(folder))).await;
        let found = found.map_err(|error| self.failed(folder, &error))?;
        let last = |path: &Path| path.filename().map(str::to_owned);
        let objects = found.objects.iter();
        Ok(FolderContents {
            objects: objects.filter_map(|it| Some((last(&it.location)?, it.size))).collect(),
            folders: found.common_prefixes.iter().filter_map(last).collect(),
        })
    }

    /// Tries once to create an object; returns whether it did. `false` means that it may exist
    /// already.
    ///
    /// After an error the object may exist, now or later: the write can still arrive. Errors are
    /// those of [`read`](Self::read).
    pub async fn create(&self, name: &str, bytes: Bytes) -> Result<bool> {
        (self.observe)(BucketRequest::Create);
        if let Some(writers) = &self.writers {
            writers.register();
        }
        let payload = PutPayload::from(bytes);
        let put = self.store.put_opts(&self.path(name), payload, PutMode::Create.into()).await;
        match put {
            Ok(_) => Ok(true),
            Err(
                object_store::Error::AlreadyExists { .. }
                | object_store::Error::Precondition { .. },
            ) => Ok(false),
            Err(error) => Err(self.failed(name, &error)),
        }
    }

    /// Checks that an object that exists with these bytes is not created again.
    ///
    /// `invalid_argument` if the store replaced it, so that it cannot keep a log, or the credentials do
    /// not suffice to create objects; otherwise the errors of [`create`](Self::create).
    pub async fn check_creates_once(&self, name: &str, bytes: Bytes) -> Result<()> {
        if self.create_at_start(name, bytes).await? {
            let expected = format_args!("{CONDITIONAL_CREATE} ({})", self.name);
            let found = format_args!("one that ignores If-None-Match and replaced {name}");
            return Err(Error::new(Reason::InvalidArgument, expected, found));
        }
        Ok(())
    }

    /// Like [`create`](Self::create), with the retries of a startup: `false` also if an earlier attempt created the
    /// object.
    pub(crate) async fn create_at_start(&self, name: &str, bytes: Bytes) -> Result<bool> {
        self.request(|| self.create(name, bytes.clone())).await
    }

    /// Creates an object; retries with the same bytes until the object is known to exist, however long
    /// that takes. `waiting` is called with each reason why that is not known yet. An existing object is passed to `decode`,
    /// and read again if `decode` refuses it.
    ///
    /// Giving up would be wrong even if a read finds nothing, since the write may still arrive.
    pub async fn settle<T>(
        &self,
        name: &str,
        bytes: Bytes,
        decode: impl Fn(&[u8]) -> Result<T>,
        waiting: impl Fn(&Error),
    ) -> CreateOutcome<T> {
        let mut delays = RetryDelays::new();
        loop {
            let error = match self.create(name, bytes.clone()).await {
                Ok(true) => return CreateOutcome::Created,
                Ok(false) => match self.read(name).await {
                    Ok(Some(found)) => match decode(&found) {
                        Ok(found) => return CreateOutcome::Exists(found),
                        Err(error) => error,
                    },
                    // S3 may refuse both of two concurrent writes.
                    Ok(None) => self.unclear(name),
                    Err(error) => error,
                },
                Err(error) => error,
            };
            waiting(&error);
            delays.wait().await;
        }
    }

    /// The names in a folder, of objects and of folders.
    pub(crate) async fn list(&self, folder: &str) -> Result<Vec<String>> {
        let FolderContents { objects, folders } = self.contents(folder).await?;
        Ok(objects.into_keys().chain(folders).collect())
    }

    /// Removes an object, if it exists.
    pub(crate) async fn remove(&self, name: &str) -> Result<()> {
        (self.observe)(BucketRequest::Delete);
        match self.store.delete(&self.path(name)).await {
            Err(error) if !is_absence(&error) => Err(self.failed(name, &error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn path(&self, name: &str) -> Path {
        name.split('/').fold(self.folder.clone(), Path::join)
    }

    fn unclear(&self, name: &str) -> Error {
        let expected = format_args!("{name} in {}, which was said to exist", self.name);
        Error::new(Reason::Unreachable, expected, "none")
    }

    fn failed(&self, name: &str, error: &object_store::Error) -> Error {
        let found = redacted(error);
        let (reason, expected) = match advice(error) {
            Some(advice) => (Reason::InvalidArgument, advice.to_owned()),
            None => (Reason::Unreachable, format!("an answer about {name}")),
        };
        Error::new(reason, format_args!("{expected} ({})", self.name), found)
    }
}

/// Whether a read says that there is no such object, and not that something else is missing.
fn is_absence(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::NotFound { .. }) && advice(error).is_none()
}

/// The property on which every block relies.
const CONDITIONAL_CREATE: &str = "a store that creates an object only if it does not exist";

/// What to change, by parts of a store's error text.
const ERROR_ADVICE: [(&str, &str); 8] = [
    ("NoSuchBucket", "a bucket that exists; create it first"),
    ("ContainerNotFound", "a bucket that exists; create it first"),
    ("bucket does not exist", "a bucket that exists; create it first"),
    ("InvalidBucketName", "the name of a bucket"),
    ("AuthorizationHeaderMalformed", "the region of the bucket in AWS_REGION"),
    ("incorrectly configured region", "the region of the bucket in AWS_REGION"),
    ("RequestTimeTooSkewed", "a clock that is right"),
    ("NotImplemented", CONDITIONAL_CREATE),
];

/// What to change; `None` if a retry may succeed.
fn advice(error: &object_store::Error) -> Option<&'static str> {
    use object_store::Error as E;
    let text = error.to_string();
    let known = ERROR_ADVICE.iter().find(|(part, _)| text.contains(part));
    known.map(|(_, advice)| *advice).or(match error {
        E::PermissionDenied { .. } | E::Unauthenticated { .. } => {
            Some("credentials that permit this request, in the environment")
        }
        E::NotSupported { .. } | E::NotImplemented { .. } => Some(CONDITIONAL_CREATE),
        E::NotFound { .. } if !text.contains("NoSuchKey") && text.contains("<Code>") => {
            Some("a bucket and credentials that the server knows")
        }
        _ => None,
    })
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucket").field("name", &self.name).finish_non_exhaustive()
    }
}
