//! The fuzz targets; a panic is a finding.

use arbitrary::{Result, Unstructured};
use prooflight_core::{Code, Error, Limits, keccak256};
use prooflight_ethereum::{
    BlockWithReceipts, LogFilter, Receipt, Transaction, TransactionOutcome, list_root,
    verify_block_header, verify_logs, verify_receipts,
};
use prooflight_mpt::encode;

use crate::replay::FuzzTarget;

/// The targets, by name.
pub const TARGETS: [(&str, FuzzTarget); 2] =
    [("ethereum_decode", ethereum_decode), ("ethereum_logs", ethereum_logs)];

/// Decodes arbitrary bytes as headers and receipts: what is accepted must encode to the same bytes.
pub fn ethereum_decode(u: &mut Unstructured<'_>) -> Result<()> {
    let bytes = u.bytes(u.len())?;
    match Receipt::decode(bytes) {
        Ok(receipt) => assert_eq!(receipt_rlp(&receipt), bytes),
        Err(error) => malformed(&error),
    }
    match Transaction::decode(bytes) {
        Ok(transaction) => assert_eq!(transaction.hash, keccak256(&[bytes])),
        Err(error) => assert!(!matches!(error.code(), Code::Internal | Code::InvalidInput)),
    }
    match verify_block_header(&keccak256(&[bytes]), bytes, &Limits::DEFAULT) {
        Ok(header) => assert_eq!(header.hash, keccak256(&[bytes])),
        Err(error) => malformed(&error),
    }
    Ok(())
}

fn malformed(error: &Error) {
    assert_eq!(error.code(), Code::Malformed, "{error}");
}

/// Changes the receipts of a made-up block: they must be refused, or have the same logs.
pub fn ethereum_logs(u: &mut Unstructured<'_>) -> Result<()> {
    let mut receipts = Vec::new();
    for _ in 0..u.int_in_range(0..=140)? {
        let kind = u.int_in_range(0..=4)?;
        let length = u.int_in_range(0..=40)?;
        receipts.push(made_up_receipt(kind, u.bytes(length)?));
    }
    let header = made_up_header(&list_root(&slices(&receipts)));
    let hash = keccak256(&[&header]);
    let find = |receipts: &[Vec<u8>]| {
        let receipts = slices(receipts);
        let block = BlockWithReceipts { header: &header, receipts: Some(&receipts) };
        verify_logs(&hash, 7..=7, &LogFilter::default(), &[block], &Limits::DEFAULT)
    };
    let honest = find(&receipts).expect("an honest block");
    assert_eq!(honest.len(), receipts.len());
    let mut changed = receipts.clone();
    match u.int_in_range(0..=3)? {
        0 => drop(changed.pop()),
        1 => changed.push(made_up_receipt(2, &[])),
        2 if changed.len() > 1 => {
            let (one, two) = (u.choose_index(changed.len())?, u.choose_index(changed.len())?);
            changed.swap(one, two);
        }
        _ if changed.is_empty() => {}
        _ => {
            let at = u.choose_index(changed.len())?;
            let byte = u.choose_index(changed[at].len())?;
            changed[at][byte] ^= u.int_in_range(0..=255)?;
        }
    }
    assert_eq!(find(&changed).is_ok(), changed == receipts);
    let verified = verify_block_header(&hash, &header, &Limits::DEFAULT).unwrap();
    let same = verify_receipts(&verified, &slices(&changed), &Limits::DEFAULT);
    assert_eq!(same.is_ok(), changed == receipts);
    Ok(())
}

fn slices(items: &[Vec<u8>]) -> Vec<&[u8]> {
    items.iter().map(Vec::as_slice).collect()
}

/// A receipt with one log with this data.
fn made_up_receipt(kind: u8, data: &[u8]) -> Vec<u8> {
    let topics = encode::list(&[encode::string(&[kind; 32])]);
    let log = encode::list(&[encode::string(&[0xad; 20]), topics, encode::string(data)]);
    let status = encode::integer(&[kind % 2]);
    let gas = encode::integer(&[0x52, 0x08]);
    let bloom = encode::string(&[0; 256]);
    with_kind(kind, encode::list(&[status, gas, bloom, encode::list(&[log])]))
}

fn with_kind(kind: u8, list: Vec<u8>) -> Vec<u8> {
    if kind == 0 { list } else { [&[kind], &list[..]].concat() }
}

/// The header of block 7 with this receipts root.
fn made_up_header(receipts_root: &[u8; 32]) -> Vec<u8> {
    let hash = encode::string(&[0x11; 32]);
    let mut fields = vec![hash.clone(), hash.clone(), encode::string(&[0x22; 20])];
    fields.extend([hash.clone(), hash.clone(), encode::string(receipts_root)]);
    fields.push(encode::string(&[0xff; 256]));
    fields.extend([0, 7, 100, 50, 9].map(|number| encode::integer(&[number])));
    fields.extend([encode::string(b"made up"), hash, encode::string(&[0; 8])]);
    encode::list(&fields)
}

fn receipt_rlp(receipt: &Receipt) -> Vec<u8> {
    let outcome = match receipt.outcome {
        TransactionOutcome::Status(status) => encode::integer(&[u8::from(status)]),
        TransactionOutcome::StateRoot(root) => encode::string(&root),
    };
    let logs: Vec<_> = receipt
        .logs
        .iter()
        .map(|log| {
            let topics: Vec<_> = log.topics.iter().map(|topic| encode::string(topic)).collect();
            let address = encode::string(&log.address);
            encode::list(&[address, encode::list(&topics), encode::string(&log.data)])
        })
        .collect();
    let gas = encode::integer(&receipt.cumulative_gas_used.to_be_bytes());
    let bloom = encode::string(&receipt.logs_bloom.0);
    with_kind(receipt.kind, encode::list(&[outcome, gas, bloom, encode::list(&logs)]))
}
