//! Proofs taken apart, so that they can be put together wrongly.

use prooflight_core::blake2b256;

/// A node of a proof, with what is below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Label([u8; 32]),
    Leaf { key: Vec<u8>, value: Vec<u8>, next: Vec<u8> },
    Internal { balance: u8, left: Box<Self>, right: Box<Self> },
}

/// A proof: the old tree, and the bytes of the directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proof {
    pub(crate) root: Node,
    pub(crate) directions: Vec<u8>,
    /// The dictionary's value length, which says whether leaves have a length.
    pub(crate) value_length: Option<usize>,
}

/// A side of an internal node; also a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A way from the root to a node.
pub(crate) type Way = Vec<Side>;

impl Node {
    pub(crate) fn leaf(key: &[u8], value: &[u8], next: &[u8]) -> Self {
        Self::Leaf { key: key.to_vec(), value: value.to_vec(), next: next.to_vec() }
    }

    pub(crate) fn internal(balance: i8, left: Self, right: Self) -> Self {
        let [balance] = balance.to_be_bytes();
        Self::Internal { balance, left: left.into(), right: right.into() }
    }

    pub(crate) fn label(&self) -> [u8; 32] {
        match self {
            Self::Label(label) => *label,
            Self::Leaf { key, value, next } => blake2b256(&[&[0], key, value, next]),
            Self::Internal { balance, left, right } => {
                blake2b256(&[&[1, *balance], &left.label(), &right.label()])
            }
        }
    }

    /// The digest that has this node as its root.
    pub(crate) fn digest(&self, height: u8) -> Vec<u8> {
        [&self.label()[..], &[height]].concat()
    }

    /// The same node, but only as a label.
    pub(crate) fn collapsed(&self) -> Self {
        Self::Label(self.label())
    }

    /// The node at the end of a way.
    pub(crate) fn at(&self, way: &[Side]) -> &Self {
        way.iter().fold(self, |node, side| match (node, side) {
            (Self::Internal { left, .. }, Side::Left) => left,
            (Self::Internal { right, .. }, Side::Right) => right,
            _ => panic!("the way leaves the tree"),
        })
    }

    pub(crate) fn at_mut(&mut self, way: &[Side]) -> &mut Self {
        way.iter().fold(self, |node, side| match (node, side) {
            (Self::Internal { left, .. }, Side::Left) => left,
            (Self::Internal { right, .. }, Side::Right) => right,
            _ => panic!("the way leaves the tree"),
        })
    }

    /// The ways to all expanded nodes, parents first.
    pub(crate) fn expanded(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        let mut pending = vec![Way::new()];
        while let Some(way) = pending.pop() {
            match self.at(&way) {
                Self::Label(_) => continue,
                Self::Leaf { .. } => {}
                Self::Internal { .. } => {
                    pending.push([&way[..], &[Side::Right]].concat());
                    pending.push([&way[..], &[Side::Left]].concat());
                }
            }
            ways.push(way);
        }
        ways
    }

    /// The way that a search for `key` takes through a tree with all its leaves.
    pub(crate) fn way_to(&self, key: &[u8]) -> Way {
        let mut way = Way::new();
        while let Self::Internal { right, .. } = self.at(&way) {
            way.push(if key < right.first_key() { Side::Left } else { Side::Right });
        }
        way
    }

    fn first_key(&self) -> &[u8] {
        match self {
            Self::Leaf { key, .. } => key,
            Self::Internal { left, .. } => left.first_key(),
            Self::Label(_) => panic!("a label has no key"),
        }
    }

    /// The same tree with every node a label that is not on one of the ways.
    pub(crate) fn pruned(&self, ways: &[Way]) -> Self {
        if ways.is_empty() {
            return self.collapsed();
        }
        match self {
            Self::Internal { balance, left, right } => {
                let below = |side: Side| {
                    let rest = ways.iter().filter(|way| way.first() == Some(&side));
                    rest.map(|way| way[1..].to_vec()).collect::<Vec<_>>()
                };
                Self::Internal {
                    balance: *balance,
                    left: left.pruned(&below(Side::Left)).into(),
                    right: right.pruned(&below(Side::Right)).into(),
                }
            }
            other => other.clone(),
        }
    }

