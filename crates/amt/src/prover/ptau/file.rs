//! The file format of `.ptau`.
//!
//! ```text
//! file     = "ptau" || version u32 = 1 || number of sections u32 || section*
//! section  = id u32 || size u64 || bytes[size]
//! ```
//! All integers are little-endian. Coordinates are 32 bytes, in Montgomery form (times 2^256 modulo q).
//! Section 1: 32 as u32, q, the power p as u32, the ceremony's power as u32. 2: `[tau^j]_1`, j < 2^(p+1) - 1.
//! 3: `[tau^j]_2`, j < 2^p. 4, 5: `[alpha tau^j]_1`, `[beta tau^j]_1`, j < 2^p. 6: `[beta]_2`. 7: the contributions.
//! 12 to 15: values for a second phase.

use std::io::{Read, Seek, SeekFrom};
use std::vec::Vec;

use ark_bn254::{Fq, Fq2, G1Affine, G2Affine};
use ark_ff::{BigInt, PrimeField};
use prooflight_core::{Error, Hex, Reason, Result};
use rayon::prelude::*;

use crate::MAX_LOG_N;
use crate::key::checked;
use crate::point::limbs;

/// Bytes of a point of G1.
pub(super) const G1_BYTES: usize = 64;
/// Bytes of a point of G2.
pub(super) const G2_BYTES: usize = 128;

/// More sections than any file has.
const MAX_SECTIONS: u32 = 64;

/// A `.ptau` file with exactly the sections that its power requires.
pub(super) struct PtauFile<R> {
    reader: R,
    sections: Vec<PtauSection>,
    pub(super) power: u32,
}

#[derive(Clone, Copy)]
struct PtauSection {
    id: u32,
    start: u64,
    size: u64,
}

impl<R: Read + Seek> PtauFile<R> {
    /// Reads the section table and the header.
    pub(super) fn open(mut reader: R) -> Result<Self> {
        let end = reader.seek(SeekFrom::End(0)).map_err(failed)?;
        reader.seek(SeekFrom::Start(0)).map_err(failed)?;
        let magic: [u8; 4] = array(&mut reader)?;
        let version = u32::from_le_bytes(array(&mut reader)?);
        if &magic != b"ptau" || version != 1 {
            return Err(invalid("\"ptau\" and the version 1", Hex(&magic)));
        }
        let count = u32::from_le_bytes(array(&mut reader)?);
        if count > MAX_SECTIONS {
            return Err(invalid("at most 64 sections", count));
        }
        let mut file = Self { reader, sections: Vec::new(), power: 0 };
        for _ in 0..count {
            let section = file.next_section(end)?;
            file.reader.seek(SeekFrom::Start(section.start + section.size)).map_err(failed)?;
            file.sections.push(section);
        }
        let rest = end - file.reader.stream_position().map_err(failed)?;
        if rest != 0 {
            let found = format_args!("{rest} more bytes");
            return Err(Error::new(Reason::TrailingBytes, "the end after the last section", found));
        }
        file.header()?;
        Ok(file)
    }

    /// Reads the first `count` points of a G1 section and checks that they are on the curve.
    pub(super) fn g1(&mut self, id: u32, count: usize) -> Result<Vec<G1Affine>> {
        let bytes = self.bytes(id, count * G1_BYTES)?;
        bytes.as_chunks().0.par_iter().map(g1).collect()
    }

    /// Reads the first `count` points of a G2 section and checks that they are in the subgroup.
    pub(super) fn g2(&mut self, id: u32, count: usize) -> Result<Vec<G2Affine>> {
        let bytes = self.bytes(id, count * G2_BYTES)?;
        bytes.as_chunks().0.par_iter().map(g2).collect()
    }

    /// Reads a whole section.
    pub(super) fn section(&mut self, id: u32, limit: u64) -> Result<Vec<u8>> {
        let size = self.find(id)?.size;
        if size > limit {
            return Err(invalid(
                format_args!("a section {id} of at most {limit} bytes"),
                format_args!("{size} bytes"),
            ));
        }
        self.bytes(id, usize::try_from(size).unwrap_or(usize::MAX))
    }

    fn next_section(&mut self, end: u64) -> Result<PtauSection> {
        let id = u32::from_le_bytes(array(&mut self.reader)?);
        let size = u64::from_le_bytes(array(&mut self.reader)?);
        let start = self.reader.stream_position().map_err(failed)?;
        if size > end - start {
            return Err(Error::new(
                Reason::Truncated,
                format_args!("{size} bytes of section {id}"),
                end - start,
            ));
        }
        if !matches!(id, 1..=7 | 12..=15) || self.sections.iter().any(|other| other.id == id) {
            return Err(invalid("each section of the format once", format_args!("section {id}")));
        }
        Ok(PtauSection { id, start, size })
    }

