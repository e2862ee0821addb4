//! Recorded blocks: a test chain through all forks, and mainnet.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod support;

use std::fs;

use alloy_trie::root::ordered_trie_root_encoded;
use prooflight_core::{Code, Hash, Limits, Reason, keccak256};
use prooflight_ethereum::{
    BlobParams, BlockBody, BlockWithReceipts, LogFilter, MatchingLog, Transaction,
    TransactionOutcome, list_root, next_base_fee, next_blob_fee, verify_blob_fee,
    verify_block_header, verify_body, verify_logs, verify_receipts, verify_transaction,
    verify_transactions,
};
use prooflight_mpt::encode;
use prooflight_mpt::rlp::{self, RlpItem};
use serde_json::Value;
use support::{array, bytes, copy, exchanges, files, given, header_rlp, number, receipt_rlp};

const LIMITS: &Limits = &Limits::DEFAULT;

fn slices(items: &[Vec<u8>]) -> Vec<&[u8]> {
    items.iter().map(Vec::as_slice).collect()
}

/// The encoding of a list's item.
fn encoded(item: RlpItem<'_>) -> Vec<u8> {
    match item {
        RlpItem::String(bytes) => encode::string(bytes),
        RlpItem::List(payload) => encode::list(&[payload.to_vec()]),
    }
}

fn items(list: RlpItem<'_>) -> Vec<RlpItem<'_>> {
    let RlpItem::List(payload) = list else { panic!("a string") };
    let mut items = rlp::items(payload);
    let mut all = Vec::new();
    while !items.is_empty() {
        all.push(items.take().unwrap());
    }
    all
}

/// A block of `chain.rlp`: header, transactions in their signed form, withdrawals.
struct Block {
    header: Vec<u8>,
    transactions: Vec<Vec<u8>>,
    ommers: Vec<Vec<u8>>,
    withdrawals: Option<Vec<Vec<u8>>>,
}

fn chain() -> Vec<Block> {
    let path = copy("execution_apis").join("chain.rlp");
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let list = encode::list(&[bytes]);
    let blocks = items(rlp::decode(&list).unwrap());
    let block = |block: &RlpItem<'_>| {
        let parts = items(*block);
        let transaction = |item: &RlpItem<'_>| match item {
            RlpItem::String(typed) => typed.to_vec(),
            RlpItem::List(_) => encoded(*item),
        };
        Block {
            header: encoded(parts[0]),
            transactions: items(parts[1]).iter().map(transaction).collect(),
            ommers: items(parts[2]).into_iter().map(encoded).collect(),
            withdrawals: parts.get(3).map(|list| items(*list).into_iter().map(encoded).collect()),
        }
    };
    blocks.iter().map(block).collect()
}

fn head() -> Hash {
    let path = copy("execution_apis").join("headfcu.json");
    let text: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    array(&text["params"][0]["headBlockHash"])
}

#[test]
fn a_chain_through_all_forks_verifies_from_its_head() {
    let mut hash = head();
    let (mut seen, mut optional) = (0, [0; 3]);
    for block in chain().iter().rev() {
        let header = verify_block_header(&hash, &block.header, LIMITS).unwrap();
        let transactions = slices(&block.transactions);
        let hashes = verify_transactions(&header, &transactions, LIMITS).unwrap();
        assert_eq!(hashes.len(), transactions.len());
        seen += hashes.len();

        // One less, one more, or another order is refused.
        let refused = |transactions: &[&[u8]]| {
            verify_transactions(&header, transactions, LIMITS).unwrap_err().reason()
        };
        if let [first, rest @ ..] = &transactions[..] {
            assert_eq!(refused(rest), Reason::RootMismatch);
            assert_eq!(refused(&[&transactions[..], &[first]].concat()), Reason::RootMismatch);
            if !rest.is_empty() {
                assert_eq!(refused(&[rest, &[first]].concat()), Reason::RootMismatch);
            }
        } else {
            assert_eq!(refused(&[&[0x80]]), Reason::RootMismatch);
        }
        let root = block.withdrawals.as_ref().map(|list| list_root(&slices(list)));
        assert_eq!(header.withdrawals_root, root);
        let fields = [
            header.base_fee_per_gas.is_some(),
            header.excess_blob_gas.is_some() && header.parent_beacon_block_root.is_some(),
            header.requests_hash.is_some(),
        ];
        optional.iter_mut().zip(fields).for_each(|(count, is)| *count += u32::from(is));
        hash = header.parent_hash;
    }
    assert!(seen > 20, "{seen} transactions");
    assert!(optional.iter().all(|count| *count > 0), "{optional:?}");
}

