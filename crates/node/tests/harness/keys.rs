//! Values of keys, as every scheme but `mpt` proves them.
#![allow(clippy::panic, reason = "tests fail by panicking")]

use prooflight_core::Scheme;
use prooflight_core::chain::{AcceptedHeaders, ChainConfig};
use prooflight_light::{Statement, StatementAnswer, Trust, TrustedSetup, setup_key, verify};
use serde_json::{Value, json};

use super::light::header;
use super::{Node, bytes, hex};

/// The values that a scheme proves of keys after a block, as a light client verifies them, or the node's refusal.
pub(crate) fn values(
    node: &Node,
    config: &ChainConfig,
    scheme: Scheme,
    keys: &[&[u8]],
    at: u64,
) -> Result<Vec<Option<Vec<u8>>>, Value> {
    let asked: Vec<_> = keys.iter().map(|key| hex(key)).collect();
    let question = json!({ "scheme": scheme.as_str(), "keys": asked, "at": format!("{at:#x}") });
    let reply = node.call("prooflight_prove", &question)?;
    let signed = header(&reply["header"]);
    signed.check_signed(config).unwrap();
    let setup = config.keeps(Scheme::Lvmt).then(|| setup_key(config, None).unwrap());
    let trust = match &setup {
        Some(key) => Trust::new(config).with_setup(TrustedSetup { key, allow_insecure: true }),
        None => Trust::new(config),
    };
    let (headers, proof) = (AcceptedHeaders::one(signed.header), bytes(&reply["proof"]));
    let statement = Statement::Keys { height: at, keys };
    let answer = verify(&trust, scheme, &headers, &statement, &proof).unwrap();
    let StatementAnswer::Keys(states) = answer.get() else { panic!("{answer:?}") };
    Ok(states.iter().map(|state| state.value().map(<[u8]>::to_vec)).collect())
}
