//! A batch with its proof, as read from and written to vector files.

use prooflight_avl::{Digest, Params, ergo, verify_batch};
use prooflight_json::HexBytes;
use prooflight_vectors::avl::{AvlBatch, AvlOp, BatchMode};
use prooflight_vectors::ergo::AdProofs;
use prooflight_vectors::file::{TestGroup, TestVerdict, VectorFile, VectorTest};
use prooflight_vectors::input::TestInput;
use serde_json::{Map, Value, to_value};

use crate::Result;

/// A batch of operations with its proof, and the digests before and after it.
#[derive(Clone, Debug)]
pub struct BatchCase {
    /// The parameters that the verifier pins.
    pub params: Params,
    /// The digest before the batch.
    pub before: Digest,
    /// The digest after the batch.
    pub after: Digest,
    /// The operations, in order.
    pub ops: Vec<AvlOp>,
    /// The proof.
    pub proof: Vec<u8>,
}

impl BatchCase {
    /// Verifies the case with our verifier; returns the digest after it.
    pub fn verify(&self) -> Result<Digest> {
        let ops: Vec<_> = self.ops.iter().map(AvlOp::borrow).collect();
        Ok(verify_batch(&self.before, &ops, &self.proof, &self.params)?.digest)
    }
}

/// Reads the cases of a vector file: its valid `AvlBatch` and `ErgoAdProofs` tests.
pub fn read(json: &str) -> Result<Vec<BatchCase>> {
    let file = VectorFile::parse(json)?;
    let mut cases = Vec::new();
    for group in file.test_groups {
        let valid = |test: &VectorTest| test.result == TestVerdict::Valid;
        for test in group.tests.into_iter().filter(valid) {
            cases.push(match group.group_type.as_str() {
                "ErgoAdProofs" => ergo_case(serde_json::from_value(to_value(test.input)?)?)?,
                "AvlBatch" => {
                    let expected = test.expected.unwrap_or_default();
                    let after = expected.get("digest").cloned().unwrap_or_default();
                    batch_case(
                        serde_json::from_value(to_value(test.input)?)?,
                        &serde_json::from_value(after)?,
                    )?
                }
                other => return Err(format!("no benchmark of {other}").into()),
            });
        }
    }
    Ok(cases)
}

fn ergo_case(input: AdProofs) -> Result<BatchCase> {
    Ok(BatchCase {
        params: ergo::ERGO_PARAMS,
        before: Digest::try_from(&input.parent_state_root.0[..])?,
        after: Digest::try_from(&input.state_root.0[..])?,
        ops: input.ops,
        proof: input.proof.0,
    })
}

fn batch_case(input: AvlBatch, after: &HexBytes) -> Result<BatchCase> {
    Ok(BatchCase {
        params: input.params(),
        before: Digest::try_from(&input.digest.0[..])?,
        after: Digest::try_from(&after.0[..])?,
        ops: input.ops,
        proof: input.proof.0,
    })
}

/// Writes a vector file of these batches, all with default limits and strict.
pub fn write(cases: &[BatchCase]) -> Result<String> {
    let tests = (1..).zip(cases).map(|(tc_id, case)| {
        let input = AvlBatch {
            key_length: case.params.key_length,
            value_length: case.params.value_length,
            digest: HexBytes(case.before.0.to_vec()),
            ops: case.ops.clone(),
            proof: HexBytes(case.proof.clone()),
            mode: BatchMode::Strict,
            limits: None,
        };
        let after = HexBytes(case.after.0.to_vec()).to_string();
        Ok(VectorTest {
            tc_id,
            comment: format!("{} operations", case.ops.len()),
            flags: Vec::new(),
            input: TestInput::Json(to_value(input)?),
            result: TestVerdict::Valid,
            expected: Some(Map::from_iter([("digest".to_owned(), Value::String(after))])),
            expected_error: None,
            expected_reason: None,
        })
    });
    let file = VectorFile {
        schema: VectorFile::SCHEMA.to_owned(),
        scheme: "avl".to_owned(),
        origin: "prooflight-bench --write-cases".to_owned(),
        license: "MIT OR Apache-2.0".to_owned(),
        number_of_tests: cases.len(),
        notes: Map::new(),
        test_groups: vec![TestGroup {
            group_type: "AvlBatch".to_owned(),
            tests: tests.collect::<Result<_>>()?,
        }],
    };
    Ok(serde_json::to_string(&file)?)
}
