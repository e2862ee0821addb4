//! Setups from `.ptau` files, the format of snarkjs.

mod check;
mod contributions;
mod file;

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use prooflight_core::{Error, Reason, Result};

use self::check::check;
use self::file::PtauFile;
use super::setup::{ProverSetup, TauPowers};
use crate::domain::Domain;
use crate::key::VerifyingKey;

impl ProverSetup {
    /// Reads the setup for vectors of `2^log_n` entries from a `.ptau` file; see [`Self::read_ptau`].
    ///
    /// `store_failed` if the file does not exist or cannot be read.
    pub fn open_ptau(path: &Path, log_n: u8) -> Result<Self> {
        let file = File::open(path).map_err(|error| {
            Error::new(Reason::StoreFailed, format_args!("the file {}", path.display()), error)
        })?;
        Self::read_ptau(BufReader::with_capacity(1 << 16, file), log_n)
    }

    /// Reads the setup for vectors of `2^log_n` entries from the bytes of a `.ptau` file.
    ///
    /// If the file has more powers than that, the part for larger powers is not read, and neither
    /// are the values for a second phase. Everything read is checked: that points are on their
    /// curves and in their groups, and by pairings that they are the powers of one number,
    /// including the parts that only a SNARK needs. It does not check that anyone contributed, that
    /// is, the keys and hashes of the contributions; `snarkjs powersoftau verify` does. Whoever
    /// makes a file may know its secret and forge the [list](Self::listed_contributions). Whether
    /// it is the setup that a chain requires follows from its
    /// [`params_id`](VerifyingKey::params_id).
    ///
    /// Errors: `truncated`, `trailing_bytes`; `invalid_ptau` for another format, version or curve,
    /// and for sections that are missing, duplicated or of a size that does not match the power;
    /// `setup_too_small`; `invalid_point`; `invalid_setup` if the points are not the powers of one
    /// number, or if that number is in the domain, as before the first contribution; `store_failed`
    /// if reading fails; `invalid_argument` unless `1 <= log_n <= 28`.
    pub fn read_ptau(reader: impl Read + Seek, log_n: u8) -> Result<Self> {
        let domain = Domain::new(log_n)?;
        let mut file = PtauFile::open(reader)?;
        if file.power < u32::from(log_n) {
            return Err(Error::new(
                Reason::SetupTooSmall,
                format_args!("2^{log_n} powers"),
                format_args!("2^{}", file.power),
            ));
        }
        let mut powers = check(&mut file, domain)?;
        let key = (0..log_n).filter_map(|j| powers.tau_g2.get(1 << j).copied());
        let key = VerifyingKey::new(domain, &key.collect::<std::vec::Vec<_>>());
        powers.tau_g1.truncate(domain.n() as usize);
        Ok(Self::new(key, TauPowers::Points(powers.tau_g1)).with_listed(powers.contributions))
    }
}
