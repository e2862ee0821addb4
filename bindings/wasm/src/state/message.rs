//! The messages about the state of chains, in borsh; types of `prooflight_core::chain` are encoded as in
//! `test-vectors/spec/chain.md`.
//!
//! ```text
//! enum   StateRequest { Keys(KeysRequest), History(HistoryRequest), Diff(DiffRequest), Block(BlockRequest),
//!                       Range(PageRequest), Count(CountRequest) }
//! struct KeysRequest    { scheme: u8, config: Vec<u8>, allow_insecure: bool, setup_key: Option<Vec<u8>>,
//!                         header: Vec<u8>, at: Option<u64>, keys: Vec<Vec<u8>> }
//! struct Range          { config: Vec<u8>, head: Vec<u8>, headers: Vec<Vec<u8>>, hashes: Vec<[u8; 32]> }
//! struct HistoryRequest { scheme: u8, range: Range, key: Vec<u8>, from: u64, to: Option<u64>, average: bool }
//! struct DiffRequest    { range: Range, from: Option<u64>, to: Option<u64> }
//! struct BlockRequest   { limits: ChainLimits, parent: Option<Vec<u8>>, digest: Option<Vec<u8>>,
//!                         header: Vec<u8>, operations: Vec<StateOperation> }
//! struct PageRequest    { scheme: u8, config: Vec<u8>, header: Vec<u8>, at: Option<u64>, lo: Vec<u8>,
//!                         hi: Option<Vec<u8>>, reverse: bool }
//! struct CountRequest   { scheme: u8, config: Vec<u8>, header: Vec<u8>, lo: Vec<u8>, hi: Option<Vec<u8>> }
//! ```
//! `config` is an encoded `ChainConfig`. Headers are encoded, and accepted by the caller; those in
//! `HistoryHeaders::headers` are proven to be in the history of `head`. Without `to`, the range ends at `head`; without `at`,
//! the question is about the block of `header`.
//!
//! ```text
//! struct KeysResponse    { values: Vec<Vec<u8>>, states: Vec<KeyState> }
//! enum   KeyState        { Present { value: u32, since: Option<u64>, details: Details },
//!                          Absent { deleted_at: Option<u64>, details: Details } }
//! struct Details         { version: Option<u64>, layer: Option<String> }
//! struct HistoryResponse { headers: Vec<Vec<u8>>, history: History, average: Option<Average> }
//! struct DiffResponse    { headers: Vec<Vec<u8>>, changes: Vec<Change> }
//! struct BlockResponse   { digest: [u8; 33] }
//! struct CountResponse   { count: u64 }
//! ```
//! `value` is a position in `values`: a value that several keys share crosses once. `headers` are
//! `HeaderResponse`s of `chain::message`; `History` is that of `answers`, `Average` and `Change`
//! are those of `smt::message`. The response to a `PageRequest` is a `Page<Entry>` of `amb::message`.

#[cfg(any(feature = "amb", feature = "smt"))]
use prooflight_core::Hash;
use prooflight_core::chain::{AcceptedHeaders, ChainConfig, Header};
#[cfg(feature = "avl")]
use prooflight_core::chain::{ChainLimits, StateOperation};
use prooflight_core::{Error, Limits, Reason, Result, Scheme};
use prooflight_light::{KeyState, StatementAnswer};

use crate::config::config;
#[cfg(feature = "avl")]
use crate::config::limits;
#[cfg(feature = "lvmt")]
use crate::lvmt::setup::PinnedSetup;
use crate::values::DistinctValues;
use crate::wire::{self, RequestReader};

/// A question, and the headers to verify its answer against.
pub(crate) enum StateRequest<'a> {
    Keys(KeysRequest<'a>),
    #[cfg(any(feature = "amb", feature = "smt"))]
    History(HistoryRequest<'a>),
    #[cfg(feature = "smt")]
    Diff(DiffRequest<'a>),
    #[cfg(feature = "avl")]
    Block(BlockRequest<'a>),
    #[cfg(feature = "amb")]
    Range(PageRequest<'a>),
    #[cfg(feature = "amb")]
    Count(CountRequest<'a>),
}

/// Keys after a block.
pub(crate) struct KeysRequest<'a> {
    pub(crate) scheme: Scheme,
    pub(crate) config: ChainConfig,
    #[cfg_attr(not(feature = "lvmt"), allow(dead_code, reason = "only read with lvmt"))]
    allow_insecure: bool,
    #[cfg_attr(not(feature = "lvmt"), allow(dead_code, reason = "only read with lvmt"))]
    setup_key: Option<&'a [u8]>,
    header: &'a [u8],
    pub(crate) at: Option<u64>,
    pub(crate) keys: Vec<&'a [u8]>,
}

/// An accepted head, and older headers with the proof that they are in its history.
#[cfg(any(feature = "amb", feature = "smt"))]
pub(crate) struct HistoryHeaders<'a> {
    pub(crate) config: ChainConfig,
    head: &'a [u8],
    headers: Vec<&'a [u8]>,
    hashes: Vec<Hash>,
}

/// Every change of a key.
#[cfg(any(feature = "amb", feature = "smt"))]
pub(crate) struct HistoryRequest<'a> {
    pub(crate) scheme: Scheme,
    pub(crate) history: HistoryHeaders<'a>,
    pub(crate) key: &'a [u8],
    pub(crate) from: u64,
    pub(crate) to: Option<u64>,
    #[cfg_attr(not(feature = "smt"), allow(dead_code, reason = "only read with smt"))]
    pub(crate) average: bool,
}

/// Every key that changed.
#[cfg(feature = "smt")]
pub(crate) struct DiffRequest<'a> {
    pub(crate) history: HistoryHeaders<'a>,
    pub(crate) from: Option<u64>,
    pub(crate) to: Option<u64>,
}

/// A block, and the known state before it.
#[cfg(feature = "avl")]
pub(crate) struct BlockRequest<'a> {
    pub(crate) limits: ChainLimits,
    pub(crate) parent: Option<&'a [u8]>,
    pub(crate) digest: Option<&'a [u8]>,
    pub(crate) header: &'a [u8],
    pub(crate) operations: Vec<StateOperation>,
}