    /// The nodes in post-order, each with its own bytes.
    pub(crate) fn tokens(&self, value_length: Option<usize>) -> Vec<Vec<u8>> {
        let mut tokens = Vec::new();
        self.write(value_length, &mut false, &mut tokens);
        tokens
    }

    fn write(&self, value_length: Option<usize>, after_leaf: &mut bool, tokens: &mut Vec<Vec<u8>>) {
        match self {
            Self::Label(label) => {
                *after_leaf = false;
                tokens.push([&[3], &label[..]].concat());
            }
            Self::Leaf { key, value, next } => {
                let key = if *after_leaf { &[] } else { &key[..] };
                *after_leaf = true;
                let length = u32::try_from(value.len()).expect("values are short").to_be_bytes();
                let length = if value_length.is_some() { &[] } else { &length[..] };
                tokens.push([&[2], key, next, length, value].concat());
            }
            Self::Internal { balance, left, right } => {
                left.write(value_length, after_leaf, tokens);
                right.write(value_length, after_leaf, tokens);
                tokens.push(vec![*balance]);
            }
        }
    }
}

impl Proof {
    /// Takes an honest proof apart.
    pub(crate) fn parse(bytes: &[u8], key_length: usize, value_length: Option<usize>) -> Self {
        let mut rest = bytes;
        let mut take = |n: usize| {
            let (taken, left) = rest.split_at(n);
            rest = left;
            taken.to_vec()
        };
        let mut stack = Vec::new();
        let mut previous_next = None;
        loop {
            match take(1)[0] {
                4 => break,
                3 => {
                    previous_next = None;
                    stack.push(Node::Label(take(32).try_into().expect("32 bytes")));
                }
                2 => {
                    let key = previous_next.take().unwrap_or_else(|| take(key_length));
                    let next = take(key_length);
                    let length = value_length.unwrap_or_else(|| {
                        let length = take(4).try_into().expect("4 bytes");
                        u32::from_be_bytes(length) as usize
                    });
                    previous_next = Some(next.clone());
                    stack.push(Node::Leaf { key, value: take(length), next });
                }
                balance => {
                    let right = stack.pop().expect("a right child").into();
                    let left = stack.pop().expect("a left child").into();
                    stack.push(Node::Internal { balance, left, right });
                }
            }
        }
        let root = stack.pop().expect("a root");
        assert!(stack.is_empty(), "one root");
        let directions = rest.to_vec();
        let proof = Self { root, directions, value_length };
        assert_eq!(proof.bytes(), bytes, "an honest proof has one form");
        proof
    }

    pub(crate) fn tokens(&self) -> Vec<Vec<u8>> {
        self.root.tokens(self.value_length)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        assemble(&self.tokens(), &self.directions)
    }

    /// The way that the directions take from bit `start`.
    pub(crate) fn way(&self, start: usize) -> Way {
        let mut way = Way::new();
        while let Node::Internal { .. } = self.root.at(&way) {
            let bit = start + way.len();
            let left = self.directions[bit / 8] >> (bit % 8) & 1 == 1;
            way.push(if left { Side::Left } else { Side::Right });
        }
        way
    }
}

/// The bytes of a proof from the bytes of its nodes.
pub(crate) fn assemble(tokens: &[Vec<u8>], directions: &[u8]) -> Vec<u8> {
    [&tokens.concat()[..], &[4], directions].concat()
}

/// The bytes of directions.
pub(crate) fn directions(way: &[Side]) -> Vec<u8> {
    let byte = |sides: &[Side]| {
        let bits = sides.iter().enumerate().map(|(i, side)| u8::from(*side == Side::Left) << i);
        bits.sum()
    };
    way.chunks(8).map(byte).collect()
}
