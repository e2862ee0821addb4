//! `StateRange` and `StateCount`: statements about all keys between two bounds, verified against one header.

use prooflight_core::Result;
use prooflight_core::chain::AcceptedHeaders;
use prooflight_json::strict::not_null;
use prooflight_json::{Hash32, HexBytes, Quantity};
use prooflight_light::{self as light, Statement, Trust, verify};
use serde::Deserialize;
use serde_json::json;

use crate::amb::{bound, bound_or_null, entry, page};
use crate::answer::VerifierAnswer;
use crate::chain;
use crate::history::{SyncedInput, accept_header, scheme_for, wrong_answer};
use crate::state::header_with_path;

/// The input of a `StateRange` test.
pub type StateRange = SyncedInput<RangeMembers>;

/// The input of a `StateCount` test.
pub type StateCount = SyncedInput<CountMembers>;

/// The members of a `StateRange` in addition to those of a `HeaderSync`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeMembers {
    /// The name of the scheme that proves the page.
    pub scheme: String,
    /// The header whose root proves the page, encoded, if it is not the head's.
    #[serde(default, deserialize_with = "not_null")]
    pub header: Option<HexBytes>,
    /// Its path in the head's history.
    #[serde(default, deserialize_with = "not_null")]
    pub path: Option<Vec<Hash32>>,
    /// The block whose state is requested.
    pub at: Quantity,
    /// The first key that may be in the range.
    pub lo: HexBytes,
    /// The first key after the range; `None` if it has no end.
    #[serde(deserialize_with = "bound_or_null")]
    pub hi: Option<HexBytes>,
    /// Whether the keys come in descending order.
    pub reverse: bool,
    /// The proof.
    pub proof: HexBytes,
}

/// The members of a `StateCount` in addition to those of a `HeaderSync`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountMembers {
    /// The name of the scheme that proves the number.
    pub scheme: String,
    /// The header of the block whose keys are counted, encoded, if it is not the head's.
    #[serde(default, deserialize_with = "not_null")]
    pub header: Option<HexBytes>,
    /// Its path in the head's history.
    #[serde(default, deserialize_with = "not_null")]
    pub path: Option<Vec<Hash32>>,
    /// The first key that may be in the range.
    pub lo: HexBytes,
    /// The first key after the range; `None` if it has no end.
    #[serde(deserialize_with = "bound_or_null")]
    pub hi: Option<HexBytes>,
    /// The proof.
    pub proof: HexBytes,
}

impl StateRange {
    /// Verifies the headers and the page of keys.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let SyncedInput { sync, asked } = self;
        let placed = header_with_path(asked.header.as_ref(), asked.path.as_deref())?;
        let (lo, hi) = (&asked.lo.0[..], bound(asked.hi.as_ref()));
        let statement = Statement::Range { height: asked.at.0, lo, hi, reverse: asked.reverse };
        let scheme = scheme_for(&asked.scheme, &statement)?;
        let (checkpoint, header) = accept_header(sync, placed)?;
        let mut answer = chain::answer(header.height, header.hash());
        let (trust, headers) = (Trust::new(&checkpoint.config), AcceptedHeaders::one(header));
        match verify(&trust, scheme, &headers, &statement, &asked.proof.0)?.get() {
            light::StatementAnswer::Range(found) => answer.extend(page(found, entry)),
            _ => return Err(wrong_answer()),
        }
        Ok(answer)
    }
}

impl StateCount {
    /// Verifies the headers and the number of keys.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let SyncedInput { sync, asked } = self;
        let placed = header_with_path(asked.header.as_ref(), asked.path.as_deref())?;
        let (lo, hi) = (&asked.lo.0[..], bound(asked.hi.as_ref()));
        let scheme = scheme_for(&asked.scheme, &Statement::Count { height: 0, lo, hi })?;
        let (checkpoint, header) = accept_header(sync, placed)?;
        let mut answer = chain::answer(header.height, header.hash());
        let statement = Statement::Count { height: header.height, lo, hi };
        let (trust, headers) = (Trust::new(&checkpoint.config), AcceptedHeaders::one(header));
        match verify(&trust, scheme, &headers, &statement, &asked.proof.0)?.get() {
            light::StatementAnswer::Count(count) => {
                answer.insert("count".to_owned(), json!(Quantity(*count)))
            }
            _ => return Err(wrong_answer()),
        };
        Ok(answer)
    }
}
