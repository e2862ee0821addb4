//! Trees that no honest prover makes, under digests that match them.

use arbitrary::{Result, Unstructured};
use prooflight_avl::{Digest, Mode, Transition, verify_batch};
use prooflight_core::{Error, Reason, Verified};

use super::anatomy::{Anatomy, Root, Token};
use super::draw::Shape;
use super::honest::{Honest, assert_is_refusal};
use super::op::{Op, ours};
use super::peer;

/// A proof with operations and a digest for it.
#[derive(Clone, Debug)]
pub struct Hostile {
    pub shape: Shape,
    pub digest: [u8; 33],
    pub ops: Vec<Op>,
    pub proof: Vec<u8>,
    /// The tree of the proof, if it has one, hashed independently.
    pub root: Option<Root>,
}

impl Hostile {
    /// A proof under a digest of its own root, with the height that follows from the balances.
    pub fn new(shape: Shape, ops: Vec<Op>, proof: Vec<u8>) -> Self {
        let root = Anatomy::parse(&proof, shape).and_then(|anatomy| anatomy.root());
        let height = root.and_then(|root| root.height);
        let height = height.map_or(0, |height| u8::try_from(height).unwrap_or(u8::MAX));
        let digest = root.map_or([0; 33], |root| root.digest(height));
        Self { shape, digest, ops, proof, root }
    }

    pub fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        let shape = Shape::draw(u)?;
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
        let operations = ours(&self.ops);
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
        let deletes = self.ops.iter().filter(|op| op.ours().may_delete()).count();
        let anatomy = Anatomy::parse(&self.proof, self.shape);
        let lowest = anatomy.is_some_and(|it| it.tokens.contains(&Token::Internal(0x80)));
        lowest || usize::from(self.digest[32]) < deletes
    }
}

/// Any bytes at all.
fn raw(u: &mut Unstructured<'_>, shape: Shape) -> Result<Hostile> {
    let ops = shape.draw_ops(u, 6)?;
    let height: Option<u8> = u.arbitrary()?;
    let proof = u.bytes(u.len())?.to_vec();
    let mut hostile = Hostile::new(shape, ops, proof);
    if let Some(height) = height {
        hostile.digest[32] = height;
    }
    Ok(hostile)
}

/// An honest proof with a few nodes changed.
fn perturbed(u: &mut Unstructured<'_>, shape: Shape) -> Result<(Vec<Op>, Anatomy)> {
    let honest = Honest::draw(u, shape, 40)?;
    let statement = honest.state(shape.draw_ops(u, 8)?);
    let mut anatomy = Anatomy::parse(&statement.proof, shape).unwrap();
    for _ in 0..u.int_in_range(0..=4)? {
        perturb(u, shape, &mut anatomy)?;
    }
    Ok((statement.ops, anatomy))
}

fn perturb(u: &mut Unstructured<'_>, shape: Shape, anatomy: &mut Anatomy) -> Result<()> {
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
            let [below, above] = [draw_token(u, shape)?, Token::Internal(draw_balance(u)?)];
            let after = at + 1;
            anatomy.tokens.splice(after..after, [below, above]);
        }
        (_, Token::Internal(balance)) => *balance = draw_balance(u)?,
        (13..=16, Token::Leaf { key, .. }) => *key = shape.draw_key(u)?,
        (17..=20, Token::Leaf { next_key, .. }) => *next_key = shape.draw_key(u)?,
        (_, Token::Leaf { value, .. }) => *value = shape.draw_value(u)?,
        (_, Token::Label(label)) => label[0] ^= 1,
    }
    Ok(())
}

fn draw_token(u: &mut Unstructured<'_>, shape: Shape) -> Result<Token> {
    Ok(match u.int_in_range(0..=2)? {
        0 => Token::Label([u.arbitrary()?; 32]),
        1 => {
            let (key, next_key) = (shape.draw_key(u)?, shape.draw_key(u)?);
            Token::Leaf { key, next_key, value: shape.draw_value(u)? }
        }
        _ => Token::Internal(draw_balance(u)?),
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
fn grown(u: &mut Unstructured<'_>, shape: Shape) -> Result<(Vec<Op>, Anatomy)> {
    let mut tree = Growing { shape, tokens: Vec::new(), key: 0, paths: Vec::new() };
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
    Ok((ops, Anatomy { tokens: tree.tokens, directions: bits.chunks(8).map(byte).collect() }))
}

struct Growing {
    shape: Shape,
    tokens: Vec<Token>,
    /// The key of the next leaf, by number; 0 is the lower sentinel.
    key: u8,
    /// The key of each leaf by number, and the path to it: true is left.
    paths: Vec<(u8, Vec<bool>)>,
}

impl Growing {
    fn grow(&mut self, u: &mut Unstructured<'_>, depth: usize, path: &mut Vec<bool>) -> Result<()> {
        match u.int_in_range(0..=9)? {
            0 => self.tokens.push(Token::Label([u.arbitrary()?; 32])),
            1 => self.leaf(u, path)?,
            _ if depth == 0 || self.tokens.len() > 200 => self.leaf(u, path)?,
            _ => {
                for left in [true, false] {
                    path.push(left);
                    self.grow(u, depth - 1, path)?;
                    path.pop();
                }
                self.tokens.push(Token::Internal(draw_balance(u)?));
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
        self.tokens.push(Token::Leaf { key, next_key, value: self.shape.draw_value(u)? });
        Ok(())
    }
}

fn set_key(op: &mut Op, new: Vec<u8>) {
    match op {
        Op::Lookup(key)
        | Op::Insert(key, _)
        | Op::Update(key, _)
        | Op::InsertOrUpdate(key, _)
        | Op::Remove(key)
        | Op::RemoveIfExists(key)
        | Op::UpdateLongBy(key, _) => *key = new,
    }
}
