//! Trees that no honest prover makes, under digests that match them.

use arbitrary::{Result, Unstructured};
use prooflight_avl::{Digest, Mode, Transition, verify_batch};
use prooflight_core::{Error, Reason, Verified};

use super::draw::EntryShape;
use super::honest::{HonestDictionary, assert_is_refusal};
use super::op::{OwnedOperation, as_operations};
use super::peer;
use super::proof_parts::{ProofParts, ProofToken, TreeRoot};

/// A proof with operations and a digest for it.
#[derive(Clone, Debug)]
pub struct HostileBatch {
    pub shape: EntryShape,
    pub digest: [u8; 33],
    pub ops: Vec<OwnedOperation>,
    pub proof: Vec<u8>,
    /// The tree of the proof, if it has one, hashed independently.
    pub root: Option<TreeRoot>,
}

impl HostileBatch {
    /// A proof under a digest of its own root, with the height that follows from the balances.
    pub fn new(shape: EntryShape, ops: Vec<OwnedOperation>, proof: Vec<u8>) -> Self {
        let root = ProofParts::parse(&proof, shape).and_then(|anatomy| anatomy.root());
        let height = root.and_then(|root| root.height);
        let height = height.map_or(0, |height| u8::try_from(height).unwrap_or(u8::MAX));
        let digest = root.map_or([0; 33], |root| root.digest(height));
        Self { shape, digest, ops, proof, root }
    }

    pub fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        let shape = EntryShape::draw(u)?;
        let (ops, anatomy) = match u.int_in_range(0..=8)? {
            0 => return raw(u, shape),
            1..=5 => perturbed(u, shape)?,
            _ => grown(u, shape)?,
        };
        Self::new(shape, ops, anatomy.bytes(shape)).with_drawn_height(u)
    }

    /// Sometimes sets another height.
    fn with_drawn_height(mut self, u: &mut Unstructured<'_>) -> Result<Self> {
        if u.int_in_range(0..=5)? == 0 {
            self.digest[32] = u.arbitrary()?;
        }
        Ok(self)
    }

    /// Verifies in both modes and panics if the answers contradict each other or the peer's.
    pub fn check(&self) {
        let digest = Digest(self.digest);
        let operations = as_operations(&self.ops);
        let verify = |mode| {
            verify_batch(&digest, &operations, &self.proof, &self.shape.params(mode))
                .inspect_err(assert_is_refusal)
        };
        let (strict, compat) = (verify(Mode::Strict), verify(Mode::Compat));
        if strict.is_ok() {
            assert_eq!(strict, compat, "strict mode accepts what compat mode does not");
        }
        self.check_root(&strict);
        self.check_root(&compat);
        self.check_peer(&compat);
    }

    /// Checks that the independent hasher and the verifier see the same tree.
    fn check_root(&self, answer: &Result<Verified<Transition<'_>>, Error>) {
        let matches = self.root.is_some_and(|root| root.label == self.digest[..32]);
        match answer {
            Ok(_) => assert!(matches, "accepted without a tree that has the root"),
            Err(error) if error.reason() == Reason::RootMismatch => assert!(!matches, "{error}"),
            Err(_) => {}
        }
    }

    /// Checks that compat mode accepts what the peer accepts, apart from the peer's own bugs.
    fn check_peer(&self, compat: &Result<Verified<Transition<'_>>, Error>) {
        if self.root.is_none_or(|root| root.depth > 255) {
            // The peer would only panic, or recurse without bound.
            assert!(compat.is_err());
            return;
        }
        match (compat, peer::verify(&self.digest, &self.ops, &self.proof, self.shape)) {
            (Ok(ours), Some((results, digest))) => {
                assert_eq!(ours.digest.0, digest);
                let ours = ours.results.iter().map(|result| result.value().map(AsRef::as_ref));
                assert!(ours.eq(results.iter().map(Option::as_deref)));
            }
            (Ok(_), None) => assert!(self.peer_overflows(), "the peer refuses"),
            // The peer has no limit for values.
            (Err(error), Some(_)) => assert_eq!(error.reason(), Reason::ValueTooLarge, "{error}"),
            (Err(_), None) => {}
        }
    }

    /// Whether the peer's integers overflow where scrypto's do not: heights below 0, the negated -128.
    fn peer_overflows(&self) -> bool {
        let deletes = self.ops.iter().filter(|op| op.as_operation().may_delete()).count();
        let anatomy = ProofParts::parse(&self.proof, self.shape);
        let lowest = anatomy.is_some_and(|it| it.tokens.contains(&ProofToken::Internal(0x80)));
        lowest || usize::from(self.digest[32]) < deletes
    }
}

