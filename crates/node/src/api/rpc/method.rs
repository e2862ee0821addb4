//! Registers methods with their parameters, time limit and errors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::{ErrorObjectOwned, Params};
use jsonrpsee::{Extensions, Methods, RpcModule};
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_json::unique;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::api::clients::ClientAccount;
use crate::api::server::RequestSource;
use crate::chain::wire::to_object;
use crate::runtime::blocking::{ClientId, WorkRequest};
use crate::runtime::metrics::Metrics;

/// The part of a method's context that every call needs.
pub trait RpcContext: Send + Sync + 'static {
    /// Returns the limits of a call, and its counters.
    fn call_limits(&self) -> CallLimits<'_>;
}

/// The limits of a call, and its counters.
#[derive(Clone, Copy, Debug)]
pub struct CallLimits<'a> {
    /// The time limit.
    pub time: Duration,
    /// The counters.
    pub metrics: &'a Metrics,
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MethodEffect {
    /// It changes nothing but caches in memory.
    Read,
    /// It changes the chain, or the state of its authorities.
    Write,
}

/// The methods of all listeners. [`method_of`] registers no others, and no listener starts with another.
const METHOD_EFFECTS: &[(&str, MethodEffect)] = &[
    ("prooflight_chain", MethodEffect::Read),
    ("prooflight_head", MethodEffect::Read),
    ("prooflight_progress", MethodEffect::Read),
    ("prooflight_header", MethodEffect::Read),
    ("prooflight_headerProof", MethodEffect::Read),
    ("prooflight_headers", MethodEffect::Read),
    ("prooflight_block", MethodEffect::Read),
    ("prooflight_prove", MethodEffect::Read),
    ("prooflight_history", MethodEffect::Read),
    ("prooflight_diff", MethodEffect::Read),
    ("prooflight_range", MethodEffect::Read),
    ("prooflight_count", MethodEffect::Read),
    ("prooflight_transfer", MethodEffect::Read),
    ("prooflight_sync", MethodEffect::Read),
    ("prooflight_submit", MethodEffect::Write),
    ("prooflight_newHeads", MethodEffect::Read),
    ("prooflight_unsubscribe", MethodEffect::Read),
    ("rpc.discover", MethodEffect::Read),
    // On a chain with accounts.
    ("eth_chainId", MethodEffect::Read),
    ("net_version", MethodEffect::Read),
    ("eth_blockNumber", MethodEffect::Read),
    ("eth_getBlockByNumber", MethodEffect::Read),
    ("eth_getBlockByHash", MethodEffect::Read),
    ("eth_getProof", MethodEffect::Read),
    ("eth_getBalance", MethodEffect::Read),
    ("eth_getTransactionCount", MethodEffect::Read),
    ("eth_getCode", MethodEffect::Read),
    ("eth_getStorageAt", MethodEffect::Read),
    // For authorities. An authority that polls counts as present.
    ("prooflight_awaited", MethodEffect::Write),
    ("prooflight_proposal", MethodEffect::Read),
    ("prooflight_sign", MethodEffect::Write),
    ("prooflight_refuse", MethodEffect::Write),
];

fn effect(name: &str) -> Option<MethodEffect> {
    METHOD_EFFECTS.iter().find(|(known, _)| *known == name).map(|(_, effect)| *effect)
}

/// `bug` if the effect of a method is not known.
pub(crate) fn check_effects(methods: &Methods) -> Result<()> {
    match methods.method_names().find(|name| effect(name).is_none()) {
        None => Ok(()),
        Some(name) => Err(Error::new(Reason::Bug, "methods whose effect is known", name)),
    }
}

/// One call: its context, its client, and whether it may submit.
pub(crate) struct RpcCall<C> {
    pub(crate) context: Arc<C>,
    pub(crate) may_submit: bool,
    client: ClientId,
}

impl<C> RpcCall<C> {
    /// The client of the call.
    pub(crate) const fn client(&self) -> ClientId {
        self.client
    }

    /// The request for work on a scheme, for the queue of proofs.
    pub(crate) const fn ask(&self, scheme: Option<Scheme>, cost: u64) -> WorkRequest {
        WorkRequest { scheme, cost, client: self.client }
    }
}

