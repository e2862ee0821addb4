//! The arguments of the examples.

use std::fmt;
use std::path::PathBuf;

/// `[KEYS [BLOCKS [CASE...]]]` and flags.
#[derive(Clone, Debug)]
pub struct BenchArgs {
    /// The keys that are written first.
    pub keys: usize,
    /// The measured blocks; `None`: those of four and a half eras.
    pub blocks: Option<usize>,
    /// The operations of a measured block.
    pub operations: usize,
    /// The exponent of a Zipf distribution of the keys; `None`: uniform.
    pub zipf: Option<f64>,
    /// The folder for the reference node's stores; `None`: stores in memory.
    pub folder: Option<PathBuf>,
    /// `lmpt`: the operations and the bytes that end an era, and its blocks.
    pub era_ops: u32,
    pub era_bytes: u64,
    pub era_blocks: u32,
    pub cases: Vec<String>,
    /// The case that this child process measures.
    pub(super) only: Option<String>,
}

impl BenchArgs {
    pub(super) fn read() -> Self {
        let mut read = Self {
            keys: 1_000_000,
            blocks: None,
            operations: 100_000,
            zipf: None,
            folder: None,
            era_ops: 500_000,
            era_bytes: 256 << 20,
            era_blocks: 1_000,
            cases: Vec::new(),
            only: None,
        };
        let mut plain = 0;
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().unwrap_or_else(|| panic!("{arg} needs a value"));
            match &*arg {
                "--folder" => read.folder = Some(value().into()),
                "--keys" => read.keys = value().parse().unwrap(),
                "--blocks" => read.blocks = Some(value().parse().unwrap()),
                "--operations" | "--ops-per-block" => read.operations = value().parse().unwrap(),
                "--zipf" => read.zipf = Some(value().parse().unwrap()),
                "--era-ops" => read.era_ops = value().parse().unwrap(),
                "--era-bytes" => read.era_bytes = value().parse().unwrap(),
                "--era-blocks" => read.era_blocks = value().parse().unwrap(),
                "--only" => read.only = Some(value()),
                flag if flag.starts_with("--") => panic!("no flag {flag}"),
                plain_arg => {
                    match (plain, plain_arg.parse()) {
                        (0, Ok(keys)) => read.keys = keys,
                        (1, Ok(blocks)) => read.blocks = Some(blocks),
                        _ => read.cases.push(plain_arg.to_owned()),
                    }
                    plain += 1;
                }
            }
        }
        read
    }

    /// The number of measured blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.unwrap_or_else(|| (self.blocks_of_an_era() * 9).div_ceil(2).max(5))
    }

    /// The blocks of an era of `lmpt`.
    pub fn blocks_of_an_era(&self) -> usize {
        (self.era_ops as usize).div_ceil(self.operations).min(self.era_blocks as usize)
    }
}

impl fmt::Display for BenchArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.zipf.map_or("uniform".to_owned(), |zipf| format!("Zipf {zipf}"));
        let store = if self.folder.is_some() { "on disk, with fsync" } else { "in memory" };
        write!(
            f,
            "{} keys, {} blocks of {} operations, {keys}, {store}; eras of {} operations, {} MiB, {} blocks",
            self.keys,
            self.blocks(),
            self.operations,
            self.era_ops,
            self.era_bytes >> 20,
            self.era_blocks
        )
    }
}
