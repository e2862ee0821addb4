//! What a proof shows of keys in the state after an accepted block, by scheme: step 3 of a `StateAnswer`.

use prooflight_avl::Digest;
use prooflight_avl::state::{StateKeys, verify_state};
use prooflight_core::chain::{ChainConfig, ChainLimits, Header};
use prooflight_core::{Error, Limits, Reason, Result, Scheme};

use crate::lvmt::setup;

/// Keys asked of the state after a block, and what a server says.
pub(crate) struct Question<'a> {
    pub(crate) config: &'a ChainConfig,
    /// The block's, which is accepted.
    pub(crate) header: &'a Header,
    /// The raw keys.
    pub(crate) keys: &'a [&'a [u8]],
    pub(crate) proof: &'a [u8],
    pub(crate) allow_insecure_setup: bool,
}

type Values = Vec<Option<Vec<u8>>>;

/// Verifies the values by a scheme, as its name says.
pub(crate) type Verifier = fn(&Question<'_>) -> Result<Values>;

/// The verifier of the scheme of this name; `unknown_statement` if there is none.
pub(crate) fn verifier(scheme: &str) -> Result<Verifier> {
    let known: [(Scheme, Verifier); 3] =
        [(Scheme::Avl, avl), (Scheme::Lvmt, lvmt), (Scheme::Smt, smt)];
    let found = known.into_iter().find(|(known, _)| known.as_str() == scheme);
    found
        .map(|(_, verifier)| verifier)
        .ok_or_else(|| Error::new(Reason::UnknownStatement, "avl, lvmt or smt", scheme))
}

fn avl(question: &Question<'_>) -> Result<Values> {
    let digest = Digest::try_from(root(question, Scheme::Avl)?)?;
    let limits = &question.config.limits;
    let keys = StateKeys::new(question.keys, limits)?;
    let values = verify_state(&digest, &keys, question.proof, limits)?;
    Ok(values.iter().map(|value| value.map(|value| value.as_ref().to_vec())).collect())
}

fn lvmt(question: &Question<'_>) -> Result<Values> {
    let root = root(question, Scheme::Lvmt)?.first_chunk();
    let (Some(root), Some(config)) = (root, question.config.lvmt()) else {
        return Err(Error::new(Reason::WrongSchemes, "a chain with lvmt", "another"));
    };
    check_keys(question)?;
    let params = prooflight_lvmt::Params {
        key: &setup(&config.params_id, config.log_n)?,
        log_arity: config.log_arity,
        allow_insecure_setup: question.allow_insecure_setup,
        limits: limits(&question.config.limits),
    };
    let root = prooflight_lvmt::Root::new(root, question.header.height);
    let answers = prooflight_lvmt::verify(&root, question.keys, question.proof, &params)?;
    Ok(answers.iter().map(|answer| answer.value().map(|value| value.to_vec())).collect())
}

fn smt(question: &Question<'_>) -> Result<Values> {
    let Some(root) = root(question, Scheme::Smt)?.first_chunk() else {
        return Err(Error::new(Reason::WrongSchemes, "a chain with smt", "another"));
    };
    check_keys(question)?;
    let Question { header, keys, proof, config, .. } = question;
    let limits = limits(&config.limits);
    let answers = prooflight_smt::verify(root, header.height, keys, proof, &limits)?;
    Ok(answers.iter().map(|answer| answer.value().map(<[u8]>::to_vec)).collect())
}

fn root<'a>(question: &Question<'a>, scheme: Scheme) -> Result<&'a [u8]> {
    let root = question.header.root(scheme);
    root.ok_or_else(|| {
        Error::new(Reason::WrongSchemes, format_args!("a root of {}", scheme.as_str()), "none")
    })
}

fn check_keys(question: &Question<'_>) -> Result<()> {
    let max = usize::from(question.config.limits.max_key);
    match question.keys.iter().find(|key| key.len() > max) {
        None => Ok(()),
        Some(key) => Err(Error::new(
            Reason::KeyLength,
            format_args!("at most {max} bytes"),
            format_args!("{} bytes", key.len()),
        )),
    }
}

fn limits(chain: &ChainLimits) -> Limits {
    let max_value_bytes = usize::try_from(chain.max_value).unwrap_or(usize::MAX);
    Limits { max_value_bytes, ..Limits::DEFAULT }
}
