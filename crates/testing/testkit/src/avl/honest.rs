//! An honest dictionary, and the judge of every accepted statement about it.

use arbitrary::{Result, Unstructured};
use prooflight_avl::{AvlProver, Digest, Mode, OldValue, verify_batch};
use prooflight_core::{Code, Error};

use super::draw::EntryShape;
use super::model::DictionaryModel;
use super::op::{OwnedOperation, as_operations};
use super::proof_parts::ProofParts;

/// A dictionary, both in the prover and in the model.
#[derive(Clone, Debug)]
pub struct HonestDictionary {
    pub shape: EntryShape,
    pub prover: AvlProver,
    pub model: DictionaryModel,
}

/// A true statement about an honest dictionary, with its proof.
#[derive(Clone, Debug)]
pub struct TrueStatement {
    pub ops: Vec<OwnedOperation>,
    pub proof: Vec<u8>,
}

impl HonestDictionary {
    pub fn new(shape: EntryShape) -> Self {
        let prover = AvlProver::new(shape.params(Mode::Strict)).unwrap();
        Self { shape, prover, model: DictionaryModel::new(shape) }
    }

    /// A dictionary after up to `most` operations.
    pub fn draw(u: &mut Unstructured<'_>, shape: EntryShape, most: usize) -> Result<Self> {
        let mut honest = Self::new(shape);
        let ops = shape.draw_ops(u, most)?;
        honest.apply(&honest.possible(ops));
        Ok(honest)
    }

    /// The operations that succeed when a list is applied in order.
    pub fn possible(&self, ops: Vec<OwnedOperation>) -> Vec<OwnedOperation> {
        let mut model = self.model.clone();
        ops.into_iter().filter(|op| model.apply(op).is_ok()).collect()
    }

    /// A statement about the operations of a list that succeed.
    pub fn state(&self, ops: Vec<OwnedOperation>) -> TrueStatement {
        let ops = self.possible(ops);
        let proof = self.prover.prove_batch(&as_operations(&ops)).unwrap().proof;
        TrueStatement { ops, proof }
    }

    pub fn apply(&mut self, ops: &[OwnedOperation]) {
        self.prover.apply_batch(&as_operations(ops)).unwrap();
        for op in ops {
            self.model.apply(op).unwrap();
        }
    }

    pub fn digest(&self) -> Digest {
        self.prover.digest()
    }

    /// A statement's proof that also expands the nodes of another statement, under the same root.
    pub fn show_more(&self, statement: &TrueStatement, other: &TrueStatement) -> Vec<u8> {
        let both = self.state([&statement.ops[..], &other.ops].concat());
        let mut anatomy = ProofParts::parse(&both.proof, self.shape).unwrap();
        anatomy.directions = ProofParts::parse(&statement.proof, self.shape).unwrap().directions;
        anatomy.bytes(self.shape)
    }

    /// A statement's proof with an expanded subtree replaced by its label, under the same root.
    pub fn show_less(
        &self,
        u: &mut Unstructured<'_>,
        statement: &TrueStatement,
    ) -> Result<Vec<u8>> {
        let mut anatomy = ProofParts::parse(&statement.proof, self.shape).unwrap();
        let at = u.choose_index(anatomy.tokens.len())?;
        anatomy.collapse(at);
        Ok(anatomy.bytes(self.shape))
    }

    /// Verifies, and panics if anything is accepted that the model or the prover contradicts.
    ///
    /// In strict mode the accepted bytes must also be the prover's own.
    pub fn judge(&self, ops: &[OwnedOperation], proof: &[u8], mode: Mode) -> Result<(), Error> {
        let operations = as_operations(ops);
        let params = self.shape.params(mode);
        let verified = verify_batch(&self.digest(), &operations, proof, &params)
            .inspect_err(assert_is_refusal)?;

        assert_eq!(verified.results.len(), ops.len());
        let mut model = self.model.clone();
        for (op, result) in ops.iter().zip(&verified.results) {
            match result {
                OldValue::Present(value) => assert_eq!(model.get(op.key()), Some(value.as_ref())),
                OldValue::Absent(neighbours) => {
                    assert_eq!(model.get(op.key()), None);
                    let expected = model.neighbours(op.key());
                    assert_eq!((neighbours.previous, neighbours.next), expected);
                }
            }
            model.apply(op).unwrap_or_else(|reason| panic!("{mode:?} accepted {op:?}: {reason}"));
        }
        let proved = self.prover.prove_batch(&operations).unwrap();
        assert_eq!(verified.digest, proved.digest, "{mode:?}");
        if mode == Mode::Strict {
            assert_eq!(proof, proved.proof, "another encoding of the same statement");
        }
        Ok(())
    }
}

/// Checks that the verifier blames the proof, since the arguments are correct.
pub fn assert_is_refusal(error: &Error) {
    // The one exception: only a proof shows that a sum does not have the fixed value length.
    let blames_proof = matches!(error.code(), Code::Malformed | Code::Mismatch)
        || error.reason() == prooflight_core::Reason::ValueLength;
    assert!(blames_proof, "{error:?}");
    assert!(!error.to_string().is_empty());
}