/// Any bytes at all.
fn raw(u: &mut Unstructured<'_>, shape: EntryShape) -> Result<HostileBatch> {
    let ops = shape.draw_ops(u, 6)?;
    let height: Option<u8> = u.arbitrary()?;
    let proof = u.bytes(u.len())?.to_vec();
    let mut hostile = HostileBatch::new(shape, ops, proof);
    if let Some(height) = height {
        hostile.digest[32] = height;
    }
    Ok(hostile)
}

/// An honest proof with a few nodes changed.
fn perturbed(
    u: &mut Unstructured<'_>,
    shape: EntryShape,
) -> Result<(Vec<OwnedOperation>, ProofParts)> {
    let honest = HonestDictionary::draw(u, shape, 40)?;
    let statement = honest.state(shape.draw_ops(u, 8)?);
    let mut anatomy = ProofParts::parse(&statement.proof, shape).unwrap();
    for _ in 0..u.int_in_range(0..=4)? {
        perturb(u, shape, &mut anatomy)?;
    }
    Ok((statement.ops, anatomy))
}

fn perturb(u: &mut Unstructured<'_>, shape: EntryShape, anatomy: &mut ProofParts) -> Result<()> {
    let choice = u.int_in_range(0..=29)?;
    if choice < 3 {
        match u.int_in_range(0..=anatomy.directions.len())?.checked_sub(1) {
            Some(at) => anatomy.directions[at] ^= 1 << u.int_in_range(0..=7)?,
            None => anatomy.directions.push(u.arbitrary()?),
        }
        return Ok(());
    }
    if anatomy.tokens.is_empty() {
        return Ok(());
    }
    let at = u.choose_index(anatomy.tokens.len())?;
    match (choice, &mut anatomy.tokens[at]) {
        (3, _) => drop(anatomy.tokens.remove(at)),
        (4, token) => {
            let token = token.clone();
            anatomy.tokens.insert(at, token);
        }
        (5, token) => *token = draw_token(u, shape)?,
        (6, _) => {
            let token = draw_token(u, shape)?;
            anatomy.tokens.insert(at, token);
        }
        (7..=11, _) => anatomy.collapse(at),
        (12, _) => {
            // Replace a leaf or label by a node over it and another one.
            let [below, above] = [draw_token(u, shape)?, ProofToken::Internal(draw_balance(u)?)];
            let after = at + 1;
            anatomy.tokens.splice(after..after, [below, above]);
        }
        (_, ProofToken::Internal(balance)) => *balance = draw_balance(u)?,
        (13..=16, ProofToken::Leaf { key, .. }) => *key = shape.draw_key(u)?,
        (17..=20, ProofToken::Leaf { next_key, .. }) => *next_key = shape.draw_key(u)?,
        (_, ProofToken::Leaf { value, .. }) => *value = shape.draw_value(u)?,
        (_, ProofToken::Label(label)) => label[0] ^= 1,
    }
    Ok(())
}

fn draw_token(u: &mut Unstructured<'_>, shape: EntryShape) -> Result<ProofToken> {
    Ok(match u.int_in_range(0..=2)? {
        0 => ProofToken::Label([u.arbitrary()?; 32]),
        1 => {
            let (key, next_key) = (shape.draw_key(u)?, shape.draw_key(u)?);
            ProofToken::Leaf { key, next_key, value: shape.draw_value(u)? }
        }
        _ => ProofToken::Internal(draw_balance(u)?),
    })
}

