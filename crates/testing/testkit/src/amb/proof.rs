//! A proof as a tree of its parts.

use prooflight_core::Hash;

use super::tree::NodeRecord;

/// A proof of any kind.
#[derive(Clone, Debug)]
pub struct ModelProof {
    /// Version, scheme and kind.
    pub envelope: [u8; 3],
    /// The bytes of the cut; empty if the kind has no pages.
    pub cut: Vec<u8>,
    pub root: ProofNode,
}

/// A node.
#[derive(Clone, Debug)]
pub enum ProofNode {
    /// A record; settled nodes have a tag in front of it.
    Closed {
        tagged: bool,
        live: u64,
        dead: u64,
        age: u64,
        hash: Hash,
    },
    Leaf(ProofLeaf),
    Branch {
        tag: u64,
        label: Vec<u8>,
        children: Box<[ProofNode; 2]>,
    },
}

/// A leaf.
#[derive(Clone, Debug)]
pub struct ProofLeaf {
    /// The number of the key among the requested ones; `None` in kinds without requested keys.
    pub number: Option<u64>,
    /// The key from the first byte that the path lacks; encoded if the number is 0 or `None`.
    pub rest: Vec<u8>,
    pub versions: u64,
    pub age: u64,
    pub content: VersionContent,
    pub past: Vec<HistoryPart>,
}

/// The content of a version: a value, its hash, or a tombstone.
#[derive(Clone, Debug)]
pub enum VersionContent {
    Tombstone,
    Value(Vec<u8>),
    Hash(Hash),
}

/// A part of a leaf's past.
#[derive(Clone, Debug)]
pub enum HistoryPart {
    Integer(u64),
    Version(u64, VersionContent),
    Hash(Hash),
}

impl ModelProof {
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = [&self.envelope[..], &self.cut].concat();
        self.root.write(&mut bytes);
        bytes
    }
}

impl ProofNode {
    pub const fn closed(record: &NodeRecord, height: u64, tagged: bool) -> Self {
        let &NodeRecord { version, live, dead, hash } = record;
        Self::Closed { tagged, live, dead, age: height.wrapping_sub(version), hash }
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Closed { tagged, live, dead, age, hash } => {
                if *tagged {
                    integer(bytes, 0);
                }
                integer(bytes, *live);
                integer(bytes, *dead);
                if live + dead > 0 {
                    integer(bytes, *age);
                    bytes.extend_from_slice(hash);
                }
            }
            Self::Leaf(leaf) => {
                integer(bytes, 1);
                leaf.write(bytes);
            }
            Self::Branch { tag, label, children } => {
                integer(bytes, *tag);
                bytes.extend_from_slice(label);
                children.iter().for_each(|child| child.write(bytes));
            }
        }
    }
}

impl ProofLeaf {
    fn write(&self, bytes: &mut Vec<u8>) {
        if let Some(number) = self.number {
            integer(bytes, number);
        }
        if self.number.unwrap_or(0) == 0 {
            string(bytes, &self.rest);
        }
        integer(bytes, self.versions);
        integer(bytes, self.age);
        self.content.write(bytes);
        for item in &self.past {
            match item {
                HistoryPart::Integer(number) => integer(bytes, *number),
                HistoryPart::Version(age, content) => {
                    integer(bytes, *age);
                    content.write(bytes);
                }
                HistoryPart::Hash(hash) => bytes.extend_from_slice(hash),
            }
        }
    }
}

impl VersionContent {
    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Tombstone => bytes.push(0),
            Self::Value(value) => {
                bytes.push(1);
                string(bytes, value);
            }
            Self::Hash(hash) => {
                bytes.push(1);
                bytes.extend_from_slice(hash);
            }
        }
    }
}

/// Writes an integer in LEB128.
pub fn integer(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn string(bytes: &mut Vec<u8>, string: &[u8]) {
    integer(bytes, string.len() as u64);
    bytes.extend_from_slice(string);
}
