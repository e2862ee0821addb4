//! `chain/key_range.json`: all keys between two bounds, page by page, and their number, by the `amb` root of a header.

mod counts;
mod limits;
mod pages;

use prooflight_core::Scheme;
use prooflight_core::chain::{ChainConfig, ChainLimits, SchemeConfig};
use prooflight_json::{Hash32, HexBytes, Quantity};
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;
use serde_json::{Value, json, to_value};

use super::avl_chain::{delete, ops_root, set};
use super::header_chain::{HeaderChain, accepted, config, sync};
use crate::answer::VerifierAnswer;
use crate::generate::amb::{answer, small};
use crate::generate::builder::{FileBuilder, expected};
use crate::state::OperationJson;

/// Adds the tests made by code.
pub(in super::super) fn make(file: &mut FileBuilder) {
    let kept = AmbChain::new(small());
    pages::make(file, &kept);
    counts::make(file, &kept);
    limits::make(file);
}

/// A chain that keeps `amb`, with the versions of all keys up to its head.
struct AmbChain {
    chain: HeaderChain,
    state: AmbModel,
}

impl AmbChain {
    fn new(state: AmbModel) -> Self {
        Self::with(of_amb(ChainLimits::default()), state)
    }

    fn with(config: ChainConfig, state: AmbModel) -> Self {
        let length = usize::try_from(state.height).expect("a short chain") + 1;
        let chain = HeaderChain::with(config, length, |header| {
            header.ops_root = ops_root(&operations(&state, header.height));
            header.roots = vec![(Scheme::Amb.id(), state.as_of(header.height).root().to_vec())];
        });
        Self { chain, state }
    }

    fn head(&self) -> usize {
        self.chain.headers.len() - 1
    }

    /// The state after a block.
    fn after(&self, block: usize) -> AmbModel {
        self.state.as_of(block as u64)
    }

    /// The honest input, by the root of a header: the head's, or an older one with its path.
    fn honest(&self, query: &Query, by: usize) -> Value {
        self.proven(query, by, &prove(&self.after(by), query, None).encode())
    }

    /// The input with this proof.
    fn proven(&self, query: &Query, by: usize, proof: &[u8]) -> Value {
        let (chain, head) = (&self.chain, self.head());
        let synced = sync(&chain.checkpoint(0), &chain.signed(head), &chain.path(0, head));
        let mut input = to_value(synced).expect("plain data");
        input["scheme"] = json!(Scheme::Amb.as_str());
        if by != head {
            input["header"] = json!(HexBytes(chain.headers[by].encode()));
            let path: Vec<_> = chain.path(by, head).into_iter().map(Hash32).collect();
            input["path"] = json!(path);
        }
        let (Query::Range { lo, hi, .. } | Query::Count { lo, hi }) = query else {
            panic!("a question about keys between two bounds")
        };
        if let Query::Range { at, .. } = query {
            input["at"] = json!(Quantity(*at));
        }
        input["lo"] = json!(HexBytes(lo.clone()));
        input["hi"] = json!(hi.clone().map(HexBytes));
        if let Query::Range { reverse, .. } = query {
            input["reverse"] = json!(reverse);
        }
        input["proof"] = json!(HexBytes(proof.to_vec()));
        input
    }

    /// Adds an honest answer, by the root of a header; of a range, its page up to the cut.
    fn valid(
        &self,
        file: &mut FileBuilder,
        flag: &str,
        comment: &str,
        (query, by): (&Query, usize),
        cut: Option<&[u8]>,
    ) {
        let state = self.after(by);
        let input = self.proven(query, by, &prove(&state, query, cut).encode());
        group(file, &input);
        file.valid(&[flag], comment, &input, self.expected(query, by, cut));
    }

    /// The expected answer, from the dictionary alone.
    fn expected(&self, query: &Query, by: usize, cut: Option<&[u8]>) -> VerifierAnswer {
        let mut found = accepted(&self.chain.headers[by]);
        found.extend(expected(answer(&self.after(by), query, cut)));
        found
    }
}

/// Continues the group of an input.
fn group(file: &mut FileBuilder, input: &Value) {
    file.group(if input["at"].is_null() { "StateCount" } else { "StateRange" });
}

/// The configuration of a chain that keeps only `amb`.
fn of_amb(limits: ChainLimits) -> ChainConfig {
    ChainConfig { limits, schemes: vec![SchemeConfig::without_params(Scheme::Amb)], ..config(1, 1) }
}

/// The operations of a block.
fn operations(state: &AmbModel, block: u64) -> Vec<OperationJson> {
    let written = state.entries.iter().filter_map(|(key, versions)| {
        let (_, value) = versions.iter().find(|(at, _)| *at == block)?;
        Some(value.as_ref().map_or_else(|| delete(key.clone()), |it| set(key.clone(), it.clone())))
    });
    written.collect()
}
