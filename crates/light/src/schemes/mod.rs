//! The verifiers of the schemes: each answers the statements that its scheme proves.

#[cfg(feature = "amb")]
mod amb;
#[cfg(feature = "avl")]
mod avl;
#[cfg(feature = "lmpt")]
mod lmpt;
#[cfg(feature = "lvmt")]
mod lvmt;
#[cfg(feature = "smt")]
mod smt;

use prooflight_core::chain::{AcceptedHeaders, ChainLimits, Header};
use prooflight_core::statement::Statement;
use prooflight_core::{Error, Result, Scheme};

use crate::{StatementAnswer, Trust};

/// A statement with its proof, and what the proof is verified against.
pub(crate) struct VerifierInput<'q, 'a> {
    pub(crate) trust: &'q Trust<'q>,
    pub(crate) scheme: Scheme,
    pub(crate) headers: &'q AcceptedHeaders,
    pub(crate) statement: &'q Statement<'q>,
    pub(crate) proof: &'a [u8],
}

/// A range: the first key that may be in it, and the first key after it, if it has an end.
type KeyBounds<'q> = (&'q [u8], Option<&'q [u8]>);

/// Verifies the answers of one scheme. The statements are those of [`Statement`]; one that a scheme does not prove is
/// `unknown_statement`.
trait SchemeVerifier {
    fn keys<'a>(
        input: &VerifierInput<'_, 'a>,
        _height: u64,
        _keys: &[&[u8]],
    ) -> Result<StatementAnswer<'a>> {
        Err(input.unknown())
    }

    fn history<'a>(
        input: &VerifierInput<'_, 'a>,
        _key: &[u8],
        _blocks: (u64, u64),
    ) -> Result<StatementAnswer<'a>> {
        Err(input.unknown())
    }

    fn diff<'a>(
        input: &VerifierInput<'_, 'a>,
        _from: Option<u64>,
        _to: u64,
    ) -> Result<StatementAnswer<'a>> {
        Err(input.unknown())
    }

    fn range<'a>(
        input: &VerifierInput<'_, 'a>,
        _height: u64,
        _bounds: KeyBounds<'_>,
        _reverse: bool,
    ) -> Result<StatementAnswer<'a>> {
        Err(input.unknown())
    }

    fn count<'a>(
        input: &VerifierInput<'_, 'a>,
        _height: u64,
        _bounds: KeyBounds<'_>,
    ) -> Result<StatementAnswer<'a>> {
        Err(input.unknown())
    }
}

impl<'q, 'a> VerifierInput<'q, 'a> {
    /// Verifies the answer by the scheme's verifier.
    pub(crate) fn verify(&self) -> Result<StatementAnswer<'a>> {
        match self.scheme {
            #[cfg(feature = "amb")]
            Scheme::Amb => self.verify_by::<amb::AmbVerifier>(),
            #[cfg(feature = "avl")]
            Scheme::Avl => self.verify_by::<avl::AvlVerifier>(),
            #[cfg(feature = "lmpt")]
            Scheme::Lmpt => self.verify_by::<lmpt::LmptVerifier>(),
            #[cfg(feature = "lvmt")]
            Scheme::Lvmt => self.verify_by::<lvmt::LvmtVerifier>(),
            #[cfg(feature = "smt")]
            Scheme::Smt => self.verify_by::<smt::SmtVerifier>(),
            _ => Err(self.unknown()),
        }
    }

    fn verify_by<V: SchemeVerifier>(&self) -> Result<StatementAnswer<'a>> {
        match *self.statement {
            Statement::Keys { height, keys } => V::keys(self, height, keys),
            Statement::History { key, from, to } => V::history(self, key, (from, to)),
            Statement::Diff { from, to } => V::diff(self, from, to),
            Statement::Range { height, lo, hi, reverse } => {
                V::range(self, height, (lo, hi), reverse)
            }
            Statement::Count { height, lo, hi } => V::count(self, height, (lo, hi)),
            Statement::Account { .. } => Err(self.unknown()),
        }
    }

    /// The limits of the chain; `wrong_schemes` if it does not keep the scheme.
    #[allow(dead_code, reason = "`lvmt` alone does not need it")]
    fn limits(&self) -> Result<&'q ChainLimits> {
        self.trust.config.limits_for(self.scheme)
    }

    /// The limits, and the header of a block.
    #[allow(dead_code, reason = "`lvmt` alone does not need it")]
    fn at(&self, height: u64) -> Result<(&'q ChainLimits, &'q Header)> {
        Ok((self.limits()?, self.headers.at(height)?))
    }

    fn unknown(&self) -> Error {
        self.statement.unknown_to(self.scheme)
    }
}
