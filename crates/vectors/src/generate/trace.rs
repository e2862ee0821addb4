//! What an operation does to the shape of the tree, read off its proof.
//!
//! So the generator can choose batches that have every case, and say in comments which one.

use std::collections::BTreeSet;
use std::fmt;

use super::anatomy::{Node, Proof, Side};

/// Something that happens to the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Event {
    /// The deleted leaf is the right child of its separator, whose left child is a leaf.
    CaseRightLeaf,
    /// The same, but the left child is internal: the nodes down to its last leaf are needed.
    CaseRightLeafBesideInternal,
    /// The left child of the separator is a leaf.
    CaseLeftLeaf,
    /// Neither is: the predecessor is taken out of the left subtree.
    CaseNeither,
    /// The subtree on this side shrank, and a rotation restored the balance.
    Shrunk { place: Place, side: Side, rotation: Rotation },
    /// The subtree on this side grew, and a rotation restored the balance.
    Grown { side: Side, rotation: Rotation },
    /// The whole tree became higher.
    Higher,
    /// The whole tree became lower.
    Lower,
}

/// Where a rotation happens in a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// On the way to the predecessor.
    Inside,
    /// At the separator.
    Separator,
    /// Above the separator.
    Above,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Rotation {
    Single,
    /// A single rotation over a balanced sibling, after which the subtree is as high as before.
    SingleBalanced,
    Double,
}

impl Event {
    /// Every event that a deletion can have.
    pub(crate) fn of_deletions() -> BTreeSet<Self> {
        let rotations = [Rotation::Single, Rotation::SingleBalanced, Rotation::Double];
        let places = [
            (Place::Inside, Side::Right),
            (Place::Separator, Side::Left),
            (Place::Above, Side::Left),
            (Place::Above, Side::Right),
        ];
        let shrunk = places.into_iter().flat_map(|(place, side)| {
            rotations.map(|rotation| Self::Shrunk { place, side, rotation })
        });
        let cases = [
            Self::CaseRightLeaf,
            Self::CaseRightLeafBesideInternal,
            Self::CaseLeftLeaf,
            Self::CaseNeither,
            Self::Lower,
        ];
        shrunk.chain(cases).collect()
    }

    /// Every event that an insertion can have.
    pub(crate) fn of_insertions() -> BTreeSet<Self> {
        let grown = [Side::Left, Side::Right].into_iter().flat_map(|side| {
            [Rotation::Single, Rotation::Double].map(|rotation| Self::Grown { side, rotation })
        });
        grown.chain([Self::Higher]).collect()
    }

    /// What a proof of one deletion shows.
    pub(crate) fn in_deletion(proof: &Proof) -> BTreeSet<Self> {
        let way = proof.way(0);
        let at = way.iter().rposition(|side| *side == Side::Right).expect("a separator");
        let mut events = BTreeSet::new();
        let separator = &way[..at];
        let left = [separator, &[Side::Left]].concat();
        let right = [separator, &[Side::Right]].concat();
        let mut shrank = true;
        if let Node::Leaf { .. } = proof.root.at(&right) {
            events.insert(match proof.root.at(&left) {
                Node::Internal { .. } => Self::CaseRightLeafBesideInternal,
                _ => Self::CaseRightLeaf,
            });
        } else if let Node::Leaf { .. } = proof.root.at(&left) {
            events.insert(Self::CaseLeftLeaf);
        } else {
            events.insert(Self::CaseNeither);
            let mut inner = left.clone();
            while let Node::Internal { right, .. } = proof.root.at(&inner) {
                if let Node::Leaf { .. } = **right {
                    break;
                }
                inner.push(Side::Right);
            }
            while inner.len() > left.len() {
                let side = inner.pop().expect("it is longer");
                shrank = settle(proof, &inner, side, Place::Inside, shrank, &mut events);
            }
            shrank = settle(proof, separator, Side::Left, Place::Separator, shrank, &mut events);
        }
        for depth in (0..at).rev() {
            shrank = settle(proof, &way[..depth], way[depth], Place::Above, shrank, &mut events);
        }
        if shrank {
            events.insert(Self::Lower);
        }
        events
    }

    /// What a proof of one insertion shows.
    pub(crate) fn in_insertion(proof: &Proof) -> BTreeSet<Self> {
        let way = proof.way(0);
        for depth in (0..way.len()).rev() {
            let side = way[depth];
            let balance = balance(proof.root.at(&way[..depth]));
            if is_higher(side, balance) {
                let same = way.get(depth + 1) == Some(&side);
                let rotation = if same { Rotation::Single } else { Rotation::Double };
                return BTreeSet::from([Self::Grown { side, rotation }]);
            }
            if balance != 0 {
                return BTreeSet::new();
            }
        }
        BTreeSet::from([Self::Higher])
    }
}

/// A node whose subtree on `side` shrank or not: notes a rotation, returns whether the node shrank.
fn settle(
    proof: &Proof,
    way: &[Side],
    side: Side,
    place: Place,
    shrank: bool,
    events: &mut BTreeSet<Event>,
) -> bool {
    if !shrank {
        return false;
    }
    let node = proof.root.at(way);
    let other = if side == Side::Left { Side::Right } else { Side::Left };
    if !is_higher(other, balance(node)) {
        return is_higher(side, balance(node));
    }
    let sibling = balance(node.at(&[other]));
    let rotation = match sibling {
        0 => Rotation::SingleBalanced,
        sibling if is_higher(side, sibling) => Rotation::Double,
        _ => Rotation::Single,
    };
    events.insert(Event::Shrunk { place, side, rotation });
    rotation != Rotation::SingleBalanced
}

fn balance(node: &Node) -> i8 {
    match node {
        Node::Internal { balance, .. } => i8::from_be_bytes([*balance]),
        _ => panic!("only internal nodes have a balance"),
    }
}

fn is_higher(side: Side, balance: i8) -> bool {
    if side == Side::Left { balance < 0 } else { balance > 0 }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |rotation: &Rotation| match rotation {
            Rotation::Single => "single rotation",
            Rotation::SingleBalanced => "single rotation over a balanced sibling",
            Rotation::Double => "double rotation",
        };
        match self {
            Self::CaseRightLeaf => f.write_str("case 1"),
            Self::CaseRightLeafBesideInternal => f.write_str("case 1, L is internal"),
            Self::CaseLeftLeaf => f.write_str("case 2"),
            Self::CaseNeither => f.write_str("case 3"),
            Self::Higher => f.write_str("the tree grows"),
            Self::Lower => f.write_str("the tree shrinks"),
            Self::Grown { side, rotation } => write!(f, "{}, {side} grew", name(rotation)),
            Self::Shrunk { place, side, rotation } => {
                let place = match place {
                    Place::Inside => "inside",
                    Place::Separator => "at S",
                    Place::Above => "above S",
                };
                write!(f, "{} {place}, {side} shrank", name(rotation))
            }
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Left { "left" } else { "right" })
    }
}
