//! Per-node options: chosen when the chain is created in its folder, and stored there.

use core::fmt;
use core::str::FromStr;
use std::fs;
use std::path::{Path, PathBuf};

use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_lvmt::ProofShard;
use serde::{Deserialize, Serialize};

use crate::runtime::files;
use crate::runtime::metrics::Metrics;

/// The file with the options, in the folder of the chain.
const OPTIONS_FILE: &str = "schemes.json";

/// The folder and options for scheme data outside the store.
#[derive(Clone, Copy, Debug)]
pub struct SchemeContext<'a> {
    /// The folder of the chain.
    pub folder: &'a Path,
    /// The node's options.
    pub options: &'a SchemeOptions,
}

/// Per-node options, which are not part of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SchemeOptions {
    /// The keys of `lvmt` that the node can prove.
    pub proof_shard: ShardOption,
    /// The number of blocks per snapshot file of `smt`; only the last one of each can be proved.
    pub blocks_per_file: u64,
    /// The schemes of the chain that the node does not keep: those whose state could not be synced.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "names")]
    pub left_out: Vec<Scheme>,
    /// The `.ptau` file from which the tables of `lvmt` are built, if they must be.
    #[serde(skip)]
    pub ptau: Option<PathBuf>,
    /// Called with the progress while tables are built.
    #[serde(skip)]
    pub progress: ProgressCallback,
    /// Whether blocks of `lmpt` that are no longer in memory are replayed to be proved.
    #[serde(skip)]
    pub lmpt_replay: bool,
    /// The counters of the merges of `lmpt`.
    #[serde(skip)]
    pub metrics: StoreMetrics,
    /// The approximate size of the cache of snapshot files of `smt`, for proofs.
    #[serde(skip, default = "cache_bytes")]
    pub cache_bytes: u64,
    /// Whether opening checks all nodes of `avl` in the store, instead of taking them from their file.
    #[serde(skip)]
    pub check_all_nodes: bool,
    /// Whether readers are disabled, as during an import: they keep the store from dropping what later blocks replace.
    #[serde(skip)]
    pub readers_disabled: bool,
}

/// The size of the in-memory cache of snapshot files, for proofs, unless another is chosen.
pub const CACHE_BYTES: u64 = 256 << 20;

const fn cache_bytes() -> u64 {
    CACHE_BYTES
}

/// Schemes by their names.
mod names {
    use prooflight_core::Scheme;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(schemes: &[Scheme], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(schemes.iter().map(|scheme| scheme.as_str()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Scheme>, D::Error> {
        let names = Vec::<String>::deserialize(from)?;
        let scheme = |name: &String| Scheme::named(name).ok_or_else(|| D::Error::custom(name));
        names.iter().map(scheme).collect()
    }
}

/// The counters for the stores of a node, if any.
#[derive(Clone, Debug, Default)]
pub struct StoreMetrics(pub Option<Metrics>);

impl PartialEq for StoreMetrics {
    /// Comparisons ignore the counters.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for StoreMetrics {}

/// A callback for progress: the number of steps done, and the total.
#[derive(Clone, Copy, Debug)]
pub struct ProgressCallback(pub fn(u64, u64));

impl Default for ProgressCallback {
    /// Ignores the progress.
    fn default() -> Self {
        Self(|_, _| ())
    }
}

impl PartialEq for ProgressCallback {
    /// Comparisons ignore the callback.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ProgressCallback {}

impl Default for SchemeOptions {
    /// Every key and every block can be proved.
    fn default() -> Self {
        let proof_shard = ShardOption(ProofShard::Full);
        Self {
            proof_shard,
            blocks_per_file: 1,
            left_out: Vec::new(),
            ptau: None,
            progress: ProgressCallback::default(),
            lmpt_replay: false,
            metrics: StoreMetrics::default(),
            cache_bytes: CACHE_BYTES,
            check_all_nodes: false,
            readers_disabled: false,
        }
    }
}

impl SchemeOptions {
    /// Writes the options into the folder of a new chain.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(OPTIONS_FILE);
        let json = serde_json::to_vec_pretty(self)
            .map_err(|error| Error::new(Reason::Bug, "options in JSON", error))?;
        fs::write(&path, json).map_err(|error| {
            Error::new(Reason::StoreFailed, format_args!("the file {}", path.display()), error)
        })
    }

    /// Reads the options of a chain; the defaults if it has none.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(OPTIONS_FILE);
        if !path.exists() {
            return Ok(Self::default());
        }
        let wrong = |error: &dyn fmt::Display| {
            let expected = format_args!("options in {}", path.display());
            Error::new(Reason::InvalidArgument, expected, error)
        };
        let json = files::read(&path).map_err(|error| wrong(&error))?;
        serde_json::from_slice(&json).map_err(|error| wrong(&error))
    }
}

/// The keys of `lvmt` that a node can prove: `full`, `none`, or a class such as `3/4`, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ShardOption(pub ProofShard);

impl fmt::Display for ShardOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ProofShard::Full => f.write_str("full"),
            ProofShard::None => f.write_str("none"),
            ProofShard::Class { bits, value } => write!(f, "{value}/{}", 1_u64 << bits),
        }
    }
}

impl FromStr for ShardOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let class = || {
            let (value, classes) = text.split_once('/')?;
            let (value, classes) = (value.parse().ok()?, classes.parse::<u32>().ok()?);
            let fits = classes.is_power_of_two() && value < classes;
            let bits = u8::try_from(classes.checked_ilog2()?).ok()?;
            fits.then_some(ProofShard::Class { bits, value })
        };
        let shard = match text {
            "full" => Some(ProofShard::Full),
            "none" => Some(ProofShard::None),
            _ => class(),
        };
        shard
            .map(Self)
            .ok_or_else(|| format!("expected full, none, or a class such as 3/4, found {text}"))
    }
}

impl TryFrom<String> for ShardOption {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<ShardOption> for String {
    fn from(shard: ShardOption) -> Self {
        shard.to_string()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_read_as_it_is_written() {
        for text in ["full", "none", "0/1", "3/4", "65535/65536"] {
            assert_eq!(text.parse::<ShardOption>().unwrap().to_string(), text);
        }
        for wrong in ["", "all", "4/4", "1/3", "1", "1/0", "-1/2", "1/4294967296"] {
            wrong.parse::<ShardOption>().unwrap_err();
        }
    }

    #[test]
    fn options_are_kept_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(SchemeOptions::read(folder.path()).unwrap(), SchemeOptions::default());
        let options = SchemeOptions {
            proof_shard: "1/2".parse().unwrap(),
            blocks_per_file: 16,
            left_out: vec![Scheme::Lvmt, Scheme::Mpt],
            ..SchemeOptions::default()
        };
        options.write(folder.path()).unwrap();
        assert_eq!(SchemeOptions::read(folder.path()).unwrap(), options);
        fs::write(folder.path().join(OPTIONS_FILE), "{}").unwrap();
        let refused = SchemeOptions::read(folder.path()).unwrap_err();
        assert_eq!(refused.reason(), Reason::InvalidArgument);
    }
}
