//! The messages about AVL+ that cross the boundary, in borsh (`test-vectors/spec/conventions.md`).
//!
//! ```text
//! enum   Operation     { Lookup { key }, Insert { key, value }, Update { key, value },
//!                        InsertOrUpdate { key, value }, Remove { key }, RemoveIfExists { key },
//!                        UpdateLongBy { key, delta: i64 } }            key, value: Vec<u8>
//! struct Params        { key_length: u32, value_length: Option<u32>, compat: bool,
//!                        max_proof_bytes: Option<u32>, max_operations: Option<u32>,
//!                        max_deletes: Option<u32>, max_value_bytes: Option<u32> }
//! enum   OldValue      { Present(Vec<u8>), Absent { previous: Option<Vec<u8>>,
//!                        next: Option<Vec<u8>> },   both None unless `neighbours`
//!                        Repeated(u32) }   the index of an earlier Present with the same value, from 0
//! struct BatchResponse { digest: [u8; 33], results: Vec<OldValue> }
//! struct ProofResponse { proof: Vec<u8>, batch: BatchResponse }
//! ```

use prooflight_avl::{
    Mode, Neighbours, OldValue as Found, Operation, Params, ProvedBatch, Transition,
};
use prooflight_core::{Limits, Result};

use crate::avl::results::{self, OldValue};
use crate::wire::{RequestReader, RequestValue, ResponseWriter, requests, unknown};

requests! {
    /// A batch, and the digest and parameters to verify it against.
    struct BatchRequest<'a> {
        digest: &'a [u8],
        params: Params,
        neighbours: bool,
        operations: Vec<Operation<'a>>,
    }

    /// The operations of an Ergo block, and the commitments of its header.
    struct ErgoRequest<'a> {
        parent_state_root: &'a [u8],
        state_root: &'a [u8],
        ad_proofs_root: &'a [u8],
        neighbours: bool,
        operations: Vec<Operation<'a>>,
    }
}

/// Encodes a `BatchResponse`.
pub(crate) fn verified_batch(batch: &Transition<'_>, neighbours: bool) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(64 + 48 * batch.results.len());
    response.write(&batch.digest.0);
    let old_values = batch.results.iter().map(|result| match result {
        Found::Present(value) => OldValue::Present(value.as_ref()),
        Found::Absent(Neighbours { previous, next }) if neighbours => {
            OldValue::Absent { previous: *previous, next: *next }
        }
        Found::Absent(_) => ABSENT_VALUE,
    });
    results::write(&mut response, old_values);
    response.into_bytes()
}

/// Encodes a `ProofResponse`.
pub(crate) fn proved_batch(batch: &ProvedBatch) -> Vec<u8> {
    let mut response =
        ResponseWriter::with_capacity(64 + batch.proof.len() + 48 * batch.results.len());
    response.write(&batch.proof);
    response.write(&batch.digest.0);
    let old_values = batch.results.iter().map(|result| match result {
        Some(value) => OldValue::Present(value),
        None => ABSENT_VALUE,
    });
    results::write(&mut response, old_values);
    response.into_bytes()
}

const ABSENT_VALUE: OldValue<'static> = OldValue::Absent { previous: None, next: None };

impl RequestValue<'_> for Params {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        let params = Self::new(r.read()?, r.read()?);
        let mode = if r.read()? { Mode::Compat } else { Mode::Strict };
        let max_proof_bytes: Option<usize> = r.read()?;
        let max_keys = r.read::<Option<usize>>()?.unwrap_or(params.limits.max_keys);
        let max_deletes: Option<usize> = r.read()?;
        let max_value_bytes: Option<usize> = r.read()?;
        let limits = Limits {
            max_proof_bytes: max_proof_bytes.unwrap_or(params.limits.max_proof_bytes),
            max_keys,
            max_value_bytes: max_value_bytes.unwrap_or(params.limits.max_value_bytes),
            ..params.limits
        };
        Ok(Self { mode, limits, max_deletes: max_deletes.unwrap_or(max_keys), ..params })
    }
}