/// The keys in a range, or the first page of them.
#[cfg(feature = "amb")]
pub(crate) struct PageRequest<'a> {
    pub(crate) scheme: Scheme,
    pub(crate) config: ChainConfig,
    header: &'a [u8],
    pub(crate) at: Option<u64>,
    pub(crate) lo: &'a [u8],
    pub(crate) hi: Option<&'a [u8]>,
    pub(crate) reverse: bool,
}

/// The number of keys in a range.
#[cfg(feature = "amb")]
pub(crate) struct CountRequest<'a> {
    pub(crate) scheme: Scheme,
    pub(crate) config: ChainConfig,
    header: &'a [u8],
    pub(crate) lo: &'a [u8],
    pub(crate) hi: Option<&'a [u8]>,
}

impl<'a> StateRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| match r.u8()? {
            0 => KeysRequest::read(r).map(Self::Keys),
            #[cfg(any(feature = "amb", feature = "smt"))]
            1 => HistoryRequest::read(r).map(Self::History),
            #[cfg(feature = "smt")]
            2 => DiffRequest::read(r).map(Self::Diff),
            #[cfg(feature = "avl")]
            3 => BlockRequest::read(r).map(Self::Block),
            #[cfg(feature = "amb")]
            4 => PageRequest::read(r).map(Self::Range),
            #[cfg(feature = "amb")]
            5 => CountRequest::read(r).map(Self::Count),
            other => Err(wire::unknown("a statement of this binary", other)),
        })
    }

    /// The scheme that a refusal is about.
    pub(crate) const fn scheme(&self) -> Scheme {
        match self {
            Self::Keys(request) => request.scheme,
            #[cfg(any(feature = "amb", feature = "smt"))]
            Self::History(request) => request.scheme,
            #[cfg(feature = "smt")]
            Self::Diff(_) => Scheme::Smt,
            #[cfg(feature = "avl")]
            Self::Block(_) => Scheme::Avl,
            #[cfg(feature = "amb")]
            Self::Range(request) => request.scheme,
            #[cfg(feature = "amb")]
            Self::Count(request) => request.scheme,
        }
    }
}

impl<'a> KeysRequest<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        Ok(Self {
            scheme: Scheme::from_id(r.u8()?)?,
            config: config(r)?,
            allow_insecure: r.bool()?,
            setup_key: r.option(RequestReader::bytes)?,
            header: r.bytes()?,
            at: r.option(RequestReader::u64)?,
            keys: r.sequence(RequestReader::bytes)?,
        })
    }

    /// The block's header.
    pub(crate) fn headers(&self) -> Result<AcceptedHeaders> {
        header(self.header).map(AcceptedHeaders::one)
    }

    /// The setup of the chain's `lvmt`, if the question is about it.
    #[cfg(feature = "lvmt")]
    pub(crate) fn setup(&self) -> Result<Option<PinnedSetup<'a>>> {
        if self.scheme != Scheme::Lvmt {
            return Ok(None);
        }
        let lvmt = prooflight_lvmt::state::lvmt_of(&self.config)?;
        Ok(Some(PinnedSetup {
            params_id: lvmt.params_id,
            log_n: lvmt.log_n,
            allow_insecure: self.allow_insecure,
            key: self.setup_key,
        }))
    }
}

#[cfg(any(feature = "amb", feature = "smt"))]
impl<'a> HistoryHeaders<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        Ok(Self {
            config: config(r)?,
            head: r.bytes()?,
            headers: r.sequence(RequestReader::bytes)?,
            hashes: r.sequence(RequestReader::array)?,
        })
    }

    /// The head, and the older headers in its history.
    pub(crate) fn headers(&self) -> Result<AcceptedHeaders> {
        let older = self.headers.iter().map(|bytes| header(bytes)).collect::<Result<_>>()?;
        AcceptedHeaders::with_ancestors(header(self.head)?, older, &self.hashes)
    }
}

