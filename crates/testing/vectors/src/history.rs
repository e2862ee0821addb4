//! `StateHistory` and `StateDiff`: statements about a range of blocks, verified against several headers.

use prooflight_core::chain::{AcceptedHeaders, Checkpoint, Header};
use prooflight_core::{Ability, Error, Limits, Reason, Result, Scheme};
use prooflight_json::strict::not_null;
use prooflight_json::{Hash32, HexBytes, Quantity};
use prooflight_light::{self as light, Statement, Trust, verify, verify_average};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, from_value};

use crate::answer::VerifierAnswer;
use crate::chain::{HeaderSync, ancestor, path};
use crate::smt::{average_of, changes_of, diff_of, or_null};
use crate::state::{header_with_path, scheme};

/// The input of a test with the members of a `HeaderSync` and its own.
#[derive(Clone, Debug, Serialize)]
pub struct SyncedInput<T> {
    /// The head, and the data for accepting it.
    #[serde(flatten)]
    pub sync: HeaderSync,
    /// The other members.
    #[serde(flatten)]
    pub asked: T,
}

/// The input of a `StateHistory` test.
pub type StateHistory = SyncedInput<HistoryMembers>;

/// The input of a `StateDiff` test.
pub type StateDiff = SyncedInput<DiffMembers>;

/// The members of a `StateHistory` in addition to those of a `HeaderSync`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryMembers {
    /// The name of the scheme that proves the history.
    pub scheme: String,
    /// The header that places the others, encoded, if it is not the head's.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub header: Option<HexBytes>,
    /// Its path in the head's history.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<Hash32>>,
    /// Older headers, encoded, ascending by height.
    pub headers: Vec<HexBytes>,
    /// The proof of their places in its history.
    pub hashes: Vec<Hash32>,
    /// The raw key.
    pub key: HexBytes,
    /// The first block of the range.
    pub from: Quantity,
    /// The last block of the range.
    pub to: Quantity,
    /// Whether the values are averaged over the time from the first block to the last one.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub average: bool,
    /// The proof.
    pub proof: HexBytes,
}

/// The members of a `StateDiff` in addition to those of a `HeaderSync`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiffMembers {
    /// The name of the scheme that proves the diff.
    pub scheme: String,
    /// The header that places the others, encoded, if it is not the head's.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub header: Option<HexBytes>,
    /// Its path in the head's history.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<Hash32>>,
    /// Older headers, encoded, ascending by height.
    pub headers: Vec<HexBytes>,
    /// The proof of their places in its history.
    pub hashes: Vec<Hash32>,
    /// The block after which changes count; `None`: all count.
    #[serde(deserialize_with = "or_null")]
    pub from: Option<Quantity>,
    /// The last block.
    pub to: Quantity,
    /// The proof.
    pub proof: HexBytes,
}

impl StateHistory {
    /// Verifies the headers and every change of the key.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let SyncedInput { sync, asked } = self;
        let placed = header_with_path(asked.header.as_ref(), asked.path.as_deref())?;
        let (key, from, to) = (&asked.key.0[..], asked.from.0, asked.to.0);
        let statement = Statement::History { key, from, to };
        let scheme = scheme_for(&asked.scheme, &statement)?;
        if asked.average && !scheme.proves(Ability::Average) {
            let provers = Scheme::names(|scheme| scheme.proves(Ability::Average));
            return Err(Error::new(Reason::UnknownStatement, provers, scheme.as_str()));
        }
        let (checkpoint, headers) = accept(sync, placed, &asked.headers, &asked.hashes)?;
        let (trust, proof) = (Trust::new(&checkpoint.config), &asked.proof.0);
        if asked.average {
            let (history, average) = verify_average(&trust, &headers, key, (from, to), proof)?;
            let mut answer = changes_of(&history);
            answer.insert("average".to_owned(), average_of(&average));
            return Ok(answer);
        }
        match verify(&trust, scheme, &headers, &statement, proof)?.get() {
            light::StatementAnswer::History(history) => Ok(changes_of(history)),
            _ => Err(wrong_answer()),
        }
    }
}

impl StateDiff {
    /// Verifies the headers and the changed keys.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let SyncedInput { sync, asked } = self;
        let placed = header_with_path(asked.header.as_ref(), asked.path.as_deref())?;
        let statement = Statement::Diff { from: asked.from.map(|from| from.0), to: asked.to.0 };
        let scheme = scheme_for(&asked.scheme, &statement)?;
        let (checkpoint, headers) = accept(sync, placed, &asked.headers, &asked.hashes)?;
        let trust = Trust::new(&checkpoint.config);
        match verify(&trust, scheme, &headers, &statement, &asked.proof.0)?.get() {
            light::StatementAnswer::Diff(changes) => Ok(diff_of(changes)),
            _ => Err(wrong_answer()),
        }
    }
}

/// The scheme of this name; `unknown_statement` if it does not prove such statements.
pub(crate) fn scheme_for(name: &str, statement: &Statement<'_>) -> Result<Scheme> {
    let scheme = scheme(name)?;
    if scheme.proves(statement.ability()) {
        return Ok(scheme);
    }
    Err(statement.unknown_to(scheme))
}

/// Verifies a head or, if one is given, a header of its history, and older headers of that header's history.
fn accept(
    sync: &HeaderSync,
    placed: Option<(&HexBytes, &[Hash32])>,
    older: &[HexBytes],
    hashes: &[Hash32],
) -> Result<(Checkpoint, AcceptedHeaders)> {
    let (checkpoint, head) = accept_header(sync, placed)?;
    let decode = |header: &HexBytes| Header::decode(&header.0, &Limits::DEFAULT);
    let older = older.iter().map(decode).collect::<Result<_>>()?;
    Ok((checkpoint, AcceptedHeaders::with_ancestors(head, older, &path(hashes))?))
}

/// Verifies a head or, if one is given, a header of its history; returns that header.
pub(crate) fn accept_header(
    sync: &HeaderSync,
    placed: Option<(&HexBytes, &[Hash32])>,
) -> Result<(Checkpoint, Header)> {
    let (checkpoint, head) = sync.accept()?;
    let header = match placed {
        Some((header, path)) => ancestor(&head, header, path)?,
        None => head,
    };
    Ok((checkpoint, header))
}

#[cold]
pub(crate) fn wrong_answer() -> Error {
    Error::new(Reason::Bug, "an answer to the statement", "another")
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for SyncedInput<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        let (sync, asked): (Map<_, _>, Map<_, _>) =
            members.into_iter().partition(|(name, _)| HeaderSync::MEMBERS.contains(&&name[..]));
        Ok(Self { sync: read(sync)?, asked: read(asked)? })
    }
}

fn read<T: DeserializeOwned, E: serde::de::Error>(members: Map<String, Value>) -> Result<T, E> {
    from_value(Value::Object(members)).map_err(E::custom)
}