impl<'a> RequestValue<'a> for Operation<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        let (variant, key) = (r.read()?, r.read()?);
        Ok(match variant {
            0 => Self::Lookup { key },
            1 => Self::Insert { key, value: r.read()? },
            2 => Self::Update { key, value: r.read()? },
            3 => Self::InsertOrUpdate { key, value: r.read()? },
            4 => Self::Remove { key },
            5 => Self::RemoveIfExists { key },
            6 => Self::UpdateLongBy { key, delta: r.read()? },
            other => return Err(unknown("an operation of 0 to 6", other)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use borsh::BorshSerialize;
    use prooflight_avl::Digest;
    use prooflight_core::Reason;
    use std::sync::Arc;

    #[derive(BorshSerialize)]
    enum BatchOp {
        Lookup { key: Vec<u8> },
        Insert { key: Vec<u8>, value: Vec<u8> },
        Update { key: Vec<u8>, value: Vec<u8> },
        InsertOrUpdate { key: Vec<u8>, value: Vec<u8> },
        Remove { key: Vec<u8> },
        RemoveIfExists { key: Vec<u8> },
        UpdateLongBy { key: Vec<u8>, delta: i64 },
    }

    #[derive(BorshSerialize)]
    struct BatchParams {
        key_length: u32,
        value_length: Option<u32>,
        compat: bool,
        max_proof_bytes: Option<u32>,
        max_operations: Option<u32>,
        max_deletes: Option<u32>,
        max_value_bytes: Option<u32>,
    }

    #[derive(BorshSerialize)]
    struct BatchMessage {
        digest: Vec<u8>,
        params: BatchParams,
        neighbours: bool,
        operations: Vec<BatchOp>,
    }

    #[derive(BorshSerialize)]
    enum OldValue {
        Present(Vec<u8>),
        Absent { previous: Option<Vec<u8>>, next: Option<Vec<u8>> },
        Repeated(u32),
    }

    #[derive(BorshSerialize)]
    struct BatchResponse {
        digest: [u8; 33],
        results: Vec<OldValue>,
    }

    #[derive(BorshSerialize)]
    struct ProofResponse {
        proof: Vec<u8>,
        batch: BatchResponse,
    }

    fn request() -> Vec<u8> {
        let (key, value) = (vec![7, 8], vec![9]);
        let batch = BatchMessage {
            digest: vec![1; 33],
            params: BatchParams {
                key_length: 2,
                value_length: Some(1),
                compat: true,
                max_proof_bytes: None,
                max_operations: Some(11),
                max_deletes: None,
                max_value_bytes: Some(12),
            },
            neighbours: true,
            operations: vec![
                BatchOp::Lookup { key: key.clone() },
                BatchOp::Insert { key: key.clone(), value: value.clone() },
                BatchOp::Update { key: key.clone(), value: value.clone() },
                BatchOp::InsertOrUpdate { key: key.clone(), value: vec![] },
                BatchOp::Remove { key: key.clone() },
                BatchOp::RemoveIfExists { key: key.clone() },
                BatchOp::UpdateLongBy { key, delta: i64::MIN + 1 },
            ],
        };
        borsh::to_vec(&batch).unwrap()
    }

    #[test]
    fn requests_are_borsh() {
        let request = request();
        let batch = BatchRequest::decode(&request).unwrap();
        assert_eq!(batch.digest, [1; 33]);
        assert_eq!(
            batch.params,
            Params {
                key_length: 2,
                value_length: Some(1),
                mode: Mode::Compat,
                limits: Limits { max_keys: 11, max_value_bytes: 12, ..Limits::DEFAULT },
                max_deletes: 11,
            }
        );
        assert!(batch.neighbours);
        let (key, value) = (&[7, 8][..], &[9][..]);
        assert_eq!(
            batch.operations,
            [
                Operation::Lookup { key },
                Operation::Insert { key, value },
                Operation::Update { key, value },
                Operation::InsertOrUpdate { key, value: &[] },
                Operation::Remove { key },
                Operation::RemoveIfExists { key },
                Operation::UpdateLongBy { key, delta: i64::MIN + 1 },
            ]
        );
    }

    #[test]
    fn a_request_that_does_not_decode_is_a_bug() {
        let request = request();
        let reason = |bytes: &[u8]| BatchRequest::decode(bytes).map(|_| ()).unwrap_err().reason();
        for length in 0..request.len() {
            assert_eq!(reason(&request[..length]), Reason::Bug, "{length}");
        }
        assert_eq!(reason(&[&request[..], &[0]].concat()), Reason::Bug);
        let operations = <Vec<Operation<'_>>>::decode;
        assert_eq!(operations(&[1, 0, 0, 0, 7, 0, 0, 0, 0]).unwrap_err().reason(), Reason::Bug);
        assert_eq!(operations(&[0xff; 4]).unwrap_err().reason(), Reason::Bug);
    }

    #[test]
    fn responses_are_borsh() {
        let (previous, next) = (Some(&[1][..]), None);
        let batch = Transition {
            digest: Digest([5; 33]),
            results: vec![
                Found::Present(prooflight_avl::LeafValue::Bytes(&[3, 4])),
                Found::Absent(Neighbours { previous, next }),
            ],
        };
        let response = |previous: Option<Vec<u8>>| BatchResponse {
            digest: [5; 33],
            results: vec![OldValue::Present(vec![3, 4]), OldValue::Absent { previous, next: None }],
        };
        let with = borsh::to_vec(&response(Some(vec![1]))).unwrap();
        let without = borsh::to_vec(&response(None)).unwrap();
        assert_eq!(verified_batch(&batch, true), with);
        assert_eq!(verified_batch(&batch, false), without);

        let proved = ProvedBatch {
            proof: vec![6, 6],
            digest: Digest([5; 33]),
            results: vec![Some(Arc::from([3, 4])), None],
        };
        let expected = ProofResponse { proof: vec![6, 6], batch: response(None) };
        assert_eq!(proved_batch(&proved), borsh::to_vec(&expected).unwrap());
    }

    #[test]
    fn a_value_crosses_once_however_many_operations_found_it() {
        use prooflight_avl::LeafValue::{Bytes, Long};
        let bytes = [7; 80];
        let (long, next, part) = (&bytes[..40], &bytes[40..], &bytes[..39]);
        let values = [Bytes(long), Bytes(&[1]), Long([0; 8]), Bytes(part), Bytes(next)];
        let twice = [values, values].concat();
        let results = twice.into_iter().map(Found::Present).collect();
        let batch = Transition { digest: Digest([5; 33]), results };

        let first = || {
            let values = [vec![7; 40], vec![1], vec![0; 8], vec![7; 39], vec![7; 40]];
            values.map(OldValue::Present).into_iter()
        };
        let repeated = [
            OldValue::Repeated(0),
            OldValue::Present(vec![1]),
            OldValue::Present(vec![0; 8]),
            OldValue::Repeated(3),
            OldValue::Repeated(4),
        ];
        let response =
            BatchResponse { digest: [5; 33], results: first().chain(repeated).collect() };
        assert_eq!(verified_batch(&batch, false), borsh::to_vec(&response).unwrap());

        let value: Arc<[u8]> = Arc::from([7; 40]);
        let results = vec![Some(Arc::clone(&value)), Some(value), Some(Arc::from([7; 40]))];
        let proved = ProvedBatch { proof: vec![], digest: Digest([5; 33]), results };
        let batch = BatchResponse {
            digest: [5; 33],
            results: vec![
                OldValue::Present(vec![7; 40]),
                OldValue::Repeated(0),
                OldValue::Present(vec![7; 40]),
            ],
        };
        let response = ProofResponse { proof: vec![], batch };
        assert_eq!(proved_batch(&proved), borsh::to_vec(&response).unwrap());
    }
}
