//! From a checkpoint to the heads of recorded beacon blocks, and from there to a block's logs.
//!
//! No finality or optimistic update was recorded: they are made from two beacon blocks, as beacon nodes
//! do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use prooflight_beacon::{Head, Kind, LightClient, Network, read_chunks};
use prooflight_core::{Hash, Limits, Reason};
use prooflight_ethereum::{
    Filter, RangeBlock, Transaction, verify_block_header, verify_block_receipts, verify_logs,
};
use serde_json::Value;
use support::beacon_block::BeaconBlock;
use support::{array, files, folder, header_rlp, number, receipt_rlp};

/// A slot after all recorded data.
const NOW: u64 = 1 << 25;

#[test]
fn recorded_heads_verify_from_checkpoints() {
    let files = recorded();
    let clients = clients(&files);
    assert!(!clients.is_empty(), "no bootstrap of a checkpoint");
    let (mut verified, mut pairs) = (BTreeMap::new(), 0);
    let blocks = blocks(&files);
    for child in blocks.values() {
        let Some(parent) = blocks.get(&child.parent_root) else { continue };
        pairs += 1;
        match follow(&clients, parent, child) {
            Some(head) => {
                let signed = head.participation.unwrap().signed;
                assert_eq!(signed, usize::try_from(child.participants()).unwrap());
                println!("slot {}: {signed} of 512 signed", parent.slot);
                verified.insert(parent.slot, head);
            }
            None => println!("slot {}: no committee is recorded", parent.slot),
        }
    }
    assert!(pairs > 0 && !verified.is_empty(), "{} of {pairs} heads", verified.len());
}

#[test]
fn a_checkpoint_leads_to_a_blocks_logs() {
    let files = recorded();
    let (clients, blocks) = (clients(&files), blocks(&files));
    let mut shown = 0;
    for path in files.iter().filter(|path| path.to_string_lossy().contains("eth_getLogs__")) {
        let beside = |name: String| {
            let path = path.with_file_name(name);
            path.exists().then(|| result(&path))
        };
        let recorded = result(path);
        let recorded = recorded.as_array().unwrap();
        let block = recorded[0]["blockNumber"].as_str().unwrap();
        let header = beside(format!("eth_getBlockByNumber_{block}_false.json"));
        let receipts = beside(format!("eth_getBlockReceipts_{block}.json"));
        let (Some(header), Some(receipts)) = (header, receipts) else { continue };
        let hash: Hash = array(&header["hash"]);
        let head = blocks.values().find_map(|child| {
            let parent =
                blocks.get(&child.parent_root).filter(|parent| parent.block_hash == hash)?;
            follow(&clients, parent, child)
        });
        let Some(head) = head else {
            println!("{}: its head is not recorded", path.display());
            continue;
        };

        let receipts: Vec<_> = receipts.as_array().unwrap().iter().map(receipt_rlp).collect();
        let receipts: Vec<_> = receipts.iter().map(Vec::as_slice).collect();
        let block = [RangeBlock { header: &header_rlp(&header), receipts: Some(&receipts) }];
        let filter = Filter { addresses: vec![array(&recorded[0]["address"])], topics: Vec::new() };
        let range = number(&header["number"])..=number(&header["number"]);
        let trusted = head.execution_block_hash.unwrap();
        let logs = verify_logs(&trusted, range, &filter, &block, &Limits::DEFAULT).unwrap();
        assert_eq!(logs.len(), recorded.len());
        shown += 1;
    }
    assert!(shown > 0);
}

