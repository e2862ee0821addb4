//! The log of one chain.

use std::sync::Arc;

use bytes::Bytes;
use prooflight_core::chain::ChainConfig;
use prooflight_core::{Error, Hash, Hex, Reason, Result};
use tokio::sync::watch;

use crate::bucket::{Bucket, CreateOutcome};
use crate::entry::{self, LogEntry};
use crate::object::{self, ObjectKind};

/// The object with the chain's configuration.
const CHAIN_OBJECT: &str = "chain";

/// The log of a chain in a bucket; clones share it.
#[derive(Clone, Debug)]
pub struct BucketLog {
    bucket: Bucket,
    config: Arc<ChainConfig>,
    chain: Hash,
    /// Why a block is not published or proposed yet.
    pub(crate) waiting: watch::Sender<Option<Error>>,
}

impl BucketLog {
    /// The configuration of the chain in a bucket; `None` if it has none.
    ///
    /// The bucket is not trusted about which chain to follow: compare it with what is known.
    pub async fn config(bucket: &Bucket) -> Result<Option<ChainConfig>> {
        let Some(bytes) = bucket.read(CHAIN_OBJECT).await? else { return Ok(None) };
        let content = object::decode(ObjectKind::Chain, CHAIN_OBJECT, &bytes)?;
        let config: ChainConfig = borsh::from_slice(content).map_err(|error| {
            Error::new(
                Reason::InvalidEncoding,
                format_args!("a configuration in {CHAIN_OBJECT}"),
                error,
            )
        })?;
        config.check()?;
        Ok(Some(config))
    }

    /// Opens the log of a chain.
    ///
    /// `wrong_chain` if the bucket has another chain, `unknown_block` if it has none yet; otherwise
    /// the errors of [`Bucket::read`].
    pub async fn open(bucket: Bucket, config: Arc<ChainConfig>) -> Result<Self> {
        if let Some(found) = Self::config(&bucket).await? {
            Self::of(bucket, config, &found)
        } else {
            let name = bucket.name();
            let expected = format_args!("a chain in {name}; its leader begins it");
            Err(Error::new(Reason::UnknownBlock, expected, "none"))
        }
    }

    /// Opens the log of a chain, or begins it in a bucket that has none.
    ///
    /// Errors are those of [`open`](Self::open) and of [`check_creates_once`](Self::check_creates_once).
    pub async fn begin(bucket: Bucket, config: Arc<ChainConfig>) -> Result<Self> {
        if Self::config(&bucket).await?.is_none() {
            // If another leader creates it first, that leader's chain is read next.
            bucket.create_at_start(CHAIN_OBJECT, encode(&config)?).await?;
        }
        let log = Self::open(bucket, config).await?;
        log.check_creates_once().await?;
        Ok(log)
    }

    /// Checks that this process may create objects, and that the store never replaces one; for
    /// processes that may [`publish`](Self::publish). It tries to create the chain's configuration
    /// once more.
    ///
    /// Errors are those of [`Bucket::check_creates_once`].
    pub async fn check_creates_once(&self) -> Result<()> {
        self.bucket.check_creates_once(CHAIN_OBJECT, encode(&self.config)?).await
    }

    fn of(bucket: Bucket, config: Arc<ChainConfig>, found: &ChainConfig) -> Result<Self> {
        let (chain, found) = (config.id(), found.id());
        if chain != found {
            let expected = format_args!(
                "the chain {} in {}; each chain needs a bucket or folder of its own",
                Hex(&chain),
                bucket.name()
            );
            return Err(Error::new(Reason::WrongChain, expected, Hex(&found)));
        }
        Ok(Self { bucket, config, chain, waiting: watch::Sender::new(None) })
    }

    /// The chain's log in another bucket, which may have no configuration yet; `wrong_chain` if it has another
    /// chain.
    pub(crate) async fn in_bucket(&self, bucket: &Bucket) -> Result<Self> {
        let found = Self::config(bucket).await?;
        let found = found.as_ref().unwrap_or(&self.config);
        Self::of(bucket.clone(), self.config.clone(), found)
    }

