//! What a light client checks of a node's answers: nothing is believed but the checkpoint.

use prooflight_amt::VerifyingKey;
use prooflight_avl::{Digest, Operation, Params, verify_batch};
use prooflight_core::chain::{
    ChainConfig, Checkpoint, Header, SignedHeader, SyncPolicy, state_key, verify_ancestor,
    verify_head,
};
use prooflight_core::{Hash, Limits, Scheme};
use prooflight_lvmt::{Answer, Root};
use prooflight_node::producer::now_ms;
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
    let hash = state_key(key);
    let ops = [Operation::Lookup { key: &hash }];
    let digest = Digest::try_from(header.root(Scheme::Avl).unwrap()).unwrap();
    let proof = bytes(&reply["proof"]);
    let batch = verify_batch(&digest, &ops, &proof, &Params::new(32, None)).unwrap();
    batch.results[0].value().map(|value| value.as_ref().to_vec())
}

/// A value as a light client reads it.
pub(crate) fn verified(
    node: &Node,
    checkpoint: &Checkpoint,
    at: &str,
    key: &str,
) -> Option<Vec<u8>> {
    verified_raw(node, checkpoint, at, key.as_bytes())
}

/// As `verified`, of any raw key.
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
    if block.root(Scheme::Smt).is_some() {
        assert_eq!(proved_by_smt(node, &block, &at, key), value);
    }
    // Only the newest block's is kept, and there may be a newer one by now.
    if block.root(Scheme::Lvmt).is_some()
        && let Some(by_lvmt) = proved_by_lvmt(node, checkpoint, &block, &at, key)
    {
        assert_eq!(by_lvmt.value().map(|value| value.to_vec()), value);
    }
    value
}

fn proved_by_smt(node: &Node, block: &Header, at: &str, key: &[u8]) -> Option<Vec<u8>> {
    let params = json!({ "scheme": "smt", "keys": [hex(key)], "at": at });
    let proof = bytes(&node.ask("prooflight_prove", &params)["proof"]);
    let root = block.root(Scheme::Smt).unwrap().try_into().unwrap();
    let answers =
        prooflight_smt::verify(&root, block.height, &[key], &proof, &Limits::default()).unwrap();
    answers[0].value().map(<[u8]>::to_vec)
}

fn proved_by_lvmt(
    node: &Node,
    checkpoint: &Checkpoint,
    block: &Header,
    at: &str,
    key: &[u8],
) -> Option<Answer> {
    let params = json!({ "scheme": "lvmt", "keys": [hex(key)], "at": at });
    let reply = match node.call("prooflight_prove", &params) {
        Ok(reply) => reply,
        Err(error) => {
            assert_eq!(error["data"]["reason"], "version_unavailable", "{error}");
            return None;
        }
    };
    let config = checkpoint.config.lvmt().unwrap();
    let setup = VerifyingKey::dev(config.log_n).unwrap();
    let params = prooflight_lvmt::Params::new(&setup, config.log_arity).with_insecure_setup();
    let root = Root::new(block.root(Scheme::Lvmt).unwrap().try_into().unwrap(), block.height);
    let proof = bytes(&reply["proof"]);
    let results = prooflight_lvmt::verify(&root, &[key], &proof, &params).unwrap();
    results.into_inner().into_iter().next()
}
