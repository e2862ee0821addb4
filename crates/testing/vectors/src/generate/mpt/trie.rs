//! Honest tries from a sorted map.
//!
//! Shares no code with the verifier except the hash.

use crate::mpt::MptProof;
use prooflight_core::keccak256;
use prooflight_json::{Hash32, HexBytes};

/// An RLP item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RlpValue {
    String(Vec<u8>),
    List(Vec<Self>),
}

impl RlpValue {
    pub(super) fn encode(&self) -> Vec<u8> {
        match self {
            Self::String(string) if matches!(string[..], [0..=0x7f]) => string.clone(),
            Self::String(string) => with_header(0x80, string),
            Self::List(items) => {
                with_header(0xc0, &items.iter().flat_map(Self::encode).collect::<Vec<_>>())
            }
        }
    }

    /// The reference to this node in its parent.
    pub(super) fn reference(&self) -> Self {
        let bytes = self.encode();
        if bytes.len() < 32 { self.clone() } else { Self::String(keccak256(&[&bytes]).to_vec()) }
    }
}

fn with_header(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = payload.len();
    let mut header = if length < 56 {
        vec![kind + byte(length)]
    } else {
        let digits = length.to_be_bytes();
        let digits = &digits[digits.iter().take_while(|&&digit| digit == 0).count()..];
        [&[kind + 55 + byte(digits.len())], digits].concat()
    };
    header.extend(payload);
    header
}

fn byte(number: usize) -> u8 {
    number.try_into().expect("a small number")
}

pub(super) fn string(bytes: impl AsRef<[u8]>) -> RlpValue {
    RlpValue::String(bytes.as_ref().to_vec())
}

pub(super) fn leaf(path: &[u8], value: impl AsRef<[u8]>) -> RlpValue {
    RlpValue::List(vec![compact(path, true), string(value)])
}

pub(super) fn extension(path: &[u8], child: RlpValue) -> RlpValue {
    RlpValue::List(vec![compact(path, false), child])
}

/// A branch with these children and a value.
pub(super) fn branch(children: &[(u8, RlpValue)], value: impl AsRef<[u8]>) -> RlpValue {
    let mut items = vec![string([]); 17];
    for (nibble, child) in children {
        items[usize::from(*nibble)] = child.clone();
    }
    items[16] = string(value);
    RlpValue::List(items)
}

/// A path in hex-prefix form.
pub(super) fn compact(path: &[u8], is_leaf: bool) -> RlpValue {
    let flag = 2 * u8::from(is_leaf) + byte(path.len() % 2);
    let padding: &[u8] = if path.len().is_multiple_of(2) { &[0] } else { &[] };
    let nibbles = [&[flag], padding, path].concat();
    string(nibbles.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect::<Vec<_>>())
}

pub(super) fn nibbles(key: &[u8]) -> Vec<u8> {
    key.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect()
}

/// The keys and values of an honest trie.
#[derive(Clone, Debug, Default)]
pub(super) struct EthTrie(Vec<(Vec<u8>, Vec<u8>)>);

impl EthTrie {
    pub(super) fn new<K: AsRef<[u8]>, V: AsRef<[u8]>>(
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let entry = |(key, value): (K, V)| (nibbles(key.as_ref()), value.as_ref().to_vec());
        let mut entries: Vec<_> = entries.into_iter().map(entry).collect();
        entries.sort();
        Self(entries)
    }

    pub(super) fn value(&self, key: &[u8]) -> Option<&[u8]> {
        let key = nibbles(key);
        self.0.iter().find(|(other, _)| *other == key).map(|(_, value)| &value[..])
    }

    pub(super) fn root(&self) -> [u8; 32] {
        self.prove(&[]).0
    }

    /// The root, and the honest proof of a key.
    pub(super) fn prove(&self, key: &[u8]) -> ([u8; 32], Vec<Vec<u8>>) {
        if self.0.is_empty() {
            return (keccak256(&[&[0x80]]), Vec::new());
        }
        let mut path = Vec::new();
        let root = node(&self.0, 0, Some(&nibbles(key)), &mut path);
        path.reverse();
        let mut proof: Vec<_> = path.iter().map(RlpValue::encode).collect();
        let rest = proof.split_off(1).into_iter().filter(|node| node.len() >= 32);
        proof.extend(rest.collect::<Vec<_>>());
        (keccak256(&[&root.encode()]), proof)
    }

    /// The honest proof of a key as the input of a test.
    pub(super) fn input(&self, key: &[u8]) -> MptProof {
        let (root, proof) = self.prove(key);
        input_of(root, key, proof)
    }
}

/// The node over some entries whose first `depth` nibbles are the same; if `key` leads here, adds the
/// nodes on its path, the last one first.
fn node(
    entries: &[(Vec<u8>, Vec<u8>)],
    depth: usize,
    key: Option<&[u8]>,
    path: &mut Vec<RlpValue>,
) -> RlpValue {
    let ((first, value), (last, _)) = (&entries[0], &entries[entries.len() - 1]);
    let shared = first.iter().zip(last).take_while(|(one, other)| one == other).count();
    let node = if entries.len() == 1 {
        leaf(&first[depth..], value)
    } else if shared > depth {
        let below = key.filter(|key| key.starts_with(&first[..shared]));
        extension(&first[depth..shared], node(entries, shared, below, path).reference())
    } else {
        let ends_here = first.len() == depth;
        let below = &entries[usize::from(ends_here)..];
        let children = below.chunk_by(|(one, _), (other, _)| one[depth] == other[depth]);
        let children = children.map(|group| {
            let nibble = group[0].0[depth];
            let below = key.filter(|key| key.get(depth) == Some(&nibble));
            (nibble, node(group, depth + 1, below, path).reference())
        });
        branch(&children.collect::<Vec<_>>(), if ends_here { &value[..] } else { &[] })
    };
    if key.is_some() {
        path.push(node.clone());
    }
    node
}

pub(super) fn input_of(root: [u8; 32], key: &[u8], proof: Vec<Vec<u8>>) -> MptProof {
    MptProof {
        root: Hash32(root),
        key: HexBytes(key.to_vec()),
        proof: proof.into_iter().map(HexBytes).collect(),
        limits: None,
    }
}

pub(super) fn with_proof(input: &MptProof, proof: Vec<Vec<u8>>) -> MptProof {
    MptProof { proof: proof.into_iter().map(HexBytes).collect(), ..input.clone() }
}
