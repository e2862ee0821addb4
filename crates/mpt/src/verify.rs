//! The verifiers of one trie: a root, keys and the nodes on their paths.

use alloc::vec;
use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Limits, Reason, Result, Verified};

use crate::hash::EMPTY_ROOT;
use crate::nodes::{ProofNodes, check_hash};
use crate::walk::walk;

/// The longest key, in bytes.
pub const MAX_KEY_LENGTH: usize = 256;

/// The only node of the trie without keys: the empty string.
pub(crate) const EMPTY_TRIE: &[u8] = &[0x80];

/// Verifies the value of a key, or its absence, in the trie with this root.
///
/// `key` is the path in the trie: for a secure trie, such as Ethereum's states, the Keccak-256 of the
/// actual key. `proof` has exactly the nodes on the key's path from the root down, except those
/// embedded in their parent. The caller must trust `root`, and never take it from the server. A key of
/// more than [`MAX_KEY_LENGTH`] bytes is `key_length`; a proof whose bytes are not nodes of any trie is
/// `malformed`; one that does not show the key's value or absence under this root is `mismatch`. Time
/// and memory are linear in the proof.
///
/// Source: Ethereum Yellow Paper, appendix D; `test-vectors/spec/mpt.md`, section 4.
pub fn verify_proof<'a>(
    root: &Hash,
    key: &[u8],
    proof: &[&'a [u8]],
    limits: &Limits,
) -> Result<Verified<Option<&'a [u8]>>> {
    check_key(key)?;
    check_size(proof, limits)?;
    check_count(key, proof)?;
    if proof.is_empty() || proof == [EMPTY_TRIE] {
        check_hash(&EMPTY_ROOT, root, Reason::RootMismatch, 0)?;
        return Ok(Verified::by_verifier(None));
    }
    let values = walk(root, &[key], &ProofNodes::decode(proof.iter().copied(), limits)?)?;
    Ok(Verified::by_verifier(values.into_iter().next().flatten()))
}

/// Verifies the values of keys, or their absence, in the trie with this root.
///
/// `keys` are paths in the trie, ascending, each once; the result has the value of each, in this order. `nodes`
/// are exactly those on the paths, except those embedded in their parent: each once, depth first, lower nibbles
/// before higher ones. Without keys, or in the trie without keys, the list is empty. The caller must trust `root`.
/// All errors are `mismatch`, except `extension_child`. Time and memory are linear in the nodes and the keys.
///
/// Source: `test-vectors/spec/lmpt.md`, section 5.
pub fn verify_keys<'a>(
    root: &Hash,
    keys: &[&[u8]],
    nodes: &ProofNodes<'a>,
) -> Result<Verified<Vec<Option<&'a [u8]>>>> {
    if keys.is_empty() || *root == EMPTY_ROOT {
        nodes.check_used(0)?;
        return Ok(Verified::by_verifier(vec![None; keys.len()]));
    }
    walk(root, keys, nodes).map(Verified::by_verifier)
}

/// Checks that a key is not too long; otherwise `key_length`.
pub(crate) fn check_key(key: &[u8]) -> Result<()> {
    if key.len() > MAX_KEY_LENGTH {
        return Err(Error::new(
            Reason::KeyLength,
            format_args!("at most {MAX_KEY_LENGTH} bytes"),
            format_args!("{} bytes", key.len()),
        ));
    }
    Ok(())
}

/// Checks the total size of all nodes; `proof_too_large` if it is above the limit.
pub(crate) fn check_size(proof: &[&[u8]], limits: &Limits) -> Result<()> {
    let size = proof.iter().fold(0, |size: usize, node| size.saturating_add(node.len()));
    limits.check_proof(size)
}

/// Checks the number of nodes: every node except the last consumes at least one nibble.
fn check_count(key: &[u8], proof: &[&[u8]]) -> Result<()> {
    let most = 2 * key.len() + 1;
    if proof.len() > most {
        let most = format_args!("at most {most} for a key of {} bytes", key.len());
        return Err(Error::new(Reason::TooManyNodes, most, proof.len()));
    }
    Ok(())
}
