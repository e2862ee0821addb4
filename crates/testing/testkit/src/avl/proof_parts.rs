//! Parses and encodes proofs, and computes the root that their nodes hash to.
//!
//! Written from `test-vectors/spec/avl.md` alone and independent of the crate, so that tests can give
//! the verifier trees with a digest that matches.

use blake2::Blake2bVar;
use blake2::digest::{Update, VariableOutput};

use super::draw::EntryShape;

const LEAF_TAG: u8 = 2;
pub const LABEL_TAG: u8 = 3;
const END_TAG: u8 = 4;

/// One node of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofToken {
    Label([u8; 32]),
    Leaf { key: Vec<u8>, next_key: Vec<u8>, value: Vec<u8> },
    Internal(u8),
}

/// A proof in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofParts {
    pub tokens: Vec<ProofToken>,
    pub directions: Vec<u8>,
}

/// The tree that the nodes of a proof form.
#[derive(Clone, Copy, Debug)]
pub struct TreeRoot {
    pub label: [u8; 32],
    /// Levels of expanded nodes below the root.
    pub depth: usize,
    /// The height that follows from the balances above an expanded leaf, if there is such a leaf.
    pub height: Option<i32>,
}

impl TreeRoot {
    pub fn digest(&self, height: u8) -> [u8; 33] {
        let mut digest = [height; 33];
        digest[..32].copy_from_slice(&self.label);
        digest
    }
}

impl ProofParts {
    /// The parts of a proof, or `None` if it ends too early.
    pub fn parse(proof: &[u8], shape: EntryShape) -> Option<Self> {
        let mut rest = proof;
        let mut tokens = Vec::new();
        let mut previous: Option<Vec<u8>> = None;
        loop {
            match take(&mut rest, 1)?[0] {
                END_TAG => return Some(Self { tokens, directions: rest.to_vec() }),
                LABEL_TAG => {
                    previous = None;
                    tokens.push(ProofToken::Label(take(&mut rest, 32)?.try_into().ok()?));
                }
                LEAF_TAG => {
                    let key = match previous {
                        Some(key) => key,
                        None => take(&mut rest, shape.key_length)?.to_vec(),
                    };
                    let next_key = take(&mut rest, shape.key_length)?.to_vec();
                    let length = if let Some(length) = shape.value_length {
                        length
                    } else {
                        let length = take(&mut rest, 4)?.try_into().ok()?;
                        usize::try_from(u32::from_be_bytes(length)).ok()?
                    };
                    let value = take(&mut rest, length)?.to_vec();
                    previous = Some(next_key.clone());
                    tokens.push(ProofToken::Leaf { key, next_key, value });
                }
                balance => tokens.push(ProofToken::Internal(balance)),
            }
        }
    }

    /// The bytes of the proof. Leaf keys that the format omits are lost.
    pub fn bytes(&self, shape: EntryShape) -> Vec<u8> {
        let mut proof = Vec::new();
        let mut after_leaf = false;
        for token in &self.tokens {
            match token {
                ProofToken::Label(label) => {
                    after_leaf = false;
                    proof.push(LABEL_TAG);
                    proof.extend(label);
                }
                ProofToken::Leaf { key, next_key, value } => {
                    proof.push(LEAF_TAG);
                    if !after_leaf {
                        proof.extend(key);
                    }
                    after_leaf = true;
                    proof.extend(next_key);
                    if shape.value_length.is_none() {
                        proof.extend(u32::try_from(value.len()).unwrap().to_be_bytes());
                    }
                    proof.extend(value);
                }
                ProofToken::Internal(balance) => proof.push(*balance),
            }
        }
        proof.push(END_TAG);
        proof.extend(&self.directions);
        proof
    }

    /// Replaces the subtree whose top is the node `at` by its label, which keeps the root.
    pub fn collapse(&mut self, at: usize) {
        let mut missing = 1;
        let mut start = at + 1;
        while missing > 0 && start > 0 {
            start -= 1;
            missing = match self.tokens[start] {
                ProofToken::Internal(_) => missing + 1,
                ProofToken::Leaf { .. } | ProofToken::Label(_) => missing - 1,
            };
        }
        let subtree = Self { tokens: self.tokens[start..=at].to_vec(), directions: Vec::new() };
        if let Some(root) = subtree.root() {
            self.tokens.splice(start..=at, [ProofToken::Label(root.label)]);
        }
    }

    /// Replaces both children of the internal node `at` by their labels.
    pub fn collapse_children(&mut self, at: usize) {
        let after = self.tokens.len() - at;
        self.collapse(at - 1);
        let right = self.tokens.len() - after - 1;
        self.collapse(right - 1);
    }

    /// The tree that the nodes form; `None` if they form none or several.
    pub fn root(&self) -> Option<TreeRoot> {
        let mut stack: Vec<TreeRoot> = Vec::new();
        for token in &self.tokens {
            let node = match token {
                ProofToken::Label(label) => TreeRoot { label: *label, depth: 0, height: None },
                ProofToken::Leaf { key, next_key, value } => {
                    let label = hash(&[&[0], key, value, next_key]);
                    TreeRoot { label, depth: 0, height: Some(0) }
                }
                ProofToken::Internal(balance) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    let label = hash(&[&[1, *balance], &left.label, &right.label]);
                    let depth = 1 + left.depth.max(right.depth);
                    let lower = |lower: bool| if lower { 2 } else { 1 };
                    let left = left.height.map(|h| h + lower((1..=127).contains(balance)));
                    let right = right.height.map(|h| h + lower((128..=255).contains(balance)));
                    TreeRoot { label, depth, height: left.or(right) }
                }
            };
            stack.push(node);
        }
        match stack[..] {
            [root] => Some(root),
            _ => None,
        }
    }
}

pub fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Blake2bVar::new(32).expect("32 bytes");
    for part in parts {
        hasher.update(part);
    }
    let mut label = [0; 32];
    hasher.finalize_variable(&mut label).expect("32 bytes");
    label
}

fn take<'a>(rest: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(n)?;
    *rest = after;
    Some(taken)
}
