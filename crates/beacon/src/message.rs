//! The messages of beacon servers: bootstraps and updates, decoded strictly.
//!
//! The encoding is that of the fork of the first header's slot, whatever the server claims.

use alloc::vec::Vec;

use prooflight_core::{ByteReader, Error, Hash, Reason, Result};

use crate::bls::SignatureBytes;
use crate::branch::depth;
use crate::committee::SyncCommittee;
use crate::fork::Fork;
use crate::header::{self, LightClientHeader};
use crate::network::Network;
use crate::ssz::{invalid_encoding, read_hashes, read_u64};

/// The three kinds of updates: with a committee and finality, with finality only, or with neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateKind {
    /// `LightClientUpdate`: a period's committee and finality.
    Update,
    /// `LightClientFinalityUpdate`.
    Finality,
    /// `LightClientOptimisticUpdate`.
    Optimistic,
}

/// `LightClientBootstrap`: the committee of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// The checkpoint's block.
    pub header: LightClientHeader,
    /// The committee that signs in its period.
    pub committee: SyncCommittee,
    /// The branch from the committee to the state's root.
    pub branch: Vec<Hash>,
}

/// Any of the three kinds of updates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The block that the committee signed.
    pub attested: LightClientHeader,
    /// The committee of the next period, if the update has one.
    pub next_committee: Option<NextCommittee>,
    /// The finalized block, if the update has one.
    pub finality: Option<FinalityProof>,
    /// The signature.
    pub aggregate: SyncAggregate,
    /// The slot of the signature, which does not cover this field.
    pub signature_slot: u64,
}

/// The committee of the next period, in the attested block's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextCommittee {
    /// The committee.
    pub committee: SyncCommittee,
    /// The branch from the committee to the attested block's state root.
    pub branch: Vec<Hash>,
}

/// The finalized block, in the attested block's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalityProof {
    /// The block; `None` if only genesis is finalized.
    pub header: Option<LightClientHeader>,
    /// The branch from the block's root to the attested block's state root.
    pub branch: Vec<Hash>,
}

/// The members that signed, and their signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncAggregate {
    /// One for each member.
    pub bits: Vec<bool>,
    /// The sum of the members' signatures.
    pub signature: SignatureBytes,
}

impl Bootstrap {
    /// Decodes SSZ; `malformed` for anything other than a bootstrap of this network.
    pub fn decode(bytes: &[u8], network: &Network) -> Result<Self> {
        let size = network.committee_size();
        let fork = fork_of(bytes, network, |fork| {
            header::fixed_length(fork) + 48 * (size + 1) + 32 * depth(fork.current_committee())
        })?;
        let mut fields = ContainerFields::new(bytes, fork);
        fields.header()?;
        let committee = SyncCommittee::read(&mut fields.reader, size)?;
        let branch = read_hashes(&mut fields.reader, depth(fork.current_committee()))?;
        let [header] = fields.headers()?;
        Ok(Self { header: some_header(header, fork, network)?, committee, branch })
    }
}

impl Update {
    /// Decodes SSZ; `malformed` for anything other than such an update of this network.
    ///
    /// The missing parts of an update must be all zeros, as specified; an update whose headers do not
    /// prove their execution blocks is `branch_mismatch`.
    pub fn decode(kind: UpdateKind, bytes: &[u8], network: &Network) -> Result<Self> {
        let size = network.committee_size();
        let fork = fork_of(bytes, network, |fork| {
            let committee = 48 * (size + 1) + 32 * depth(fork.next_committee());
            let finality = header::fixed_length(fork) + 32 * depth(fork.finalized_root());
            let parts = match kind {
                UpdateKind::Update => committee + finality,
                UpdateKind::Finality => finality,
                UpdateKind::Optimistic => 0,
            };
            header::fixed_length(fork) + parts + size / 8 + 96 + 8
        })?;
        let mut fields = ContainerFields::new(bytes, fork);
        fields.header()?;
        let next_committee = match kind {
            UpdateKind::Update => read_next_committee(&mut fields.reader, fork, size)?,
            _ => None,
        };
        let mut finality_branch = Vec::new();
        if kind != UpdateKind::Optimistic {
            fields.header()?;
            finality_branch = read_hashes(&mut fields.reader, depth(fork.finalized_root()))?;
        }
        let aggregate = SyncAggregate::read(&mut fields.reader, size)?;
        let signature_slot = read_u64(&mut fields.reader)?;

        let (attested, finality) = if kind == UpdateKind::Optimistic {
            let [attested] = fields.headers()?;
            (attested, None)
        } else {
            let [attested, finalized] = fields.headers()?;
            (attested, read_finality(finalized, finality_branch, fork, network)?)
        };
        let attested = some_header(attested, fork, network)?;
        Ok(Self { attested, next_committee, finality, aggregate, signature_slot })
    }
}