/// Mostly -1, 0 or 1; never a byte that means another token.
fn draw_balance(u: &mut Unstructured<'_>) -> Result<u8> {
    let balance = match u.int_in_range(0..=7)? {
        0..=2 => 0,
        3 | 4 => 1,
        5 | 6 => 0xff,
        _ => u.arbitrary()?,
    };
    Ok(if (2..=4).contains(&balance) { 5 } else { balance })
}

/// A tree of any shape whose leaves are mostly in order, with the paths to some of its keys.
fn grown(u: &mut Unstructured<'_>, shape: EntryShape) -> Result<(Vec<OwnedOperation>, ProofParts)> {
    let mut tree = TreeGrower { shape, tokens: Vec::new(), key: 0, paths: Vec::new() };
    let depth = u.int_in_range(0..=12)?;
    tree.grow(u, depth, &mut Vec::new())?;
    let mut ops = Vec::new();
    let mut bits = Vec::new();
    for _ in 0..u.int_in_range(0..=5)? {
        let mut op = shape.draw_op(u)?;
        if !tree.paths.is_empty() && u.int_in_range(0..=7)? > 0 {
            let (number, path) = u.choose(&tree.paths)?;
            set_key(&mut op, shape.key(number.saturating_add(u.int_in_range(0..=1)?)));
            bits.extend(path);
        } else {
            bits.extend(u.arbitrary::<[bool; 4]>()?);
        }
        ops.push(op);
    }
    bits.resize(bits.len() + u.int_in_range(0..=20)?, false);
    let byte =
        |bits: &[bool]| (0..).zip(bits).fold(0, |byte, (at, &bit)| byte | u8::from(bit) << at);
    Ok((ops, ProofParts { tokens: tree.tokens, directions: bits.chunks(8).map(byte).collect() }))
}

struct TreeGrower {
    shape: EntryShape,
    tokens: Vec<ProofToken>,
    /// The key of the next leaf, by number; 0 is the lower sentinel.
    key: u8,
    /// The key of each leaf by number, and the path to it: true is left.
    paths: Vec<(u8, Vec<bool>)>,
}

impl TreeGrower {
    fn grow(&mut self, u: &mut Unstructured<'_>, depth: usize, path: &mut Vec<bool>) -> Result<()> {
        match u.int_in_range(0..=9)? {
            0 => self.tokens.push(ProofToken::Label([u.arbitrary()?; 32])),
            1 => self.leaf(u, path)?,
            _ if depth == 0 || self.tokens.len() > 200 => self.leaf(u, path)?,
            _ => {
                for left in [true, false] {
                    path.push(left);
                    self.grow(u, depth - 1, path)?;
                    path.pop();
                }
                self.tokens.push(ProofToken::Internal(draw_balance(u)?));
            }
        }
        Ok(())
    }

    fn leaf(&mut self, u: &mut Unstructured<'_>, path: &[bool]) -> Result<()> {
        let number = self.key;
        self.key = number.saturating_add(u.int_in_range(0..=3)?);
        self.paths.push((number, path.to_vec()));
        let key = |number| match number {
            0 => vec![0; self.shape.key_length],
            255 => vec![0xff; self.shape.key_length],
            _ => self.shape.key(number),
        };
        let (key, next_key) = (key(number), key(self.key));
        self.tokens.push(ProofToken::Leaf { key, next_key, value: self.shape.draw_value(u)? });
        Ok(())
    }
}

fn set_key(op: &mut OwnedOperation, new: Vec<u8>) {
    match op {
        OwnedOperation::Lookup(key)
        | OwnedOperation::Insert(key, _)
        | OwnedOperation::Update(key, _)
        | OwnedOperation::InsertOrUpdate(key, _)
        | OwnedOperation::Remove(key)
        | OwnedOperation::RemoveIfExists(key)
        | OwnedOperation::UpdateLongBy(key, _) => *key = new,
    }
}
