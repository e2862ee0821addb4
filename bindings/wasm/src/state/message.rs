//! The messages about the state of chains, in borsh; types of `prooflight_core::chain` are encoded as in
//! `test-vectors/spec/chain.md`.
//!
//! A `StateRequest` starts with the number of its statement. `config` is an encoded `ChainConfig`. Headers are encoded,
//! and accepted by the caller; those in `HistoryHeaders::headers` are proven to be in the history of `head`. Without
//! `to`, the range ends at `head`; without `at`, the question is about the block of `header`.
//!
//! ```text
//! struct KeysResponse    { values: Vec<Vec<u8>>, states: Vec<KeyState> }
//! enum   KeyState        { Present { value: u32, since: Option<u64>, details: Details },
//!                          Absent { deleted_at: Option<u64>, details: Details } }
//! struct Details         { version: Option<u64>, layer: Option<String> }
//! struct HistoryResponse { headers: Vec<Vec<u8>>, history: KeyHistory, average: Option<Average> }
//! struct DiffResponse    { headers: Vec<Vec<u8>>, changes: Vec<Change> }
//! struct BlockResponse   { digest: [u8; 33] }
//! struct CountResponse   { count: u64 }
//! ```
//! `value` is a position in `values`: a value that several keys share crosses once. `headers` are
//! `HeaderResponse`s of `chain::message`; `KeyHistory` is that of `answers`, `Average` and `Change`
//! are those of `smt::message`. The response to a `PageRequest` is a `RangePage<RangeEntry>` of `answers`.

#[cfg(feature = "histories")]
use prooflight_core::Hash;
use prooflight_core::chain::{AcceptedHeaders, ChainConfig, Header};
#[cfg(feature = "avl")]
use prooflight_core::chain::{ChainLimits, StateOperation};
use prooflight_core::{Error, Limits, Reason, Result, Scheme};
use prooflight_light::{KeyState, StatementAnswer};

#[cfg(feature = "lvmt")]
use crate::lvmt::setup::PinnedSetup;
use crate::values::DistinctValues;
use crate::wire::{RequestReader, RequestValue, requests, unknown};

/// A question, and the headers to verify its answer against.
pub(crate) enum StateRequest<'a> {
    Keys(KeysRequest<'a>),
    #[cfg(feature = "histories")]
    History(HistoryRequest<'a>),
    #[cfg(feature = "smt")]
    Diff(DiffRequest<'a>),
    #[cfg(feature = "avl")]
    Block(BlockRequest<'a>),
    #[cfg(feature = "ranges")]
    Range(PageRequest<'a>),
    #[cfg(feature = "ranges")]
    Count(CountRequest<'a>),
}

requests! {
    /// Keys after a block.
    struct KeysRequest<'a> {
        scheme: Scheme,
        config: ChainConfig,
        #[cfg_attr(not(feature = "lvmt"), allow(dead_code, reason = "only read with lvmt"))]
        allow_insecure: bool,
        #[cfg_attr(not(feature = "lvmt"), allow(dead_code, reason = "only read with lvmt"))]
        setup_key: Option<&'a [u8]>,
        header: &'a [u8],
        at: Option<u64>,
        keys: Vec<&'a [u8]>,
    }

    /// An accepted head, and older headers with the proof that they are in its history.
    #[cfg(feature = "histories")]
    struct HistoryHeaders<'a> {
        config: ChainConfig,
        head: &'a [u8],
        headers: Vec<&'a [u8]>,
        hashes: Vec<Hash>,
    }

    /// Every change of a key.
    #[cfg(feature = "histories")]
    struct HistoryRequest<'a> {
        scheme: Scheme,
        history: HistoryHeaders<'a>,
        key: &'a [u8],
        from: u64,
        to: Option<u64>,
        #[cfg_attr(not(feature = "smt"), allow(dead_code, reason = "only read with smt"))]
        average: bool,
    }

    /// Every key that changed.
    #[cfg(feature = "smt")]
    struct DiffRequest<'a> { history: HistoryHeaders<'a>, from: Option<u64>, to: Option<u64>, }

    /// A block, and the known state before it.
    #[cfg(feature = "avl")]
    struct BlockRequest<'a> {
        limits: ChainLimits,
        parent: Option<&'a [u8]>,
        digest: Option<&'a [u8]>,
        header: &'a [u8],
        operations: Vec<StateOperation>,
    }

    /// The keys in a range, or the first page of them.
    #[cfg(feature = "ranges")]
    struct PageRequest<'a> {
        scheme: Scheme,
        config: ChainConfig,
        header: &'a [u8],
        at: Option<u64>,
        lo: &'a [u8],
        hi: Option<&'a [u8]>,
        reverse: bool,
    }

    /// The number of keys in a range.
    #[cfg(feature = "ranges")]
    struct CountRequest<'a> {
        scheme: Scheme,
        config: ChainConfig,
        header: &'a [u8],
        lo: &'a [u8],
        hi: Option<&'a [u8]>,
    }
}

