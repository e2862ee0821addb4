//! A trie built from a dictionary, in the simplest way.

use std::collections::BTreeMap;

use prooflight_core::{Hash, keccak256};

use crate::mpt::rlp::Rlp;

/// The leaf values of a trie by the hashes of their keys.
pub type LeafMap = BTreeMap<Hash, Vec<u8>>;

/// A trie, or a part of one below some nibbles.
#[derive(Clone, Debug)]
pub enum PlainTrie {
    Empty,
    Leaf {
        path: Vec<u8>,
        value: Vec<u8>,
    },
    Extension {
        path: Vec<u8>,
        below: Box<Self>,
    },
    /// `value` is that of the key that ends here; empty without one.
    Branch {
        children: Vec<Self>,
        value: Vec<u8>,
    },
}

impl PlainTrie {
    pub fn new<K: AsRef<[u8]>>(dictionary: &BTreeMap<K, Vec<u8>>) -> Self {
        let entries: Vec<_> =
            dictionary.iter().map(|(key, value)| (nibbles(key.as_ref()), &value[..])).collect();
        build(&entries, 0)
    }

    pub fn root(&self) -> Hash {
        keccak256(&[&self.item().encode()])
    }

    /// The nodes on the paths of keys that are outside of their parents, depth first; empty without keys.
    pub fn nodes<K: AsRef<[u8]>>(&self, keys: &[K]) -> Vec<Vec<u8>> {
        let mut nodes = Vec::new();
        let paths: Vec<_> = keys.iter().map(|key| nibbles(key.as_ref())).collect();
        let paths: Vec<&[u8]> = paths.iter().map(Vec::as_slice).collect();
        if !paths.is_empty() && !matches!(self, Self::Empty) {
            nodes.push(self.item().encode());
            self.below(&paths, &mut nodes);
        }
        nodes
    }

    /// Adds the nodes below this one.
    fn below(&self, paths: &[&[u8]], nodes: &mut Vec<Vec<u8>>) {
        match self {
            Self::Empty | Self::Leaf { .. } => (),
            Self::Extension { path, below } => {
                below.on_paths(&without(paths, path), nodes);
            }
            Self::Branch { children, .. } => {
                for (nibble, child) in (0..).zip(children) {
                    child.on_paths(&without(paths, &[nibble]), nodes);
                }
            }
        }
    }

    /// Adds a child, if a path leads to it, and the nodes below it.
    fn on_paths(&self, paths: &[&[u8]], nodes: &mut Vec<Vec<u8>>) {
        if paths.is_empty() || matches!(self, Self::Empty) {
            return;
        }
        let bytes = self.item().encode();
        if bytes.len() >= 32 {
            nodes.push(bytes);
        }
        self.below(paths, nodes);
    }

    /// The node as an item of RLP.
    pub fn item(&self) -> Rlp {
        match self {
            Self::Empty => Rlp::String(Vec::new()),
            Self::Leaf { path, value } => {
                Rlp::List(vec![compact(path, true), Rlp::String(value.clone())])
            }
            Self::Extension { path, below } => {
                Rlp::List(vec![compact(path, false), below.reference()])
            }
            Self::Branch { children, value } => {
                let children = children.iter().map(Self::reference);
                Rlp::List(children.chain([Rlp::String(value.clone())]).collect())
            }
        }
    }

    /// The node in its parent: itself if it is short, else its hash.
    fn reference(&self) -> Rlp {
        let item = self.item();
        let bytes = item.encode();
        if bytes.len() < 32 { item } else { Rlp::String(keccak256(&[&bytes]).to_vec()) }
    }
}

/// The trie over ascending entries, which agree in their first `depth` nibbles.
fn build(entries: &[(Vec<u8>, &[u8])], depth: usize) -> PlainTrie {
    let [(first, value), .., (last, _)] = entries else {
        return match entries {
            [(path, value)] => {
                PlainTrie::Leaf { path: path[depth..].to_vec(), value: value.to_vec() }
            }
            _ => PlainTrie::Empty,
        };
    };
    let agree = first[depth..].iter().zip(&last[depth..]).take_while(|(a, b)| a == b).count();
    if agree > 0 {
        let below = Box::new(build(entries, depth + agree));
        return PlainTrie::Extension { path: first[depth..depth + agree].to_vec(), below };
    }
    let ends_here = first.len() == depth;
    let below = &entries[usize::from(ends_here)..];
    let mut children = vec![PlainTrie::Empty; 16];
    for group in below.chunk_by(|(one, _), (other, _)| one[depth] == other[depth]) {
        children[usize::from(group[0].0[depth])] = build(group, depth + 1);
    }
    PlainTrie::Branch { children, value: if ends_here { value.to_vec() } else { Vec::new() } }
}

/// The remainders of the paths that begin with these nibbles.
fn without<'p>(paths: &[&'p [u8]], first: &[u8]) -> Vec<&'p [u8]> {
    paths.iter().filter_map(|path| path.strip_prefix(first)).collect()
}

fn nibbles(key: &[u8]) -> Vec<u8> {
    key.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect()
}

/// A path in hex-prefix form.
fn compact(path: &[u8], is_leaf: bool) -> Rlp {
    let flag = 2 * u8::from(is_leaf);
    let nibbles = match path.len() % 2 {
        0 => [&[flag, 0], path].concat(),
        _ => [&[flag + 1], path].concat(),
    };
    Rlp::String(nibbles.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
