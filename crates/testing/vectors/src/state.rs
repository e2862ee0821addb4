//! `StateAnswer`, `BlockTransition` and `StateBlock`: statements about a chain's state, verified against a header.

use prooflight_avl::Digest;
use prooflight_core::chain::{AcceptedHeaders, ChainLimits, Header, StateOperation};
use prooflight_core::{Ability, Error, Limits, Reason, Result, Scheme};
pub use prooflight_json::OperationJson;
use prooflight_json::checkpoint::{CheckpointJson, LimitsJson};
use prooflight_json::strict::{not_null, object, objects};
use prooflight_json::{Hash32, HexBytes, Quantity};
use prooflight_light::{
    self as light, KeyState, PreviousState, Statement, Trust, TrustedSetup, setup_key, verify,
    verify_block,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::VerifierAnswer;
use crate::chain::{self, HeaderSync, ancestor};

/// The input of a `StateAnswer` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateAnswer {
    /// The name of the scheme that proves the answer.
    pub scheme: String,
    /// The checkpoint that the application trusts.
    #[serde(deserialize_with = "object")]
    pub checkpoint: CheckpointJson,
    /// A signed header, encoded.
    pub head: HexBytes,
    /// The path of the checkpoint's header hash in the head's history.
    pub inclusion: Vec<Hash32>,
    /// The caller's time, in milliseconds since 1970.
    pub now: Quantity,
    /// How far ahead of `now` the head may be, in milliseconds, if not the default.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub max_clock_skew: Option<Quantity>,
    /// The largest age of the head, in milliseconds, if limited.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub max_head_age: Option<Quantity>,
    /// The header of the block that the answer is about, encoded, if it is not the head's.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub header: Option<HexBytes>,
    /// Its path in the head's history.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<Hash32>>,
    /// The requested raw keys.
    pub keys: Vec<HexBytes>,
    /// The proof.
    pub proof: HexBytes,
    /// Whether an `lvmt` setup with a public secret is allowed.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub allow_insecure_setup: bool,
    /// The verifying key, of a setup of `lvmt` that is not built in.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub verifying_key: Option<HexBytes>,
}

/// The input of a `StateBlock` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateBlock {
    /// The previous block's header, encoded.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub parent: Option<HexBytes>,
    /// The digest of the state before the block.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub digest: Option<HexBytes>,
    /// The block's header, encoded.
    pub header: HexBytes,
    /// The limits of its chain.
    #[serde(deserialize_with = "object")]
    pub limits: LimitsJson,
    /// The block's operations, normalised.
    #[serde(deserialize_with = "objects")]
    pub ops: Vec<OperationJson>,
    /// The proof that they lead to the header's digest.
    pub proof: HexBytes,
}

/// The input of a `BlockTransition` test: a `StateBlock` with a digest, and without a parent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "StateBlock")]
pub struct BlockTransition(StateBlock);

impl TryFrom<StateBlock> for BlockTransition {
    type Error = &'static str;

    fn try_from(block: StateBlock) -> core::result::Result<Self, &'static str> {
        match (&block.parent, &block.digest) {
            (None, Some(_)) => Ok(Self(block)),
            (Some(_), _) => Err("unknown field `parent`"),
            (None, None) => Err("missing field `digest`"),
        }
    }
}