impl SyncAggregate {
    fn read(reader: &mut ByteReader<'_>, size: usize) -> Result<Self> {
        let bytes = reader.take(size / 8)?;
        let bits =
            (0..size).map(|at| bytes.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1));
        Ok(Self { bits: bits.collect(), signature: reader.array()? })
    }

    /// The number of members that signed.
    pub fn participants(&self) -> usize {
        self.bits.iter().filter(|bit| **bit).count()
    }

    /// Whether at least two thirds of the members signed.
    pub fn has_supermajority(&self) -> bool {
        3 * self.participants() >= 2 * self.bits.len()
    }
}

fn read_next_committee(
    reader: &mut ByteReader<'_>,
    fork: Fork,
    size: usize,
) -> Result<Option<NextCommittee>> {
    let committee = SyncCommittee::read(reader, size)?;
    let branch = read_hashes(reader, depth(fork.next_committee()))?;
    if is_zero(&branch) {
        return if committee.is_default() { Ok(None) } else { Err(without_branch("committee")) };
    }
    Ok(Some(NextCommittee { committee, branch }))
}

fn read_finality(
    bytes: &[u8],
    branch: Vec<Hash>,
    fork: Fork,
    network: &Network,
) -> Result<Option<FinalityProof>> {
    let header = header::decode(bytes, fork, network)?;
    if is_zero(&branch) {
        return if header.is_none() { Ok(None) } else { Err(without_branch("finalized header")) };
    }
    if header.is_some_and(|header| header.beacon.slot == 0) {
        let expected = "no header for genesis, which states represent by zeros";
        return Err(Error::new(Reason::InvalidUpdate, expected, "one"));
    }
    Ok(Some(FinalityProof { header, branch }))
}

/// The fork that defines the encoding, from the slot of the first header.
///
/// `total` returns the length of an encoding without parts of variable length; the length tells encodings
/// with and without such parts apart.
fn fork_of(bytes: &[u8], network: &Network, total: impl Fn(Fork) -> usize) -> Result<Fork> {
    let fork_at = |offset: usize| {
        let slot = read_u64(&mut ByteReader::new(bytes.get(offset..)?)).ok()?;
        network.fork(slot).ok()
    };
    let fixed =
        fork_at(0).filter(|fork| !header::is_variable(*fork) && bytes.len() == total(*fork));
    let variable = || {
        let offset = u32::from_le_bytes(*bytes.first_chunk()?);
        fork_at(usize::try_from(offset).ok()?).filter(|fork| header::is_variable(*fork))
    };
    fixed
        .or_else(variable)
        .ok_or_else(|| invalid_encoding("light-client data of a fork of this network", bytes))
}

/// A container's fields; in the encoding of some forks, headers are of variable length.
struct ContainerFields<'a> {
    bytes: &'a [u8],
    reader: ByteReader<'a>,
    fork: Fork,
    /// The offsets of headers; fixed-length ones are in `inline`.
    offsets: Vec<usize>,
    inline: Vec<&'a [u8]>,
}

impl<'a> ContainerFields<'a> {
    fn new(bytes: &'a [u8], fork: Fork) -> Self {
        let reader = ByteReader::new(bytes);
        Self { bytes, reader, fork, offsets: Vec::new(), inline: Vec::new() }
    }

    /// Reads the next field: a header, or its offset.
    fn header(&mut self) -> Result<()> {
        if header::is_variable(self.fork) {
            let offset = self.reader.array().map(u32::from_le_bytes)?;
            self.offsets.push(usize::try_from(offset).unwrap_or(usize::MAX));
        } else {
            self.inline.push(self.reader.take(header::fixed_length(self.fork))?);
        }
        Ok(())
    }

    /// The headers, which follow all fields: the first starts at the end of the fields, each further one at the
    /// end of the previous one, and no bytes are left over.
    fn headers<const N: usize>(self) -> Result<[&'a [u8]; N]> {
        let invalid = || invalid_encoding("valid offsets", self.bytes);
        if !header::is_variable(self.fork) {
            self.reader.finish()?;
            return self.inline.try_into().map_err(|_| invalid());
        }
        let ends = self.offsets.iter().skip(1).copied().chain([self.bytes.len()]);
        let headers = self.offsets.iter().zip(ends).map(|(start, end)| self.bytes.get(*start..end));
        let headers: Option<Vec<_>> = headers.collect();
        if self.offsets.first() != Some(&self.reader.offset()) {
            return Err(invalid());
        }
        headers.and_then(|headers| headers.try_into().ok()).ok_or_else(invalid)
    }
}

fn some_header(bytes: &[u8], fork: Fork, network: &Network) -> Result<LightClientHeader> {
    header::decode(bytes, fork, network)?
        .ok_or_else(|| Error::new(Reason::InvalidUpdate, "a header", "the default one"))
}

fn is_zero(branch: &[Hash]) -> bool {
    branch.iter().all(|node| *node == Hash::default())
}

#[cold]
fn without_branch(what: &str) -> Error {
    let expected = format_args!("a branch for the {what}, or none of both");
    Error::new(Reason::InvalidUpdate, expected, "no branch")
}