    fn header(&mut self) -> Result<()> {
        let header = self.section(1, 44)?;
        let mut reader = prooflight_core::ByteReader::new(&header);
        let width = u32::from_le_bytes(reader.array()?);
        let modulus: [u8; 32] = reader.array()?;
        if width != 32 || limbs(&modulus) != Fq::MODULUS {
            return Err(invalid("the curve BN254", Hex(&modulus)));
        }
        self.power = u32::from_le_bytes(reader.array()?);
        let ceremony_power = u32::from_le_bytes(reader.array()?);
        reader.finish()?;
        if !(1..=u32::from(MAX_LOG_N)).contains(&self.power) || ceremony_power < self.power {
            let found = format_args!("{} of {ceremony_power}", self.power);
            return Err(invalid("a power from 1 to 28, and not above the ceremony's", found));
        }
        let n = 1_u64 << self.power;
        let (g1, g2) = (G1_BYTES as u64, G2_BYTES as u64);
        let sizes = [(2, (2 * n - 1) * g1), (3, n * g2), (4, n * g1), (5, n * g1), (6, g2)];
        for (id, expected) in sizes {
            let found = self.find(id)?.size;
            if found != expected {
                return Err(invalid(format_args!("{expected} bytes of section {id}"), found));
            }
        }
        Ok(())
    }

    fn find(&self, id: u32) -> Result<PtauSection> {
        let section = self.sections.iter().find(|section| section.id == id).copied();
        let contents = if id == 7 { ", the list of contributions" } else { "" };
        section.ok_or_else(|| invalid(format_args!("a section {id}{contents}"), "none"))
    }

    /// Reads the first `count` bytes of a section.
    fn bytes(&mut self, id: u32, count: usize) -> Result<Vec<u8>> {
        let start = self.find(id)?.start;
        self.reader.seek(SeekFrom::Start(start)).map_err(failed)?;
        let mut bytes = std::vec![0; count];
        self.reader.read_exact(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }
}

/// Decodes a point of G1; `invalid_point` if it is infinity or not on the curve.
pub(super) fn g1(bytes: &[u8; G1_BYTES]) -> Result<G1Affine> {
    let [x, y] = coordinates(bytes)?;
    let point = G1Affine::new_unchecked(x, y);
    if point.is_on_curve() && point != G1Affine::default() {
        Ok(point)
    } else {
        Err(invalid_point("a point on the curve, not infinity", bytes))
    }
}

/// Decodes a point of G2; `invalid_point` if it is infinity or not in the subgroup.
pub(super) fn g2(bytes: &[u8; G2_BYTES]) -> Result<G2Affine> {
    let [x0, x1, y0, y1] = coordinates(bytes)?;
    let point = G2Affine::new_unchecked(Fq2::new(x0, x1), Fq2::new(y0, y1));
    if !point.is_on_curve() {
        return Err(invalid_point("a point on the curve", bytes));
    }
    checked(point)
}

fn coordinates<const N: usize>(bytes: &[u8]) -> Result<[Fq; N]> {
    let mut coordinates = [Fq::default(); N];
    for (coordinate, bytes) in coordinates.iter_mut().zip(bytes.as_chunks().0) {
        *coordinate = montgomery(limbs(bytes))
            .ok_or_else(|| invalid_point("coordinates below the modulus", bytes))?;
    }
    Ok(coordinates)
}

fn montgomery(limbs: BigInt<4>) -> Option<Fq> {
    (limbs < Fq::MODULUS).then(|| Fq::new_unchecked(limbs))
}

fn array<const N: usize>(reader: &mut impl Read) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

#[cold]
pub(super) fn failed(error: std::io::Error) -> Error {
    if error.kind() == std::io::ErrorKind::UnexpectedEof {
        Error::new(Reason::Truncated, "more bytes", "the end of the file")
    } else {
        Error::new(Reason::StoreFailed, "a file that can be read", error)
    }
}

#[cold]
pub(super) fn invalid(expected: impl core::fmt::Display, found: impl core::fmt::Display) -> Error {
    Error::new(Reason::InvalidPtau, expected, found)
}

#[cold]
fn invalid_point(expected: &str, bytes: &[u8]) -> Error {
    Error::new(Reason::InvalidPoint, expected, Hex(bytes))
}
