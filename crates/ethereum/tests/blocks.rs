//! Recorded blocks: a test chain through all forks, and mainnet.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod support;

use std::fs;

use alloy_trie::root::ordered_trie_root_encoded;
use prooflight_core::{Code, Hash, Limits, Reason, keccak256};
use prooflight_ethereum::{
    Filter, FoundLog, Outcome, RangeBlock, Transaction, list_root, verify_block_header,
    verify_logs, verify_receipts, verify_transactions,
};
use prooflight_mpt::encode;
use prooflight_mpt::rlp::{self, Item};
use serde_json::Value;
use support::{array, bytes, exchanges, files, folder, header_rlp, number, receipt_rlp};

const LIMITS: &Limits = &Limits::DEFAULT;

fn slices(items: &[Vec<u8>]) -> Vec<&[u8]> {
    items.iter().map(Vec::as_slice).collect()
}

/// The encoding of a list's item.
fn encoded(item: Item<'_>) -> Vec<u8> {
    match item {
        Item::String(bytes) => encode::string(bytes),
        Item::List(payload) => encode::list(&[payload.to_vec()]),
    }
}

fn items(list: Item<'_>) -> Vec<Item<'_>> {
    let Item::List(payload) = list else { panic!("a string") };
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
    withdrawals: Option<Vec<Vec<u8>>>,
}

fn chain() -> Vec<Block> {
    let path = folder("PROOFLIGHT_EXECUTION_APIS", "execution_apis").join("chain.rlp");
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let list = encode::list(&[bytes]);
    let blocks = items(rlp::decode(&list).unwrap());
    let block = |block: &Item<'_>| {
        let parts = items(*block);
        let transaction = |item: &Item<'_>| match item {
            Item::String(typed) => typed.to_vec(),
            Item::List(_) => encoded(*item),
        };
        Block {
            header: encoded(parts[0]),
            transactions: items(parts[1]).iter().map(transaction).collect(),
            withdrawals: parts.get(3).map(|list| items(*list).into_iter().map(encoded).collect()),
        }
    };
    blocks.iter().map(block).collect()
}

fn head() -> Hash {
    let path = folder("PROOFLIGHT_EXECUTION_APIS", "execution_apis").join("headfcu.json");
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
    for path in files(&folder("PROOFLIGHT_ETHEREUM_MAINNET", "mainnet")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(number) = name.strip_prefix("eth_getBlockReceipts_") else { continue };
        let number = number.strip_suffix(".json").unwrap();
        let block = path.with_file_name(format!("eth_getBlockByNumber_{number}_false.json"));
        if !block.exists() {
            println!("{}: no header is recorded", path.display());
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
    assert!(rebuilt > 0);
}

fn result(path: &std::path::Path) -> Value {
    let mut answer: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    answer["result"].take()
}

#[test]
fn receipts_before_byzantium_have_a_state_root() {
    let chain = chain();
    let path = folder("PROOFLIGHT_EXECUTION_APIS", "execution_apis")
        .join("eth_getBlockReceipts/get-block-receipts-n.io");
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
            Value::Null => Outcome::Status(number(&recorded["status"]) == 1),
            root => Outcome::StateRoot(array(root)),
        };
        assert_eq!(receipt.outcome, outcome);
    }
}

/// The recorded answers of `eth_getLogs` on mainnet are complete.
#[test]
fn logs_are_complete() {
    let folder = folder("PROOFLIGHT_ETHEREUM_MAINNET", "mainnet").join("eth_getLogs1");
    let first = result(&folder.join("eth_getBlockByNumber_0x14d7970_false.json"));
    let second = result(&folder.join("eth_getBlockByNumber_0x14d7971_false.json"));
    let receipts = result(&folder.join("eth_getBlockReceipts_0x14d7970.json"));
    let receipts: Vec<_> = receipts.as_array().unwrap().iter().map(receipt_rlp).collect();
    let receipts = slices(&receipts);
    let name = |path: &std::path::PathBuf| path.to_string_lossy().contains("eth_getLogs__");
    let recorded = result(&files(&folder).into_iter().find(name).unwrap());
    let recorded = recorded.as_array().unwrap();

    let address = array(&recorded[0]["address"]);
    let filter = Filter { addresses: vec![address], topics: Vec::new() };
    let (header, hash) = (header_rlp(&first), array(&first["hash"]));
    let block = |receipts| [RangeBlock { header: &header, receipts }];
    let range = number(&first["number"])..=number(&first["number"]);
    let verify = |filter: &Filter, receipts| {
        verify_logs(&hash, range.clone(), filter, &block(receipts), LIMITS)
    };
    let found = verify(&filter, Some(&receipts[..])).unwrap();
    assert_eq!(found.len(), 8);
    same_logs(&found, recorded);

    // Receipts may only be omitted where the bloom excludes a match.
    let missing = verify(&filter, None).unwrap_err();
    assert_eq!(missing.reason(), Reason::ReceiptsMissing);
    let elsewhere = Filter { addresses: vec![[0x11; 20]], topics: Vec::new() };
    assert!(verify(&elsewhere, None).unwrap().is_empty());
    assert!(verify(&elsewhere, Some(&receipts[..])).unwrap().is_empty());
    let fewer = verify(&filter, Some(&receipts[1..])).unwrap_err();
    assert_eq!(fewer.reason(), Reason::RootMismatch);

    // Topics at their positions.
    let topics: Vec<Hash> = recorded[0]["topics"].as_array().unwrap().iter().map(array).collect();
    let with = |topics| {
        let filter = Filter { addresses: vec![address], topics };
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
        RangeBlock { header: &header, receipts: Some(&receipts) },
        RangeBlock { header: &header_2, receipts: None },
    ];
    let from = *range.start();
    let reason = |last: &Hash, range, blocks: &[RangeBlock<'_>]| {
        verify_logs(last, range, &filter, blocks, LIMITS).unwrap_err().reason()
    };
    let rare = Filter { addresses: vec![[0x77; 20], [0x78; 20]], topics: Vec::new() };
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

fn same_logs(found: &[FoundLog], recorded: &[Value]) {
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