/// Registers a method whose parameters are an object, or an array with one; no parameters count as
/// an empty object.
pub(crate) fn method<C, P, R, F, Fut>(
    module: &mut RpcModule<C>,
    name: &'static str,
    run: F,
) -> Result<(), RegisterMethodError>
where
    C: RpcContext,
    P: DeserializeOwned + Send + 'static,
    R: Serialize + Clone + Send + 'static,
    F: Fn(RpcCall<C>, P) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<R>> + Send + 'static,
{
    method_of(module, name, parse, run)
}

/// Registers a method with its own parser for parameters.
pub(crate) fn method_of<C, P, R, F, Fut>(
    module: &mut RpcModule<C>,
    name: &'static str,
    parse: fn(&Params<'_>) -> Result<P>,
    run: F,
) -> Result<(), RegisterMethodError>
where
    C: RpcContext,
    P: Send + 'static,
    R: Serialize + Clone + Send + 'static,
    F: Fn(RpcCall<C>, P) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<R>> + Send + 'static,
{
    let effect =
        effect(name).ok_or_else(|| RegisterMethodError::MethodNotFound(name.to_owned()))?;
    module.register_async_method(name, move |params, context, extensions: Extensions| {
        let run = run.clone();
        async move {
            let started = Instant::now();
            // Every connection has a client.
            let client = extensions.get().copied().unwrap_or(ClientId::Local(0));
            let result = async {
                let account = account(&extensions)?;
                match effect {
                    MethodEffect::Read => account.check_read()?,
                    MethodEffect::Write => source(&extensions)?.check_write(account.has_token())?,
                }
                // Held until the call is answered.
                let _entered = account.enter()?;
                let may_submit = account.may_submit();
                let call = RpcCall { context: context.clone(), may_submit, client };
                with_timeout(context.call_limits().time, run(call, parse(&params)?)).await
            };
            let result = result.await;
            context.call_limits().metrics.called(name, started.elapsed(), result.as_ref().err());
            result.map_err(|error| error_object(name, &error))
        }
    })?;
    Ok(())
}

/// The account of a request's client.
pub(crate) fn account(extensions: &Extensions) -> Result<&Arc<ClientAccount>> {
    let account = extensions.get();
    account.ok_or_else(|| Error::new(Reason::Bug, "a request of a client", "one of none"))
}

/// The source of a request.
fn source(extensions: &Extensions) -> Result<&RequestSource> {
    let source = extensions.get();
    source.ok_or_else(|| Error::new(Reason::Bug, "a request whose source is known", "another"))
}

async fn with_timeout<R>(limit: Duration, run: impl Future<Output = Result<R>>) -> Result<R> {
    tokio::time::timeout(limit, run).await.unwrap_or_else(|_| {
        Err(Error::new(
            Reason::RequestTimeout,
            format_args!("an answer within {limit:?}"),
            "none yet",
        ))
    })
}

fn parse<P: DeserializeOwned>(params: &Params<'_>) -> Result<P> {
    let wrong = |error: &dyn core::fmt::Display| {
        Error::new(Reason::InvalidArgument, "the parameters of the method", error)
    };
    let text = params.as_str().unwrap_or("{}");
    let value = unique::from_str(text).map_err(|error| wrong(&error))?;
    parse_value(value)
}

/// Parses parameters, like [`method`].
pub(crate) fn parse_value<P: DeserializeOwned>(value: Value) -> Result<P> {
    let wrong = |error: &dyn core::fmt::Display| {
        Error::new(Reason::InvalidArgument, "the parameters of the method", error)
    };
    let value = match value {
        Value::Array(mut items) if items.len() <= 1 => items.pop().unwrap_or_else(|| json!({})),
        Value::Array(items) => return Err(wrong(&format_args!("{} of them", items.len()))),
        other => other,
    };
    serde_json::from_value(value).map_err(|error| wrong(&error))
}

fn error_object(name: &'static str, error: &Error) -> ErrorObjectOwned {
    let (code, reason) = (error.code(), error.reason());
    if matches!(reason, Reason::StoreCorrupt | Reason::StoreFailed | Reason::Bug) {
        tracing::error!(method = name, %code, %reason, %error, "refused");
    } else {
        tracing::debug!(method = name, %code, %reason, "refused");
    }
    to_object(error)
}