#[cfg(any(feature = "amb", feature = "smt"))]
impl<'a> HistoryRequest<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        Ok(Self {
            scheme: Scheme::from_id(r.u8()?)?,
            history: HistoryHeaders::read(r)?,
            key: r.bytes()?,
            from: r.u64()?,
            to: r.option(RequestReader::u64)?,
            average: r.bool()?,
        })
    }
}

#[cfg(feature = "smt")]
impl<'a> DiffRequest<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        Ok(Self {
            history: HistoryHeaders::read(r)?,
            from: r.option(RequestReader::u64)?,
            to: r.option(RequestReader::u64)?,
        })
    }
}

#[cfg(feature = "avl")]
impl<'a> BlockRequest<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        Ok(Self {
            limits: limits(r)?,
            parent: r.option(RequestReader::bytes)?,
            digest: r.option(RequestReader::bytes)?,
            header: r.bytes()?,
            operations: r.sequence(operation)?,
        })
    }
}

#[cfg(feature = "amb")]
impl<'a> PageRequest<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        Ok(Self {
            scheme: Scheme::from_id(r.u8()?)?,
            config: config(r)?,
            header: r.bytes()?,
            at: r.option(RequestReader::u64)?,
            lo: r.bytes()?,
            hi: r.option(RequestReader::bytes)?,
            reverse: r.bool()?,
        })
    }

    /// The header whose root proves the page.
    pub(crate) fn headers(&self) -> Result<AcceptedHeaders> {
        header(self.header).map(AcceptedHeaders::one)
    }
}

#[cfg(feature = "amb")]
impl<'a> CountRequest<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        Ok(Self {
            scheme: Scheme::from_id(r.u8()?)?,
            config: config(r)?,
            header: r.bytes()?,
            lo: r.bytes()?,
            hi: r.option(RequestReader::bytes)?,
        })
    }

    /// The block's header.
    pub(crate) fn headers(&self) -> Result<AcceptedHeaders> {
        header(self.header).map(AcceptedHeaders::one)
    }
}

#[cfg(feature = "avl")]
fn operation(r: &mut RequestReader<'_>) -> Result<StateOperation> {
    let (variant, key) = (r.u8()?, r.bytes()?.to_vec());
    match variant {
        0 => Ok(StateOperation::Set { key, value: r.bytes()?.to_vec() }),
        1 => Ok(StateOperation::Delete { key }),
        other => Err(wire::unknown("an operation of 0 or 1", other)),
    }
}

/// Decodes an accepted header.
pub(crate) fn header(bytes: &[u8]) -> Result<Header> {
    Header::decode(bytes, &Limits::DEFAULT)
}

/// The error for an answer to another statement than requested.
#[cold]
pub(crate) fn wrong_answer() -> Error {
    Error::new(Reason::Bug, "an answer to the statement", "another")
}

/// Encodes a `KeysResponse`.
pub(crate) fn keys(answer: &StatementAnswer<'_>) -> Result<Vec<u8>> {
    #[allow(irrefutable_let_patterns, reason = "in a binary without histories")]
    let StatementAnswer::Keys(states) = answer else { return Err(wrong_answer()) };
    let values = DistinctValues::of(states.iter().filter_map(KeyState::value));
    let mut response = values.response(4 + 24 * states.len());
    response.length(states.len());
    for state in states {
        let (block, version, layer) = match state {
            KeyState::Present { value, since, version, layer } => {
                response.u8(0);
                response.length(values.number(value.as_ref()));
                (since, version, layer)
            }
            KeyState::Absent { deleted_at, version, layer } => {
                response.u8(1);
                (deleted_at, version, layer)
            }
        };
        response.optional_u64(*block);
        response.optional_u64(*version);
        response.option(layer.map(str::as_bytes));
    }
    Ok(response.into_bytes())
}

/// Encodes a `HistoryResponse`; `average` is encoded already.
#[cfg(any(feature = "amb", feature = "smt"))]
pub(crate) fn history(
    headers: &AcceptedHeaders,
    history: &prooflight_core::KeyHistory<'_>,
    average: Option<Vec<u8>>,
) -> Vec<u8> {
    let mut response = crate::chain::message::header_responses(headers.older());
    response.extend(crate::answers::history(history));
    match average {
        None => response.push(0),
        Some(average) => {
            response.push(1);
            response.extend(average);
        }
    }
    response
}

/// Encodes a `DiffResponse`.
#[cfg(feature = "smt")]
pub(crate) fn diff(
    headers: &AcceptedHeaders,
    changes: &[prooflight_light::DiffEntry<'_>],
) -> Vec<u8> {
    let mut response = crate::chain::message::header_responses(headers.older());
    response.extend(crate::smt::message::changes(changes));
    response
}
