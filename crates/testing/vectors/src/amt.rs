//! `AmtOpening`: openings of vector commitments.

use prooflight_amt::{Opening, OpeningKind, Scalar, VerifyingKey, verify_openings};
use prooflight_core::{Error, Reason, Result};
use prooflight_json::strict::{name, not_null, objects, some_number};
use prooflight_json::{Hash32, HexBytes, Quantity};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::VerifierAnswer;

/// The input of an `AmtOpening` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AmtOpening {
    /// `dev`, `ppot`, or the bytes of a verifying key.
    pub setup: String,
    /// The logarithm of the number of entries, required with a name.
    #[serde(default, deserialize_with = "some_number", skip_serializing_if = "Option::is_none")]
    pub log_n: Option<usize>,
    /// The expected id of the setup.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub params_id: Option<Hash32>,
    /// Whether the development setup is allowed.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub allow_insecure_setup: Option<bool>,
    /// The openings.
    #[serde(deserialize_with = "objects")]
    pub openings: Vec<OpeningInput>,
}

/// One opening.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpeningInput {
    /// How the entry is opened.
    #[serde(deserialize_with = "name")]
    pub kind: KindName,
    /// The logarithm of a tree's arity.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub log_arity: Option<u8>,
    /// The commitment.
    pub commitment: Hash32,
    /// The index of the entry.
    pub index: u32,
    /// The value of the entry.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub value: Option<Hash32>,
    /// The versions that the value is packed from.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub versions: Option<[Quantity; 6]>,
    /// The points.
    pub points: Vec<Hash32>,
}

/// The kinds of openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum KindName {
    /// One point per level.
    Tree,
    /// One point.
    Single,
}

impl AmtOpening {
    /// Verifies all openings together.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let forms = self.openings.iter().map(OpeningInput::form).collect::<Result<Vec<_>>>()?;
        let key = self.key()?;
        key.check_secure(self.allow_insecure_setup.unwrap_or(false))?;
        if let Some(expected) = &self.params_id {
            key.check_params_id(&expected.0)?;
        }
        let values = forms.iter().map(|(_, value)| value.scalar()).collect::<Result<Vec<_>>>()?;
        let points: Vec<Vec<_>> = self
            .openings
            .iter()
            .map(|opening| opening.points.iter().map(|point| point.0).collect())
            .collect();
        let openings = self.openings.iter().zip(&forms).zip(values).zip(&points);
        let openings: Vec<_> = openings
            .map(|(((opening, (kind, _)), value), points)| Opening {
                commitment: opening.commitment.0,
                index: opening.index,
                value,
                kind: *kind,
                points,
            })
            .collect();
        verify_openings(&openings, &key)?;
        let id = Hash32(key.params_id());
        Ok(VerifierAnswer::from_iter([("paramsId".to_owned(), json!(id))]))
    }

    fn key(&self) -> Result<VerifyingKey> {
        let log_n = self.log_n.map(|log_n| u8::try_from(log_n).unwrap_or(u8::MAX));
        match (&self.setup[..], log_n) {
            ("dev", Some(log_n)) => VerifyingKey::dev(log_n),
            ("ppot", Some(log_n)) => VerifyingKey::ppot(log_n),
            (bytes, None) => {
                let HexBytes(bytes) = bytes.parse().map_err(|error| input(&error))?;
                VerifyingKey::decode(&bytes)
            }
            _ => Err(input(&"a setup of bytes beside a logN")),
        }
    }
}

/// A value in one of the input's forms.
#[derive(Clone, Copy)]
enum ValueForm {
    Bytes([u8; 32]),
    Versions([u64; 6]),
}

impl ValueForm {
    fn scalar(&self) -> Result<Scalar> {
        match self {
            Self::Bytes(bytes) => Scalar::from_bytes(bytes),
            Self::Versions(versions) => Scalar::from_versions(versions),
        }
    }
}

impl OpeningInput {
    fn form(&self) -> Result<(OpeningKind, ValueForm)> {
        let kind = match (self.kind, self.log_arity) {
            (KindName::Tree, Some(log_arity)) => OpeningKind::Tree { log_arity },
            (KindName::Single, None) => OpeningKind::Single,
            _ => return Err(input(&"a single opening with an arity, or a tree without")),
        };
        let value = match (self.value, self.versions) {
            (Some(value), None) => ValueForm::Bytes(value.0),
            (None, Some(versions)) => ValueForm::Versions(versions.map(|version| version.0)),
            _ => return Err(input(&"a value and versions, or neither")),
        };
        Ok((kind, value))
    }
}

#[cold]
fn input(found: &dyn core::fmt::Display) -> Error {
    Error::new(Reason::InvalidArgument, "an input of an AmtOpening", found)
}