impl<'a> RequestValue<'a> for StateRequest<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        match r.read()? {
            0 => r.read().map(Self::Keys),
            #[cfg(feature = "histories")]
            1 => r.read().map(Self::History),
            #[cfg(feature = "smt")]
            2 => r.read().map(Self::Diff),
            #[cfg(feature = "avl")]
            3 => r.read().map(Self::Block),
            #[cfg(feature = "ranges")]
            4 => r.read().map(Self::Range),
            #[cfg(feature = "ranges")]
            5 => r.read().map(Self::Count),
            other => Err(unknown("a statement of this binary", other)),
        }
    }
}

impl StateRequest<'_> {
    /// The scheme that a refusal is about.
    pub(crate) const fn scheme(&self) -> Scheme {
        match self {
            Self::Keys(request) => request.scheme,
            #[cfg(feature = "histories")]
            Self::History(request) => request.scheme,
            #[cfg(feature = "smt")]
            Self::Diff(_) => Scheme::Smt,
            #[cfg(feature = "avl")]
            Self::Block(_) => Scheme::Avl,
            #[cfg(feature = "ranges")]
            Self::Range(request) => request.scheme,
            #[cfg(feature = "ranges")]
            Self::Count(request) => request.scheme,
        }
    }
}

impl RequestValue<'_> for Scheme {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        r.read().and_then(Self::from_id)
    }
}

#[cfg(feature = "lvmt")]
impl<'a> KeysRequest<'a> {
    /// The setup of the chain's `lvmt`, if the question is about it.
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

#[cfg(feature = "histories")]
impl HistoryHeaders<'_> {
    /// The head, and the older headers in its history.
    pub(crate) fn headers(&self) -> Result<AcceptedHeaders> {
        let older = self.headers.iter().map(|bytes| header(bytes)).collect::<Result<_>>()?;
        AcceptedHeaders::with_ancestors(header(self.head)?, older, &self.hashes)
    }
}

#[cfg(feature = "avl")]
impl RequestValue<'_> for StateOperation {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        let (variant, key) = r.read::<(u8, &[u8])>()?;
        let key = key.to_vec();
        match variant {
            0 => Ok(Self::Set { key, value: r.read::<&[u8]>()?.to_vec() }),
            1 => Ok(Self::Delete { key }),
            other => Err(unknown("an operation of 0 or 1", other)),
        }
    }
}

/// Decodes an accepted header.
pub(crate) fn header(bytes: &[u8]) -> Result<Header> {
    Header::decode(bytes, &Limits::DEFAULT)
}

/// The only header of a question.
pub(crate) fn one_header(bytes: &[u8]) -> Result<AcceptedHeaders> {
    header(bytes).map(AcceptedHeaders::one)
}

/// The error for an answer to another statement than requested.
#[cold]
pub(crate) fn wrong_answer() -> Error {
    Error::new(Reason::Bug, "an answer to the statement", "another")
}

/// Encodes a `KeysResponse`.
pub(crate) fn keys(answer: &StatementAnswer<'_>) -> Result<Vec<u8>> {
    let StatementAnswer::Keys(states) = answer else { return Err(wrong_answer()) };
    let values = DistinctValues::of(states.iter().filter_map(KeyState::value));
    let mut response = values.response(4 + 24 * states.len());
    response.write(&states.len());
    for state in states {
        let (block, version, layer) = match state {
            KeyState::Present { value, since, version, layer } => {
                response.byte(0);
                response.write(&values.number(value.as_ref()));
                (since, version, layer)
            }
            KeyState::Absent { deleted_at, version, layer } => {
                response.byte(1);
                (deleted_at, version, layer)
            }
        };
        response.write(block);
        response.write(version);
        response.write(&layer.map(str::as_bytes));
    }
    Ok(response.into_bytes())
}

/// Encodes a `HistoryResponse`; `average` is encoded already.
#[cfg(feature = "histories")]
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
