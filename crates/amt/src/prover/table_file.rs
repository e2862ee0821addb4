//! Tables in a file, so that they are built only once.
//!
//! `"prooflight/amt/tables/v2" || params_id[32] || log_n u8 || single u8 || log_arity u8 (0 without
//! trees) || rows || BLAKE2b-256 of everything before`. A row is x and y, 32 bytes each,
//! little-endian, in Montgomery form as the field keeps them in memory.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::vec::Vec;

use ark_bn254::{Fq, G1Affine};
use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};
use prooflight_core::{Error, Reason, Result};

use super::build::BuildProgress;
use super::setup::ProverSetup;
use super::tables::{BuiltRows, RowSource, TableParts, Tables};
use crate::key::VerifyingKey;
use crate::point::{limb_bytes, limbs};
use crate::scalar::SLOTS;

const TABLES_MAGIC: &[u8] = b"prooflight/amt/tables/v2";

impl Tables {
    /// Loads the tables of a setup from a folder, or builds them and saves them there.
    ///
    /// A file holds the tables of one setup and one choice of parts, with a checksum. A file that
    /// is damaged, or of another setup, is never used; the tables are rebuilt. `setup` is only
    /// called to build, and must match the key (`setup_mismatch`). `store_failed` if the folder or
    /// the file cannot be written; other errors come from `setup`.
    pub fn load_or_build(
        folder: &Path,
        key: &VerifyingKey,
        parts: TableParts,
        setup: impl FnOnce() -> Result<ProverSetup>,
        progress: BuildProgress<'_>,
    ) -> Result<Self> {
        let path = path(folder, key, parts);
        if let Ok(Some(built)) = load(&path, key, parts) {
            return Self::new(key.clone(), parts, RowSource::Built(built));
        }
        let setup = setup()?;
        setup.verifying_key().check_params_id(&key.params_id())?;
        let tables = Self::build(&setup, parts, progress)?;
        if let RowSource::Built(built) = &tables.rows {
            save(folder, &path, key, parts, built).map_err(|error| {
                Error::new(
                    Reason::StoreFailed,
                    format_args!("the file {} written", path.display()),
                    error,
                )
            })?;
        }
        Ok(tables)
    }
}

/// Returns the path of the file for these tables.
fn path(folder: &Path, key: &VerifyingKey, parts: TableParts) -> PathBuf {
    let id = key.params_id();
    let id = u64::from_be_bytes(id.first_chunk().copied().unwrap_or_default());
    let (single, log_arity) = (u8::from(parts.single), parts.tree.unwrap_or(0));
    folder.join(std::format!("amt-{id:016x}-{single}-{log_arity}.tables"))
}

fn head(key: &VerifyingKey, parts: TableParts) -> Vec<u8> {
    let parts = [key.log_n(), u8::from(parts.single), parts.tree.unwrap_or(0)];
    [TABLES_MAGIC, &key.params_id(), &parts].concat()
}

/// Reads the rows of a file; `None` if they are damaged or of other tables.
fn load(path: &Path, key: &VerifyingKey, parts: TableParts) -> io::Result<Option<BuiltRows>> {
    let n = 1_usize << key.log_n();
    let depth = parts.tree.map_or(0, |log_arity| {
        usize::from(key.log_n().checked_div(log_arity).unwrap_or(0)) * ((1 << log_arity) - 1)
    });
    let counts = [SLOTS * n, if parts.single { n } else { 0 }, depth * n];
    let head = head(key, parts);
    let file = File::open(path)?;
    if file.metadata()?.len() != (head.len() + 64 * counts.iter().sum::<usize>() + 32) as u64 {
        return Ok(None);
    }
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut found = std::vec![0; head.len()];
    reader.read_exact(&mut found)?;
    if found != head {
        return Ok(None);
    }
    let mut hash = Blake2b::<U32>::new_with_prefix(&head);
    let mut rows = |count: usize| -> io::Result<Vec<G1Affine>> {
        let mut rows = Vec::with_capacity(count);
        let mut bytes = [0; 64];
        for _ in 0..count {
            reader.read_exact(&mut bytes)?;
            hash.update(bytes);
            rows.push(row(&bytes));
        }
        Ok(rows)
    };
    let [lagrange, single, tree] = counts;
    let built = BuiltRows { lagrange: rows(lagrange)?, single: rows(single)?, tree: rows(tree)? };
    let mut checksum = [0; 32];
    reader.read_exact(&mut checksum)?;
    Ok((checksum == <[u8; 32]>::from(hash.finalize())).then_some(built))
}

/// Writes to a temporary file, and renames it into place once it is complete.
fn save(
    folder: &Path,
    path: &Path,
    key: &VerifyingKey,
    parts: TableParts,
    built: &BuiltRows,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let partial = path.with_extension(std::format!("partial-{}", std::process::id()));
    let mut writer = BufWriter::with_capacity(1 << 16, File::create(&partial)?);
    let mut hash = Blake2b::<U32>::new();
    let mut write = |bytes: &[u8]| {
        hash.update(bytes);
        writer.write_all(bytes)
    };
    write(&head(key, parts))?;
    for point in built.lagrange.iter().chain(&built.single).chain(&built.tree) {
        write(&row_bytes(point))?;
    }
    writer.write_all(&hash.finalize())?;
    writer.into_inner()?.sync_all()?;
    fs::rename(&partial, path)
}

fn row(bytes: &[u8; 64]) -> G1Affine {
    let [x, y] = [bytes.first_chunk(), bytes.last_chunk()]
        .map(|half| half.map_or(Fq::default(), |half| Fq::new_unchecked(limbs(half))));
    G1Affine::new_unchecked(x, y)
}

fn row_bytes(point: &G1Affine) -> [u8; 64] {
    let mut bytes = [0; 64];
    let (x, y) = bytes.split_at_mut(32);
    x.copy_from_slice(&limb_bytes(&point.x.0));
    y.copy_from_slice(&limb_bytes(&point.y.0));
    bytes
}