impl StateAnswer {
    /// Verifies the head, the header and the values.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let older = header_with_path(self.header.as_ref(), self.path.as_deref())?;
        let scheme = scheme(&self.scheme)?;
        let (checkpoint, head) = self.sync().accept()?;
        let header = match older {
            Some((header, path)) => ancestor(&head, header, path)?,
            None => head.clone(),
        };
        let (height, hash) = (header.height, header.hash());
        // The newest root of amb proves the states after all blocks.
        let header = if scheme == Scheme::Amb { head } else { header };
        let config = &checkpoint.config;
        let given = self.verifying_key.as_ref().map(|key| &key.0[..]);
        let key = (scheme == Scheme::Lvmt).then(|| setup_key(config, given)).transpose()?;
        let trust = match &key {
            Some(key) => Trust::new(config)
                .with_setup(TrustedSetup { key, allow_insecure: self.allow_insecure_setup }),
            None => Trust::new(config),
        };
        let keys: Vec<_> = self.keys.iter().map(|key| &key.0[..]).collect();
        let statement = Statement::Keys { height, keys: &keys };
        let answer =
            verify(&trust, scheme, &AcceptedHeaders::one(header), &statement, &self.proof.0)?;
        let light::StatementAnswer::Keys(states) = answer.get() else {
            return Err(Error::new(Reason::Bug, "an answer about keys", "another"));
        };
        let values = states.iter().map(|state| state.value().map_or(Value::Null, hex));
        let mut answer = chain::answer(height, hash);
        answer.insert("values".to_owned(), values.collect());
        // In avl, an absent key may have been written before, so the answer must not claim otherwise.
        if scheme != Scheme::Avl {
            answer.insert("states".to_owned(), states.iter().map(state).collect());
        }
        Ok(answer)
    }

    fn sync(&self) -> HeaderSync {
        HeaderSync {
            checkpoint: self.checkpoint.clone(),
            head: self.head.clone(),
            inclusion: self.inclusion.clone(),
            now: self.now,
            max_clock_skew: self.max_clock_skew,
            max_head_age: self.max_head_age,
        }
    }
}

/// The state of a key, in JSON.
fn state(state: &KeyState<'_>) -> Value {
    let (value, (block, changed), version, layer) = match state {
        KeyState::Present { value, since, version, layer } => {
            (Some(hex(value.as_ref())), ("since", since), version, layer)
        }
        KeyState::Absent { deleted_at, version, layer } => {
            (None, ("deletedAt", deleted_at), version, layer)
        }
    };
    let mut members = VerifierAnswer::new();
    members.extend(value.map(|value| ("value".to_owned(), value)));
    for (name, number) in [(block, changed), ("version", version)] {
        members.extend(number.map(|number| (name.to_owned(), json!(Quantity(number)))));
    }
    members.extend(layer.map(|layer| ("layer".to_owned(), json!(layer))));
    Value::Object(members)
}

/// The scheme of this name; `unknown_statement` if there is no verifier for its answers.
pub(crate) fn scheme(name: &str) -> Result<Scheme> {
    let proves_keys = |scheme: Scheme| scheme.proves(Ability::Keys);
    Scheme::named(name)
        .filter(|&scheme| proves_keys(scheme))
        .ok_or_else(|| Error::new(Reason::UnknownStatement, Scheme::names(proves_keys), name))
}

impl BlockTransition {
    /// Verifies the block's operations.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        self.0.verify()
    }
}

impl StateBlock {
    /// Verifies the block's operations.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let decode = |header: &HexBytes| Header::decode(&header.0, &Limits::DEFAULT);
        let parent = self.parent.as_ref().map(decode).transpose()?;
        let digest = self.digest.as_ref().map(|digest| Digest::try_from(&digest.0[..]));
        let before = PreviousState { parent: parent.as_ref(), digest: digest.transpose()? };
        let header = decode(&self.header)?;
        let operations: Vec<_> = self.ops.iter().cloned().map(StateOperation::from).collect();
        let limits = ChainLimits::from(self.limits);
        let after = verify_block(&before, &header, &operations, &self.proof.0, &limits)?;
        Ok(VerifierAnswer::from_iter([("digest".to_owned(), hex(&after.0))]))
    }
}

/// A header with its path in the head's history; refused if only one of them is given.
pub(crate) fn header_with_path<'a>(
    header: Option<&'a HexBytes>,
    path: Option<&'a [Hash32]>,
) -> Result<Option<(&'a HexBytes, &'a [Hash32])>> {
    match (header, path) {
        (None, None) => Ok(None),
        (Some(header), Some(path)) => Ok(Some((header, path))),
        (Some(_), None) => Err(not_both("a header without a path")),
        (None, Some(_)) => Err(not_both("a path without a header")),
    }
}

fn not_both(found: &str) -> Error {
    Error::new(Reason::InvalidArgument, "a header with its path, or neither", found)
}

fn hex(bytes: &[u8]) -> Value {
    Value::String(HexBytes(bytes.to_vec()).to_string())
}
