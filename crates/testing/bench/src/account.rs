//! Account proofs of Ethereum mainnet, verified by our verifier and by alloy-trie.

use alloy_trie::{Nibbles, proof::verify_proof as peer_verify_proof};
use prooflight_bench::Result;
use prooflight_core::{Hash, Limits, keccak256};
use prooflight_json::HexBytes;
use prooflight_mpt::verify_proof;
use prooflight_vectors::file::{TestVerdict, VectorFile};
use prooflight_vectors::mpt::{EthGetProof, ProofResponse};

/// Number of times each proof is verified per measurement.
pub(crate) const VERIFY_REPEATS: usize = 1000;

/// Number of nodes in each proof.
pub(crate) const PROOF_NODES: usize = 9;

/// An account of a state, with its proof.
pub(crate) struct AccountProof {
    root: Hash,
    /// The hash of the account's address.
    key: Hash,
    /// The trie's value at the key.
    value: Vec<u8>,
    proof: Vec<Vec<u8>>,
}

/// Reads the accounts of a vector file whose proofs have `nodes` nodes.
pub(crate) fn accounts(json: &str, nodes: usize) -> Result<Vec<AccountProof>> {
    let file = VectorFile::parse(json)?;
    let groups = file.test_groups.into_iter().filter(|group| group.group_type == "EthGetProof");
    let mut accounts = Vec::new();
    for test in groups.flat_map(|group| group.tests) {
        if test.result != TestVerdict::Valid {
            continue;
        }
        let EthGetProof { state_root, address, response, .. } =
            serde_json::from_value(serde_json::to_value(test.input)?)?;
        let response: ProofResponse = serde_json::from_value(response)?;
        let proof: Vec<_> = response.account_proof.into_iter().map(|node| node.0).collect();
        if proof.len() != nodes {
            continue;
        }
        let (root, key) = (state_root.0, keccak256(&[&address.0]));
        let slices: Vec<_> = proof.iter().map(Vec::as_slice).collect();
        if let Some(value) = verify_proof(&root, &key, &slices, &Limits::DEFAULT)?.into_inner() {
            let value = value.to_vec();
            accounts.push(AccountProof { root, key, value, proof });
        }
    }
    Ok(accounts)
}

/// Hashes every node as often as a verifier must.
pub(crate) fn hash(accounts: &[AccountProof]) {
    for account in accounts {
        for _ in 0..VERIFY_REPEATS {
            for node in &account.proof {
                core::hint::black_box(keccak256(&[node]));
            }
        }
    }
}

/// Verifies each account with our verifier; returns the proved values.
pub(crate) fn verify_ours(accounts: &[AccountProof]) -> Result<Vec<HexBytes>> {
    let verify = |account: &AccountProof| {
        let proof: Vec<_> = account.proof.iter().map(Vec::as_slice).collect();
        let verify = || verify_proof(&account.root, &account.key, &proof, &Limits::DEFAULT);
        for _ in 1..VERIFY_REPEATS {
            drop(core::hint::black_box(verify()?));
        }
        let value = verify()?.ok_or("an account that exists")?;
        Ok(HexBytes(value.to_vec()))
    };
    accounts.iter().map(verify).collect()
}

/// Verifies each account with the peer, which takes the value and compares it; returns the values.
pub(crate) fn verify_peers(accounts: &[AccountProof]) -> Result<Vec<HexBytes>> {
    let verify = |account: &AccountProof| {
        let proof: Vec<_> = account.proof.iter().map(|node| node.clone().into()).collect();
        for _ in 0..VERIFY_REPEATS {
            let (key, value) = (Nibbles::unpack(account.key), Some(account.value.clone()));
            peer_verify_proof(account.root.into(), key, value, &proof)?;
        }
        Ok(HexBytes(account.value.clone()))
    };
    accounts.iter().map(verify).collect()
}
