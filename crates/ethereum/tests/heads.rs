//! From a checkpoint to the heads of recorded beacon blocks, and from there to a block's logs.
//!
//! No finality or optimistic update was recorded: they are made from two beacon blocks, as beacon nodes
//! do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use prooflight_beacon::{
    BeaconHead, Bootstrap, LightClient, Network, Update, UpdateKind, read_chunks,
};
use prooflight_core::{Hash, Limits, Reason};
use prooflight_ethereum::{
    BlockWithReceipts, LogFilter, Transaction, verify_block_header, verify_block_receipts,
    verify_logs,
};
use serde_json::Value;
use support::beacon_block::BeaconBlock;
use support::{array, copy, files, given, header_rlp, number, receipt_rlp};

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
            None => println!("slot {} lacks: a committee", parent.slot),
        }
    }
    if pairs == 0 && given().is_some() {
        println!("the folder lacks: two blocks in SSZ of which one signs the other");
        return;
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
            println!("{} lacks: its head", path.display());
            continue;
        };

        let receipts: Vec<_> = receipts.as_array().unwrap().iter().map(receipt_rlp).collect();
        let receipts: Vec<_> = receipts.iter().map(Vec::as_slice).collect();
        let block = [BlockWithReceipts { header: &header_rlp(&header), receipts: Some(&receipts) }];
        let filter =
            LogFilter { addresses: vec![array(&recorded[0]["address"])], topics: Vec::new() };
        let range = number(&header["number"])..=number(&header["number"]);
        let trusted = head.execution_block_hash.unwrap();
        let logs = verify_logs(&trusted, range, &filter, &block, &Limits::DEFAULT).unwrap();
        assert_eq!(logs.len(), recorded.len());
        shown += 1;
    }
    assert!(shown > 0 || given().is_some());
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
            println!("{} lacks: a header", path.display());
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
    assert!(shown > 0 || given().is_some());
}

/// The head that a client learns from a block's child; `None` if it does not know the committee.
fn follow(
    clients: &[LightClient],
    parent: &BeaconBlock,
    child: &BeaconBlock,
) -> Option<BeaconHead> {
    let update = parent.optimistic_update(child);
    let head = clients.iter().find_map(|client| {
        let mut client = client.clone();
        let progress = client.process(UpdateKind::Optimistic, &update, NOW).ok()?;
        progress.optimistic.then(|| *client.optimistic().unwrap())
    })?;
    assert_eq!((head.slot, head.beacon_root), (parent.slot, parent.root));
    assert_eq!(head.execution_block_hash, Some(parent.block_hash));
    Some(head)
}

/// The files of `PROOFLIGHT_ETHEREUM_MAINNET`, or this crate's copies; then those of `prooflight-beacon`.
fn recorded() -> Vec<PathBuf> {
    let cases = given().unwrap_or_else(|| copy("mainnet"));
    let folders = [cases, copy("../../../beacon/tests/data/mainnet")];
    folders.iter().flat_map(|folder| files(folder)).collect()
}

/// The bytes of the files whose names contain `part`.
fn named(files: &[PathBuf], part: &str) -> Vec<Vec<u8>> {
    let is = |path: &&PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.contains(part) && name.ends_with(".ssz")
    };
    files.iter().filter(is).map(|path| fs::read(path).unwrap()).collect()
}

/// Every client that the recorded checkpoints and updates lead to, period by period.
fn clients(files: &[PathBuf]) -> Vec<LightClient> {
    let answers = named(files, "update");
    let chunks =
        answers.iter().filter_map(|answer| read_chunks(answer, 128, &Limits::DEFAULT).ok());
    let mut chunks: Vec<_> = chunks.flatten().collect();
    chunks.sort_by_key(|chunk| {
        let update = Update::decode(UpdateKind::Update, chunk.ssz, &Network::MAINNET);
        update.map_or(0, |update| update.attested.beacon.slot)
    });
    let mut clients = Vec::new();
    let mut roots = BTreeSet::new();
    for bootstrap in named(files, "bootstrap") {
        let Ok(decoded) = Bootstrap::decode(&bootstrap, &Network::MAINNET) else { continue };
        let root = decoded.header.beacon.root();
        if !roots.insert(root) {
            continue;
        }
        let mut client = LightClient::start(Network::MAINNET, &root, &bootstrap, NOW, NOW).unwrap();
        clients.push(client.clone());
        for chunk in &chunks {
            // Updates of other periods are refused.
            if client.process_chunk(chunk, NOW).is_ok() {
                clients.push(client.clone());
            }
        }
    }
    clients
}

/// The roots that applications would pin are those of the recorded bootstraps.
#[test]
fn checkpoints_are_roots_of_bootstraps() {
    let files = recorded();
    let bootstraps: BTreeSet<Hash> = named(&files, "bootstrap")
        .iter()
        .filter_map(|bootstrap| Bootstrap::decode(bootstrap, &Network::MAINNET).ok())
        .map(|bootstrap| bootstrap.header.beacon.root())
        .collect();
    let mut seen = 0;
    for path in files.iter().filter(|path| path.to_string_lossy().contains("finality_checkpoints"))
    {
        let text: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        if bootstraps.contains(&array(&text["data"]["finalized"]["root"])) {
            seen += 1;
        } else {
            println!("{} lacks: the bootstrap", path.display());
        }
    }
    assert!(seen > 0);
}

/// Every recorded update is signed by a committee that some checkpoint leads to, or lacks one.
#[test]
fn recorded_updates_verify() {
    let files = recorded();
    let clients = clients(&files);
    let mut periods = BTreeSet::new();
    for answer in named(&files, "update") {
        let Ok(chunks) = read_chunks(&answer, 128, &Limits::DEFAULT) else { continue };
        for chunk in chunks {
            let Ok(update) = Update::decode(UpdateKind::Update, chunk.ssz, &Network::MAINNET)
            else {
                continue;
            };
            let period = update.attested.beacon.slot / 8192;
            let verifies = |client: &LightClient| {
                client.period() + 1 >= period && client.clone().process_chunk(&chunk, NOW).is_ok()
            };
            if clients.iter().any(verifies) {
                periods.insert(period);
            } else {
                println!("an update lacks: the committee of period {period}");
            }
        }
    }
    assert!(periods.contains(&1366), "{periods:?}");
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
