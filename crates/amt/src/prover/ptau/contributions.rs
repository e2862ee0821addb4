//! The contributions of a `.ptau` file: for each one the resulting points, the contributor's key,
//! hashes and a name.
//!
//! ```text
//! section      = number u32 || contribution*
//! contribution = tau G1, tau G2, alpha G1, beta G1, beta G2 || nine points of the key, six in G1 and three in G2
//!              || hash state[216] || hash[64] || type u32 || length u32 || parameters[length]
//! ```

use std::io::{Read, Seek};

use ark_bn254::{G1Affine, G2Affine};
use prooflight_core::{ByteReader, Error, Reason, Result};

use super::file::{PtauFile, g1, g2, invalid};

/// Larger than the contributions section of any file.
const MAX_SECTION_BYTES: u64 = 16 << 20;

/// Checks that the points are on their curves and that the points after the last contribution are
/// the file's; returns the number of contributions. Does not check that anyone made them: their
/// keys and hashes are ignored.
///
/// `last_g1` holds tau, alpha and beta; `last_g2` holds tau and beta.
pub(super) fn check<R: Read + Seek>(
    file: &mut PtauFile<R>,
    last_g1: &[G1Affine; 3],
    last_g2: &[G2Affine; 2],
) -> Result<u32> {
    let section = file.section(7, MAX_SECTION_BYTES)?;
    let mut reader = ByteReader::new(&section);
    let count = u32::from_le_bytes(reader.array()?);
    let mut last = None;
    for _ in 0..count {
        let tau_g1 = g1(&reader.array()?)?;
        let tau_g2 = g2(&reader.array()?)?;
        let alpha_g1 = g1(&reader.array()?)?;
        let beta_g1 = g1(&reader.array()?)?;
        let beta_g2 = g2(&reader.array()?)?;
        last = Some(([tau_g1, alpha_g1, beta_g1], [tau_g2, beta_g2]));
        for _ in 0..6 {
            let _: G1Affine = g1(&reader.array()?)?;
        }
        for _ in 0..3 {
            let _: G2Affine = g2(&reader.array()?)?;
        }
        reader.take(216 + 64)?;
        if u32::from_le_bytes(reader.array()?) > 1 {
            return Err(invalid("a contribution or a beacon", "another type"));
        }
        let length = u32::from_le_bytes(reader.array()?);
        reader.take(usize::try_from(length).unwrap_or(usize::MAX))?;
    }
    reader.finish()?;
    match last {
        Some((g1, g2)) if g1 == *last_g1 && g2 == *last_g2 => Ok(count),
        Some(_) => Err(Error::new(
            Reason::InvalidSetup,
            "the points after the last contribution",
            "other points",
        )),
        None => Err(Error::new(
            Reason::InvalidSetup,
            "at least one contribution in the list: without any, the secret is known",
            "none",
        )),
    }
}
