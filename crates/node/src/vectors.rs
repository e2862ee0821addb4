//! `StateRoots` vectors: which roots sequences of operations lead to.

use prooflight_amt::VerifyingKey;
use prooflight_core::chain::{ChainConfig, ChainLimits, LvmtConfig, SchemeConfig, StateOperation};
use prooflight_core::store::{Store as _, WriteBatch};
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_vectors::carrier::Hex;
use prooflight_vectors::state::StateOp;
use prooflight_vectors::{Answer, Report};
use serde::Deserialize;
use serde_json::Value;

use crate::block;
use crate::normalise::normalise;
use crate::schemes::{self, NormalBlock, Place, SchemeOptions};
use crate::store::EmbeddedStore;

/// Runs every test of a vector file, those of the group type `StateRoots` too.
///
/// `invalid_argument` if it is not a vector file.
pub fn run_vectors(json: &str) -> Result<Report> {
    prooflight_vectors::run_with(json, |group_type, input| {
        (group_type == "StateRoots").then(|| state_roots(input))
    })
}

/// The input of a `StateRoots` test. `test-vectors/spec/vectors.md`, section 5.
#[derive(Debug, Deserialize)]
struct StateRoots {
    scheme: String,
    params: SchemeParams,
    blocks: Vec<Vec<StateOp>>,
}

/// The parameters of a scheme; only `lvmt` has any.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum SchemeParams {
    Lvmt {
        #[serde(rename = "logN")]
        log_n: u8,
        setup: String,
    },
    None {},
}

fn state_roots(input: &Value) -> Result<Answer> {
    let wrong = |expected: &str, found: &dyn core::fmt::Display| {
        Error::new(Reason::InvalidArgument, expected, found)
    };
    let input = StateRoots::deserialize(input)
        .map_err(|error| wrong("an input of the group's type", &error))?;
    let scheme = schemes::named(&input.scheme);
    let scheme = scheme.ok_or_else(|| wrong("the name of a scheme", &input.scheme))?;
    let config = config(scheme, &input.params)?;
    let folder = tempfile::tempdir()
        .map_err(|error| Error::new(Reason::StoreFailed, "a folder for the state", error))?;
    let mut store = EmbeddedStore::open(folder.path())?;
    let place = Place { folder: folder.path(), options: &SchemeOptions::default() };
    let mut kept = schemes::open(scheme, &store, &config, place)?;
    let mut roots = Vec::new();
    for block in input.blocks {
        let operations = block.into_iter().map(StateOperation::from);
        let normal = normalise(operations, &config, &block::state(store.clone()))?;
        let normal = NormalBlock::new(normal);
        let mut prepared = kept.prepare(&normal)?;
        roots.push(Value::from(Hex(prepared.root.clone()).to_string()));
        let mut batch = WriteBatch::new();
        let writes = core::mem::take(&mut prepared.writes);
        schemes::namespace((), scheme).move_into(&mut batch, writes);
        block::put_state(&mut batch, normal.operations());
        store.write(batch)?;
        kept.commit(prepared)?;
    }
    Ok(Answer::from_iter([("roots".to_owned(), Value::from(roots))]))
}

/// A chain with the default limits; of the rest, only the parameters of a scheme matter for roots.
fn config(scheme: Scheme, params: &SchemeParams) -> Result<ChainConfig> {
    let scheme = match params {
        SchemeParams::Lvmt { log_n, setup } if setup == "dev" => {
            let params_id = VerifyingKey::dev(*log_n)?.params_id();
            // Any arity has the same roots; this one divides every size.
            SchemeConfig::lvmt(&LvmtConfig { params_id, log_n: *log_n, log_arity: 1 })
        }
        SchemeParams::Lvmt { setup, .. } => {
            return Err(Error::new(Reason::UnknownSetup, "dev", setup));
        }
        SchemeParams::None {} => SchemeConfig::plain(scheme),
    };
    Ok(ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: String::new(),
        schemes: vec![scheme],
        authorities: Vec::new(),
        quorum: 0,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: 0,
    })
}