    /// Writes the configuration of a log whose blocks exist.
    pub(crate) async fn write_config(&self) -> Result<()> {
        Self::begin(self.bucket.clone(), self.config.clone()).await.map(drop)
    }

    /// The height of the newest block; `None` if there is none. The number of reads is logarithmic in the height.
    ///
    /// Errors are those of [`block`](Self::block).
    pub async fn newest(&self) -> Result<Option<u64>> {
        let Some(_) = self.block(0).await? else { return Ok(None) };
        // A log has every block up to its newest.
        let (mut found, mut step) = (0_u64, 1_u64);
        while self.block(found + step).await?.is_some() {
            found += step;
            step *= 2;
        }
        let mut missing = found + step;
        while found + 1 < missing {
            let middle = found + (missing - found) / 2;
            if self.block(middle).await?.is_some() { found = middle } else { missing = middle }
        }
        Ok(Some(found))
    }

    /// The bucket.
    pub const fn bucket(&self) -> &Bucket {
        &self.bucket
    }

    /// Why a block is not published or proposed yet; `None` if there is no such block, or no error has occurred.
    pub fn waiting(&self) -> watch::Receiver<Option<Error>> {
        self.waiting.subscribe()
    }

    /// The block at a height, signed by the chain's authorities; `None` if there is none yet.
    ///
    /// Besides the errors of [`Bucket::read`]: `truncated`, `trailing_bytes` and `invalid_encoding` if
    /// the object was cut short or altered, `unknown_version` if a newer program wrote it, and those
    /// of `SignedHeader::check_signed`.
    pub async fn block(&self, height: u64) -> Result<Option<LogEntry>> {
        let found = self.bucket.read(&entry::name(height)).await?;
        found.map(|bytes| self.decode(height, &bytes)).transpose()
    }

    /// Publishes a block, and returns the block of its height in the log: this one, perhaps with other signatures, or
    /// another one that was published first.
    ///
    /// It returns only once that is known. Until then, no other block may be made at this height, and this block must be
    /// neither shown nor refused. If the caller dies, the block may still be published. An error means that the block was never sent: it is not signed by the chain's
    /// authorities, or too large.
    pub async fn publish(&self, entry: LogEntry) -> Result<LogEntry> {
        let height = entry.height();
        let bytes = Bytes::from(entry.encode()?);
        // A published block can never be replaced, so an invalid one must not be published.
        if self.decode(height, &bytes)? != entry {
            return Err(Error::new(
                Reason::Bug,
                "a block that is read as it was written",
                "another",
            ));
        }
        let decode = |bytes: &[u8]| self.decode(height, bytes);
        let waiting = |error: &Error| {
            self.waiting.send_replace(Some(error.clone()));
        };
        let settled = self.bucket.settle(&entry::name(height), bytes, decode, waiting).await;
        self.waiting.send_replace(None);
        Ok(match settled {
            CreateOutcome::Created => entry,
            CreateOutcome::Exists(found) => found,
        })
    }

    fn decode(&self, height: u64, bytes: &[u8]) -> Result<LogEntry> {
        let entry = LogEntry::decode(height, bytes)?;
        let found = &entry.header.header.chain;
        if *found != self.chain {
            let expected = format_args!("block {height} of the chain {}", Hex(&self.chain));
            return Err(Error::new(Reason::WrongChain, expected, Hex(found)));
        }
        entry.header.check_signed(&self.config)?;
        Ok(entry)
    }
}

/// The object with a configuration.
fn encode(config: &ChainConfig) -> Result<Bytes> {
    let content = borsh::to_vec(config)
        .map_err(|error| Error::new(Reason::Bug, "a configuration that encodes", error))?;
    object::encode(ObjectKind::Chain, &content).map(Bytes::from)
}
