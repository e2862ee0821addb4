//! Opens the schemes of a node.

use prooflight_amb::MAX_KEY_BYTES;
use prooflight_amb::prover::AmbState;
use prooflight_avl::state::state_params;
use prooflight_avl::{AvlState, CachedAvlState};
use prooflight_core::chain::ChainConfig;
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_lmpt::LmptMerging;
use prooflight_lvmt::LvmtState;
use prooflight_mpt::MptState;
use prooflight_smt::snapshot::SmtState;

use super::store::{SchemeStore, open_as};
use super::{SchemeContext, merges, nodes, setup, snapshots};
use crate::chain::store::{EmbeddedStore, Namespace};

/// Opens the store of a scheme; `unknown_statement` if this build does not have it.
pub fn open(
    scheme: Scheme,
    store: &EmbeddedStore,
    config: &ChainConfig,
    context: SchemeContext<'_>,
) -> Result<Box<dyn SchemeStore>> {
    let own = namespace(store.clone(), scheme);
    match scheme {
        Scheme::Amb => open_as::<AmbState<_>>(own, check_keys(config)?),
        Scheme::Avl if context.options.check_all_nodes => {
            open_as::<AvlState<_>>(own, state_params(&config.limits))
        }
        Scheme::Avl => open_as::<CachedAvlState<_>>(own, nodes::avl_params(config, context)),
        Scheme::Lmpt => open_as::<LmptMerging<_>>(own, merges::params(config, context)?),
        Scheme::Lvmt => open_as::<LvmtState<_>>(own, setup::params(config, context)?),
        Scheme::Mpt => open_as::<MptState<_>>(own, ()),
        Scheme::Smt => {
            open_as::<SmtState>(snapshots::files(context)?, snapshots::params(store, context))
        }
        other => {
            let expected = Scheme::names(Scheme::exists);
            Err(Error::new(Reason::UnknownStatement, expected, other.as_str()))
        }
    }
}

/// Refuses a chain whose keys may be longer than those of `amb`.
fn check_keys(config: &ChainConfig) -> Result<()> {
    if usize::from(config.limits.max_key) <= MAX_KEY_BYTES {
        return Ok(());
    }
    let expected = format_args!("with amb, keys of at most {MAX_KEY_BYTES} bytes");
    Err(Error::new(Reason::InvalidConfig, expected, config.limits.max_key))
}

/// Makes the files that must exist before a chain begins: the tables of LVMT's setup, if it is kept.
pub(crate) fn begin(config: &ChainConfig, context: SchemeContext<'_>) -> Result<()> {
    if config.keeps(Scheme::Lvmt) && !context.options.left_out.contains(&Scheme::Lvmt) {
        setup::params(config, context)?;
    }
    Ok(())
}

/// A scheme's own part of the store.
pub fn namespace<S>(store: S, scheme: Scheme) -> Namespace<S> {
    Namespace::new(store, [b'x', scheme.id()])
}

#[cold]
pub(crate) fn unknown_scheme(scheme: Scheme) -> Error {
    Error::new(Reason::UnknownStatement, "a scheme of this chain", scheme.as_str())
}