#[test]
fn bodies_have_exactly_the_lists_of_their_blocks() {
    let mut hash = head();
    let mut seen = [0; 2];
    for block in chain().iter().rev() {
        let header = verify_block_header(&hash, &block.header, LIMITS).unwrap();
        let (transactions, ommers) = (slices(&block.transactions), slices(&block.ommers));
        let withdrawals = block.withdrawals.as_ref().map(|list| slices(list));
        let body = |ommers: &[&[u8]], withdrawals: Option<&[&[u8]]>| {
            let body = BlockBody { transactions: &transactions, ommers, withdrawals };
            verify_body(&header, &body, LIMITS).map_err(|error| error.reason())
        };
        let hashes = body(&ommers, withdrawals.as_deref()).unwrap();
        let expected = verify_transactions(&header, &transactions, LIMITS).unwrap();
        assert_eq!(hashes.transactions, *expected);
        assert_eq!(hashes.ommers.len(), ommers.len());
        let wrong = Err(Reason::RootMismatch);
        let other = [&ommers[..], &[&block.header]].concat();
        assert_eq!(body(&other, withdrawals.as_deref()), wrong);
        match &withdrawals {
            Some(list) => {
                assert_eq!(body(&ommers, None), wrong);
                let more = [list, &[&[0xc0][..]][..]].concat();
                assert_eq!(body(&ommers, Some(&more)), wrong);
            }
            None => assert_eq!(body(&ommers, Some(&[])), wrong),
        }
        if !ommers.is_empty() {
            assert_eq!(body(&[], withdrawals.as_deref()), wrong);
        }
        seen[0] += usize::from(withdrawals.is_some());
        seen[1] += ommers.len();
        hash = header.parent_hash;
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

/// The parameters of blobs in the test chain, by time, as its `genesis.json` has them.
fn blobs(timestamp: u64) -> BlobParams {
    let (target, max, update_fraction) = match timestamp {
        ..450 => (3, 6, 3_338_477),
        450..510 => (6, 9, 5_007_716),
        510..540 => (10, 15, 8_346_193),
        540.. => (14, 21, 11_684_671),
    };
    BlobParams { target, max, update_fraction, has_reserve: timestamp >= 480 }
}

#[test]
fn fees_follow_from_the_block_before() {
    let mut hash = head();
    let headers: Vec<_> = chain()
        .iter()
        .rev()
        .map(|block| {
            let header = verify_block_header(&hash, &block.header, LIMITS).unwrap();
            hash = header.parent_hash;
            header
        })
        .collect();
    let mut seen = [0; 2];
    for pair in headers.windows(2) {
        let (header, parent) = (&pair[0], &pair[1]);
        if let Some(fee) = next_base_fee(parent).unwrap() {
            assert_eq!(header.base_fee_per_gas, Some(fee), "block {}", header.number);
            seen[0] += 1;
        }
        let params = blobs(header.timestamp);
        let fee = verify_blob_fee(header, parent, &params).unwrap();
        assert_eq!(fee.is_some(), header.excess_blob_gas.is_some());
        assert_eq!(next_blob_fee(header, &params).unwrap().is_some(), fee.is_some());
        // All blocks of the chain have less blobs than the target.
        assert!(fee.is_none_or(|fee| fee[..31] == [0; 31] && fee[31] == 1));
        seen[1] += u32::from(fee.is_some());
    }
    assert!(seen.iter().all(|count| *count > 8), "{seen:?}");
}

#[test]
fn blob_fees_need_the_parameters_of_the_block() {
    // The smallest headers of their forks, with chosen blob gas.
    let header = |number: u64, excess: u64, used: u64, base_fee: u64| {
        let (hash, integer) = (
            |byte| encode::string(&[byte; 32]),
            |value: u64| encode::integer(&value.to_be_bytes()),
        );
        let fields = [
            hash(1),
            hash(2),
            encode::string(&[3; 20]),
            hash(4),
            hash(5),
            hash(6),
            encode::string(&[0; 256]),
            integer(0),
            integer(number),
            integer(30_000_000),
            integer(15_000_000),
            integer(12 * number),
            encode::string(&[]),
            hash(7),
            encode::string(&[0; 8]),
            integer(base_fee),
            hash(8),
            integer(used),
            integer(excess),
            hash(9),
        ];
        let rlp = encode::list(&fields);
        verify_block_header(&keccak256(&[&rlp]), &rlp, LIMITS).unwrap()
    };
    let blob = 1 << 17;
    let params =
        |has_reserve| BlobParams { target: 6, max: 9, update_fraction: 5_007_716, has_reserve };
    let fee_of = |excess, parent_excess, used, base_fee, has_reserve| {
        let (child, parent) = (header(2, excess, 0, 7), header(1, parent_excess, used, base_fee));
        verify_blob_fee(&child, &parent, &params(has_reserve)).map_err(|error| error.reason())
    };
    let wei = |amount: u128| {
        let mut word = [0; 32];
        word[16..].copy_from_slice(&amount.to_be_bytes());
        Ok(Some(word))
    };
    assert_eq!(fee_of(0, 0, 6 * blob, 7, false), wei(1));
    assert_eq!(fee_of(3 * blob, 0, 9 * blob, 7, false), wei(1));
    // 100,000,000 / 5,007,716 = 19.97, and e ^ 19.97 = 470,442,149 by the Python of the EIP.
    let before = 100_000_000 - 3 * blob;
    assert_eq!(fee_of(100_000_000, before, 9 * blob, 7, false), wei(470_442_149));
    assert_eq!(fee_of(100_000_001, before, 9 * blob, 7, false), Err(Reason::UnsupportedFork));
    // With a high base fee, the reserve holds since Osaka: a third of the used gas is added.
    assert_eq!(fee_of(3 * blob, 0, 9 * blob, 1_000_000_000, true), wei(1));
    assert_eq!(fee_of(2 * blob, 0, 6 * blob, 1_000_000_000, true), wei(1));
    assert_eq!(fee_of(2 * blob, 0, 6 * blob, 1, true), Err(Reason::UnsupportedFork));
    // More blobs than there may be show that a fork has changed the parameters.
    let (parent, reason) = (header(1, 0, 6 * blob, 7), Reason::UnsupportedFork);
    let used = |count| verify_blob_fee(&header(2, 0, count * blob, 7), &parent, &params(false));
    assert_eq!(used(9).map_err(|error| error.reason()), wei(1));
    assert_eq!(used(10).map_err(|error| error.reason()), Err(reason));
    // What does not fit is refused, and does not hang.
    assert_eq!(fee_of(u64::MAX, u64::MAX, 6 * blob, 7, false), Err(Reason::UnsupportedFork));
}

#[test]
fn a_single_transaction_has_its_hash() {
    for bytes in chain().iter().flat_map(|block| &block.transactions) {
        let hash = keccak256(&[bytes]);
        let transaction = verify_transaction(&hash, bytes).unwrap();
        assert_eq!(*transaction, Transaction::decode(bytes).unwrap());
        assert_eq!(Transaction::decode_sent(bytes).as_ref(), Ok(&*transaction));
        let refused = verify_transaction(&[1; 32], bytes).unwrap_err();
        assert_eq!(refused.reason(), Reason::TransactionMismatch);
        if transaction.kind == 3 {
            let sent = [&[3][..], &encode::list(&[bytes[1..].to_vec(), vec![0xc0]])].concat();
            assert_eq!(Transaction::decode_sent(&sent).as_ref(), Ok(&*transaction));
        }
    }
}

#[test]
fn transactions_of_every_type_have_a_sender() {
    let mut kinds = [0; 5];
    let reason = |bytes: &[u8]| Transaction::decode(bytes).unwrap_err().reason();
    for bytes in chain().iter().flat_map(|block| &block.transactions) {
        let transaction = Transaction::decode(bytes).unwrap();
        assert_eq!(transaction.hash, keccak256(&[bytes]));
        kinds[usize::from(transaction.kind)] += 1;

        // Another s has another signer, or none.
        let mut other = bytes.clone();
        *other.last_mut().unwrap() ^= 1;
        let from = Transaction::decode(&other).map(|other| other.from);
        assert_ne!(from, Ok(transaction.from));
        assert_eq!(reason(&bytes[..bytes.len() - 1]), Reason::Truncated);
        assert_eq!(reason(&[&bytes[..], &[0]].concat()), Reason::TrailingBytes);
        if transaction.kind > 0 {
            let mut unknown = bytes.clone();
            unknown[0] = 5;
            assert_eq!(reason(&unknown), Reason::UnsupportedFork);
            unknown[0] = 0;
            assert_eq!(reason(&unknown), Reason::InvalidTransaction);
        }
    }
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
    assert_eq!(reason(&[]), Reason::Truncated);
    // r and s are zero.
    let fields: Vec<_> =
        [1, 1, 1, 0, 1, 0, 27, 0, 0].map(|number| encode::integer(&[number])).into();
    assert_eq!(reason(&encode::list(&fields)), Reason::InvalidSignature);
    let mut parity = fields.clone();
    parity[6] = encode::integer(&[29]);
    assert_eq!(reason(&encode::list(&parity)), Reason::InvalidTransaction);
}

#[test]
fn a_header_is_that_of_one_hash() {
    let block = chain().pop().unwrap();
    for at in 0..block.header.len() {
        let mut other = block.header.clone();
        other[at] ^= 1;
        let refused = verify_block_header(&head(), &other, LIMITS).unwrap_err();
        assert!(matches!(refused.code(), Code::Malformed | Code::Mismatch), "{at}: {refused}");
    }
    let refused = verify_block_header(&[0; 32], &block.header, LIMITS).unwrap_err();
    assert_eq!(refused.reason(), Reason::HeaderHashMismatch);
}

#[test]
fn lists_of_any_length_have_one_root() {
    // keccak of the RLP of an empty string: the trie without keys.
    let empty = "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
    assert_eq!(hex::encode(list_root(&[])), empty);
    let values: Vec<_> = (0..700_u32).map(|value| value.to_be_bytes().repeat(9)).collect();
    // Short values, whose nodes are embedded in their parents.
    let short: Vec<_> = (0..300_u16).map(|value| value.to_le_bytes()[..1].to_vec()).collect();
    for length in [1, 2, 3, 16, 17, 127, 128, 129, 300] {
        let root = ordered_trie_root_encoded(&short[..length]);
        assert_eq!(list_root(&slices(&short[..length])), root, "{length}");
    }
    let mut roots = std::collections::BTreeSet::new();
    for length in 0..values.len() {
        let root = list_root(&slices(&values[..length]));
        assert_eq!(root, ordered_trie_root_encoded(&values[..length]), "{length}");
        assert!(roots.insert(root), "{length}");
    }
}

/// Blocks with recorded receipts: their number, header and receipts, in `eth_getBlockReceipts*`.
#[test]
fn recorded_receipts_rebuild_the_root() {
    let mut rebuilt = 0;
    for path in files(&given().unwrap_or_else(|| copy("mainnet"))) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(number) = name.strip_prefix("eth_getBlockReceipts_") else { continue };
        let number = number.strip_suffix(".json").unwrap();
        let block = path.with_file_name(format!("eth_getBlockByNumber_{number}_false.json"));
        if !block.exists() {
            println!("{} lacks: a header", path.display());
            continue;
        }
        let block = result(&block);
        let receipts: Vec<_> = result(&path).as_array().unwrap().iter().map(receipt_rlp).collect();
        let hash: Hash = array(&block["hash"]);
        let header = verify_block_header(&hash, &header_rlp(&block), LIMITS).unwrap();
        let verified = verify_receipts(&header, &slices(&receipts), LIMITS).unwrap();
        assert_eq!(verified.len(), receipts.len());
        assert_eq!(verified.last().unwrap().cumulative_gas_used, header.gas_used);
        rebuilt += 1;

        for at in (0..receipts.len()).step_by(7) {
            let mut other = receipts.clone();
            let middle = other[at].len() / 2;
            other[at][middle] ^= 1;
            let refused = verify_receipts(&header, &slices(&other), LIMITS).unwrap_err();
            assert_eq!(refused.reason(), Reason::RootMismatch);
        }
        let limits = Limits { max_proof_bytes: 1000, ..Limits::DEFAULT };
        let refused = verify_receipts(&header, &slices(&receipts), &limits).unwrap_err();
        assert_eq!(refused.reason(), Reason::ProofTooLarge);
    }
    assert!(rebuilt > 0 || given().is_some());
}

fn result(path: &std::path::Path) -> Value {
    let mut answer: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    answer["result"].take()
}

#[test]
fn receipts_before_byzantium_have_a_state_root() {
    let chain = chain();
    let path = copy("execution_apis").join("eth_getBlockReceipts/get-block-receipts-n.io");
    let (_, answer) = exchanges(&path).remove(0);
    let receipts = answer["result"].as_array().unwrap();
    let block = &chain[usize::try_from(number(&receipts[0]["blockNumber"])).unwrap() - 1];
    let hash = keccak256(&[&block.header]);
    assert_eq!(hash, array(&receipts[0]["blockHash"]));
    let header = verify_block_header(&hash, &block.header, LIMITS).unwrap();
    let encoded: Vec<_> = receipts.iter().map(receipt_rlp).collect();
    let verified = verify_receipts(&header, &slices(&encoded), LIMITS).unwrap();
    for (receipt, recorded) in verified.iter().zip(receipts) {
        let outcome = match &recorded["root"] {
            Value::Null => TransactionOutcome::Status(number(&recorded["status"]) == 1),
            root => TransactionOutcome::StateRoot(array(root)),
        };
        assert_eq!(receipt.outcome, outcome);
    }
}

/// The repository's recorded answer of `eth_getLogs` on mainnet is complete; `heads.rs` asks it of every other one.
#[test]
fn logs_are_complete() {
    let folder = copy("mainnet/eth_getLogs1");
    let first = result(&folder.join("eth_getBlockByNumber_0x14d7970_false.json"));
    let second = result(&folder.join("eth_getBlockByNumber_0x14d7971_false.json"));
    let receipts = result(&folder.join("eth_getBlockReceipts_0x14d7970.json"));
    let receipts: Vec<_> = receipts.as_array().unwrap().iter().map(receipt_rlp).collect();
    let receipts = slices(&receipts);
    let name = |path: &std::path::PathBuf| path.to_string_lossy().contains("eth_getLogs__");
    let recorded = result(&files(&folder).into_iter().find(name).unwrap());
    let recorded = recorded.as_array().unwrap();

    let address = array(&recorded[0]["address"]);
    let filter = LogFilter { addresses: vec![address], topics: Vec::new() };
    let (header, hash) = (header_rlp(&first), array(&first["hash"]));
    let block = |receipts| [BlockWithReceipts { header: &header, receipts }];
    let range = number(&first["number"])..=number(&first["number"]);
    let verify = |filter: &LogFilter, receipts| {
        verify_logs(&hash, range.clone(), filter, &block(receipts), LIMITS)
    };
    let found = verify(&filter, Some(&receipts[..])).unwrap();
    assert_eq!(found.len(), 8);
    same_logs(&found, recorded);

    // Receipts may only be omitted where the bloom excludes a match.
    let missing = verify(&filter, None).unwrap_err();
    assert_eq!(missing.reason(), Reason::ReceiptsMissing);
    let elsewhere = LogFilter { addresses: vec![[0x11; 20]], topics: Vec::new() };
    assert!(verify(&elsewhere, None).unwrap().is_empty());
    assert!(verify(&elsewhere, Some(&receipts[..])).unwrap().is_empty());
    let fewer = verify(&filter, Some(&receipts[1..])).unwrap_err();
    assert_eq!(fewer.reason(), Reason::RootMismatch);

    // Topics at their positions.
    let topics: Vec<Hash> = recorded[0]["topics"].as_array().unwrap().iter().map(array).collect();
    let with = |topics| {
        let filter = LogFilter { addresses: vec![address], topics };
        verify(&filter, Some(&receipts[..])).unwrap().len()
    };
    let transfers = recorded.iter().filter(|log| log["topics"][0] == recorded[0]["topics"][0]);
    assert_eq!(with(vec![vec![topics[0]]]), transfers.count());
    assert_eq!(with(vec![vec![]]), 8);
    assert_eq!(with(vec![vec![], vec![topics[1], [7; 32]]]), 1);
    assert_eq!(with(vec![vec![topics[1]]]), 0);
    assert_eq!(with(vec![vec![], vec![], vec![], vec![]]), 0);

    // Two blocks; the receipts of the second were not recorded.
    let (header_2, last) = (header_rlp(&second), array(&second["hash"]));
    let two = [
        BlockWithReceipts { header: &header, receipts: Some(&receipts) },
        BlockWithReceipts { header: &header_2, receipts: None },
    ];
    let from = *range.start();
    let reason = |last: &Hash, range, blocks: &[BlockWithReceipts<'_>]| {
        verify_logs(last, range, &filter, blocks, LIMITS).unwrap_err().reason()
    };
    let rare = LogFilter { addresses: vec![[0x77; 20], [0x78; 20]], topics: Vec::new() };
    assert!(verify_logs(&last, from..=from + 1, &rare, &two, LIMITS).unwrap().is_empty());
    assert_eq!(reason(&last, from..=from + 1, &two), Reason::ReceiptsMissing);
    assert_eq!(reason(&last, from..=from, &two), Reason::WrongBlock);
    assert_eq!(reason(&last, from + 1..=from + 2, &two), Reason::WrongBlock);
    assert_eq!(reason(&hash, from..=from + 1, &two), Reason::HeaderHashMismatch);
    assert_eq!(reason(&last, from..=from + 1, &[two[1], two[0]]), Reason::HeaderHashMismatch);
    assert_eq!(reason(&last, from..=from + 1, &[two[1], two[1]]), Reason::HeaderHashMismatch);
    assert_eq!(reason(&last, 0..=u64::MAX, &two), Reason::WrongBlock);
    // An empty list of blocks is refused: for the longest range, whose length does not fit in 64 bits,
    assert_eq!(reason(&last, 0..=u64::MAX, &[]), Reason::WrongBlock);
    assert_eq!(reason(&last, from..=from, &[]), Reason::WrongBlock);
    // and for one that ends before it begins.
    #[expect(clippy::reversed_empty_ranges, reason = "the range that must be refused")]
    let reversed = 8..=7;
    assert_eq!(reason(&last, reversed, &[]), Reason::InvalidArgument);
}

fn same_logs(found: &[MatchingLog], recorded: &[Value]) {
    assert_eq!(found.len(), recorded.len());
    for (log, recorded) in found.iter().zip(recorded) {
        assert_eq!(log.block_hash, array::<32>(&recorded["blockHash"]));
        assert_eq!(log.block_number, number(&recorded["blockNumber"]));
        assert_eq!(log.transaction_index, number(&recorded["transactionIndex"]));
        assert_eq!(log.log_index, number(&recorded["logIndex"]));
        assert_eq!(log.log.address, array(&recorded["address"]));
        assert_eq!(log.log.data, bytes(&recorded["data"]));
        let topics: Vec<Hash> = recorded["topics"].as_array().unwrap().iter().map(array).collect();
        assert_eq!(log.log.topics, topics);
    }
}
