//! A light client's checks of a node's answers: only the checkpoint is trusted.

use prooflight_avl::state::verify_keys;
use prooflight_core::chain::{
    AcceptedHeaders, ChainConfig, ChainLimits, Checkpoint, Header, SignedHeader, SyncPolicy,
    verify_ancestor, verify_head,
};
use prooflight_core::{Hash, Limits, Scheme};
use prooflight_light::{Statement, StatementAnswer, Trust, TrustedSetup, setup_key, verify};
use prooflight_node::runtime::clock::now_ms;
use serde_json::{Value, json};

use super::{Node, bytes, hex};

pub(crate) fn header(reply: &Value) -> SignedHeader {
    SignedHeader::decode(&bytes(&reply["signedHeader"]), &Limits::default()).unwrap()
}

pub(crate) fn path(reply: &Value) -> Vec<Hash> {
    let hashes = reply["path"].as_array().unwrap().iter();
    hashes.map(|hash| bytes(hash).try_into().unwrap()).collect()
}

/// The checkpoint of a running node's genesis, as an application would pin it.
pub(crate) fn genesis(node: &Node) -> Checkpoint {
    let chain = node.ask("prooflight_chain", &json!({}));
    let config: ChainConfig = borsh::from_slice(&bytes(&chain["config"])).unwrap();
    let genesis = header(&node.ask("prooflight_header", &json!({ "at": "0x0" })));
    Checkpoint { config, height: 0, header_hash: genesis.header.hash() }
}

/// The head in the reply to `prooflight_headerProof` about the checkpoint's height.
pub(crate) fn synced(reply: &Value, checkpoint: &Checkpoint) -> Header {
    let head = header(&reply["head"]);
    verify_head(checkpoint, &head, &path(reply), &SyncPolicy::at(now_ms())).unwrap();
    head.header
}

/// The value in the reply to `prooflight_prove` about a key, against the root of this header.
pub(crate) fn proved(reply: &Value, header: &Header, key: &[u8]) -> Option<Vec<u8>> {
    let proof = bytes(&reply["proof"]);
    let values = verify_keys(header, &[key], &proof, &ChainLimits::default()).unwrap();
    values[0].map(<[u8]>::to_vec)
}

/// Verifies a value as a light client does.
pub(crate) fn verified(
    node: &Node,
    checkpoint: &Checkpoint,
    at: &str,
    key: &str,
) -> Option<Vec<u8>> {
    verified_raw(node, checkpoint, at, key.as_bytes())
}

/// Like `verified`, for any raw key.
pub(crate) fn verified_raw(
    node: &Node,
    checkpoint: &Checkpoint,
    at: &str,
    key: &[u8],
) -> Option<Vec<u8>> {
    let head = synced(&node.ask("prooflight_headerProof", &json!({ "at": "0x0" })), checkpoint);
    let params = json!({ "scheme": "avl", "keys": [hex(key)], "at": at });
    let reply = node.ask("prooflight_prove", &params);
    let block = header(&reply["header"]).header;
    let at = json!({ "at": hex(&block.hash()), "head": hex(&head.hash()) });
    if block.height <= head.height {
        let ancestor = node.ask("prooflight_headerProof", &at);
        verify_ancestor(&head, &block, &path(&ancestor)).unwrap();
    }
    let value = proved(&reply, &block, key);
    let at = hex(&block.hash());
    for scheme in [Scheme::Smt, Scheme::Lvmt].into_iter().filter(|&it| block.root(it).is_some()) {
        check_proof_by(scheme, node, checkpoint, &block, &at, key, value.as_deref());
    }
    value
}

/// Checks that another scheme proves the same value, unless it no longer keeps that state.
fn check_proof_by(
    scheme: Scheme,
    node: &Node,
    checkpoint: &Checkpoint,
    block: &Header,
    at: &str,
    key: &[u8],
    value: Option<&[u8]>,
) {
    let params = json!({ "scheme": scheme.as_str(), "keys": [hex(key)], "at": at });
    let reply = match node.call("prooflight_prove", &params) {
        Ok(reply) => reply,
        // lvmt keeps only recent states, and newer blocks may have been made since.
        Err(error) => {
            assert_eq!(scheme, Scheme::Lvmt, "{error}");
            assert_eq!(error["data"]["reason"], "version_unavailable", "{error}");
            return;
        }
    };
    let config = &checkpoint.config;
    let setup = config.keeps(Scheme::Lvmt).then(|| setup_key(config, None).unwrap());
    let trust = match &setup {
        Some(key) => Trust::new(config).with_setup(TrustedSetup { key, allow_insecure: true }),
        None => Trust::new(config),
    };
    let proof = bytes(&reply["proof"]);
    let statement = Statement::Keys { height: block.height, keys: &[key] };
    let headers = AcceptedHeaders::one(block.clone());
    let answer = verify(&trust, scheme, &headers, &statement, &proof).unwrap();
    let StatementAnswer::Keys(states) = answer.get() else { unreachable!("{answer:?}") };
    assert_eq!(states[0].value(), value);
}
