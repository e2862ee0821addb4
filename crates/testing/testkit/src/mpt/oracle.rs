//! A second verifier of single proofs, slow and simple: decodes every node recursively into a tree.

use super::rlp::Rlp;
use prooflight_core::keccak256;

/// The statement of a proof: the value of a key, or its absence.
pub type ProvedValue = Option<Vec<u8>>;

/// The value of a key or its absence, if the proof proves one of them; `None` if it must be refused.
pub fn verify(root: &[u8; 32], key: &[u8], proof: &[Vec<u8>]) -> Option<ProvedValue> {
    if proof.is_empty() || proof == [[0x80]] {
        return (keccak256(&[&[0x80]]) == *root).then_some(None);
    }
    let short = |node: &Vec<u8>| node.len() < 32;
    if proof.len() > 2 * key.len() + 1 || proof[1..].iter().any(short) {
        return None;
    }
    let nodes = proof.iter().map(|node| Rlp::decode(node).filter(is_node));
    let nodes: Vec<_> = nodes.collect::<Option<_>>()?;
    let mut hashes = proof.iter().map(|node| keccak256(&[node]));
    if hashes.next()? != *root {
        return None;
    }
    let nibbles: Vec<_> = key.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
    let mut below = nodes[1..].iter().zip(hashes);
    let value = walk(&nodes[0], &nibbles, &mut below, &mut Vec::new())?;
    below.next().is_none().then_some(value)
}

/// All nodes on the path of a key, as some servers list them: also those inside their parents.
pub fn path(key: &[u8], proof: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let nodes: Vec<_> = proof.iter().map(|node| Rlp::decode(node).expect("a node")).collect();
    let nibbles: Vec<_> = key.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
    let hashes = proof.iter().map(|node| keccak256(&[node]));
    let mut below = nodes.iter().zip(hashes);
    let mut path = Vec::new();
    if let Some((first, _)) = below.next() {
        walk(first, &nibbles, &mut below, &mut path).expect("an honest proof");
    }
    path
}

fn walk<'n>(
    node: &Rlp,
    ahead: &[u8],
    below: &mut impl Iterator<Item = (&'n Rlp, [u8; 32])>,
    path: &mut Vec<Vec<u8>>,
) -> Option<ProvedValue> {
    path.push(node.encode());
    let Rlp::List(items) = node else { return None };
    let (child, ahead, must_be_branch) = if let [shared, rest] = &items[..] {
        let (shared, is_leaf) = path_of(shared)?;
        match (ahead.strip_prefix(&shared[..]), rest) {
            (Some([]), Rlp::String(value)) if is_leaf => return Some(Some(value.clone())),
            (Some(ahead), child) if !is_leaf => (child, ahead, true),
            _ => return Some(None),
        }
    } else {
        let Some((&nibble, rest)) = ahead.split_first() else {
            let Rlp::String(value) = &items[16] else { return None };
            return Some(Some(value.clone()).filter(|value| !value.is_empty()));
        };
        (&items[usize::from(nibble)], rest, false)
    };
    let child = match child {
        Rlp::String(hash) if hash.is_empty() => return Some(None),
        Rlp::String(hash) => {
            let (node, found) = below.next()?;
            if *hash != found {
                return None;
            }
            node
        }
        inline @ Rlp::List(_) => inline,
    };
    if must_be_branch && !is_branch(child) {
        return None;
    }
    walk(child, ahead, below, path)
}

fn is_branch(node: &Rlp) -> bool {
    matches!(node, Rlp::List(items) if items.len() == 17)
}

fn is_node(node: &Rlp) -> bool {
    let Rlp::List(items) = node else { return false };
    let is_value = |item: &Rlp| matches!(item, Rlp::String(value) if value.len() <= 65_536);
    match &items[..] {
        [path, rest] => match path_of(path) {
            Some((_, true)) => is_value(rest) && *rest != Rlp::String(vec![]),
            Some((path, false)) => {
                let fits = !matches!(rest, Rlp::List(_)) || is_branch(rest);
                !path.is_empty() && fits && is_child(rest) && *rest != Rlp::String(vec![])
            }
            None => false,
        },
        [children @ .., value] if children.len() == 16 => {
            let entries = items.iter().filter(|item| **item != Rlp::String(vec![])).count();
            children.iter().all(is_child) && is_value(value) && entries >= 2
        }
        _ => false,
    }
}

fn is_child(item: &Rlp) -> bool {
    match item {
        Rlp::String(hash) => hash.is_empty() || hash.len() == 32,
        Rlp::List(_) => item.encode().len() < 32 && is_node(item),
    }
}

/// The nibbles of a path, and whether it is a leaf's.
fn path_of(item: &Rlp) -> Option<(Vec<u8>, bool)> {
    let Rlp::String(bytes) = item else { return None };
    let mut nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let flag = nibbles.next().filter(|&flag| flag < 4)?;
    if flag % 2 == 0 && nibbles.next() != Some(0) {
        return None;
    }
    Some((nibbles.collect(), flag >= 2))
}