/// The fields derived from a block's transactions and receipts equal the node's answers.
#[test]
fn receipts_are_those_that_nodes_show() {
    let files = recorded();
    let blocks = blocks(&files);
    let mut shown = 0;
    for path in files.iter().filter(|path| path.to_string_lossy().contains("eth_getBlockReceipts_"))
    {
        let recorded = result(path);
        let recorded = recorded.as_array().unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let name = name.replace("eth_getBlockReceipts", "eth_getBlockByNumber");
        let header = path.with_file_name(name.replace(".json", "_false.json"));
        let hash: Hash = array(&recorded[0]["blockHash"]);
        let Some(block) = blocks.values().find(|block| block.block_hash == hash) else { continue };
        let transactions: Vec<_> = block.transactions.iter().map(Vec::as_slice).collect();
        let receipts: Vec<_> = recorded.iter().map(receipt_rlp).collect();
        let receipts: Vec<_> = receipts.iter().map(Vec::as_slice).collect();
        let check = |transaction: &Transaction, recorded: &Value| {
            assert_eq!(transaction.hash, array::<32>(&recorded["transactionHash"]));
            assert_eq!(transaction.from, array(&recorded["from"]));
            let to = (!recorded["to"].is_null()).then(|| array(&recorded["to"]));
            assert_eq!(transaction.to, to);
            assert_eq!(transaction.chain_id.unwrap_or(1), 1);
        };
        if !header.exists() {
            // Senders need no header.
            for (bytes, recorded) in transactions.iter().zip(recorded) {
                check(&Transaction::decode(bytes).unwrap(), recorded);
            }
            println!("{}: no header is recorded", path.display());
            continue;
        }
        let header = header_rlp(&result(&header));
        let header = verify_block_header(&hash, &header, &Limits::DEFAULT).unwrap();
        let limits = &Limits::DEFAULT;
        let all = verify_block_receipts(&header, &transactions, &receipts, limits).unwrap();
        assert_eq!(all.len(), recorded.len());
        let mut logs = 0;
        for (found, recorded) in all.iter().zip(recorded) {
            check(&found.transaction, recorded);
            assert_eq!(found.transaction_index, number(&recorded["transactionIndex"]));
            assert_eq!(found.gas_used, number(&recorded["gasUsed"]));
            let price = found.effective_gas_price.last_chunk().copied().map(u64::from_be_bytes);
            assert_eq!(price, Some(number(&recorded["effectiveGasPrice"])));
            let contract = &recorded["contractAddress"];
            let contract = (!contract.is_null()).then(|| array(contract));
            assert_eq!(found.contract_address, contract);
            assert_eq!(found.first_log_index, logs);
            logs += recorded["logs"].as_array().unwrap().len() as u64;
        }
        shown += 1;

        let other = [&transactions[1..], &transactions[..1]].concat();
        let refused = verify_block_receipts(&header, &other, &receipts, limits).unwrap_err();
        assert_eq!(refused.reason(), Reason::RootMismatch);
    }
    assert!(shown > 0);
}

/// The head that a client learns from a block's child; none if it does not know the committee.
fn follow(clients: &[LightClient], parent: &BeaconBlock, child: &BeaconBlock) -> Option<Head> {
    let update = parent.optimistic_update(child);
    let head = clients.iter().find_map(|client| {
        let mut client = client.clone();
        let progress = client.process(Kind::Optimistic, &update, NOW).ok()?;
        progress.optimistic.then(|| *client.optimistic().unwrap())
    })?;
    assert_eq!((head.slot, head.beacon_root), (parent.slot, parent.root));
    assert_eq!(head.execution_block_hash, Some(parent.block_hash));
    Some(head)
}

/// The files of `PROOFLIGHT_ETHEREUM_MAINNET`, or the copies of this crate and of `prooflight-beacon`.
fn recorded() -> Vec<PathBuf> {
    let copies = || [folder("", "mainnet"), folder("", "../../../beacon/tests/data/mainnet")];
    let given = std::env::var_os("PROOFLIGHT_ETHEREUM_MAINNET");
    let folders = given.map_or_else(|| copies().to_vec(), |given| vec![PathBuf::from(given)]);
    folders.iter().flat_map(|folder| files(folder)).collect()
}

/// Every client that the recorded checkpoints and updates lead to, period by period.
fn clients(files: &[PathBuf]) -> Vec<LightClient> {
    let named = |part: &str| {
        let name = |path: &&PathBuf| path.file_name().unwrap().to_string_lossy().contains(part);
        files.iter().filter(name).collect::<Vec<_>>()
    };
    let checkpoints = named("finality_checkpoints").into_iter().map(|path| {
        let text: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        array(&text["data"]["finalized"]["root"])
    });
    let mut clients = Vec::new();
    for checkpoint in checkpoints.collect::<std::collections::BTreeSet<Hash>>() {
        let start = |path: &PathBuf| {
            let bootstrap = fs::read(path).unwrap();
            LightClient::start(Network::MAINNET, &checkpoint, &bootstrap, NOW, NOW).ok()
        };
        let Some(mut client) = named("bootstrap").into_iter().find_map(start) else { continue };
        clients.push(client.clone());
        for path in named("update").into_iter().filter(|path| path.extension().unwrap() == "ssz") {
            let answer = fs::read(path).unwrap();
            let Ok(chunks) = read_chunks(&answer, 128, &Limits::DEFAULT) else { continue };
            for chunk in chunks {
                // Updates of other periods are refused.
                if client.process_chunk(&chunk, NOW).is_ok() {
                    clients.push(client.clone());
                }
            }
        }
    }
    clients
}

/// The recorded blocks, by their roots.
fn blocks(files: &[PathBuf]) -> BTreeMap<Hash, BeaconBlock> {
    let is_block = |path: &&PathBuf| path.to_string_lossy().contains("beacon_blocks");
    let blocks = files.iter().filter(is_block).filter_map(|path| {
        let block = BeaconBlock::decode(&fs::read(path).unwrap());
        if block.is_none() {
            println!("{}: no block that this test reads", path.display());
        }
        block
    });
    blocks.map(|block| (block.root, block)).collect()
}

fn result(path: &std::path::Path) -> Value {
    let mut answer: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    answer["result"].take()
}
