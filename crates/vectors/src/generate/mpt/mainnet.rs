//! `mpt/mainnet_negative.json`: an answer about a contract of Ethereum's mainnet, changed.

use prooflight_core::Reason;
use serde::Deserialize as _;
use serde_json::to_value;

use super::state::{EMPTY_CODE, word};
use super::trie::Trie;
use crate::carrier::Hash32;
use crate::file::{VectorFile, Verdict};
use crate::generate::builder::Builder;
use crate::mpt::{EthGetProof, Response};

const FLAGS: &[(&str, &str)] = &[
    ("Absence", "the contract or its slot is passed off as absent"),
    ("Field", "a field of the answer is not what the proof shows"),
    ("Mutated", "a bit of a node is flipped; only the code is pinned"),
    ("Nodes", "nodes are missing, left over or in another order"),
    ("OtherProof", "a proof of another account or block"),
];

/// The file's bytes, from those of `mpt/eth_get_proof.json`.
pub(in crate::generate) fn file(answers: &str) -> String {
    let mut file = Builder::new("mpt", FLAGS);
    file.group("EthGetProof");
    let deposits = Case::read(answers, "mainnet_21925176_depositcontract_helios");
    let miner = Case::read(answers, "mainnet_21925176_eoa_miner_helios");
    let older = Case::read(answers, "mainnet_17463226_388c818c_lodestar");
    absence(&mut file, &deposits);
    fields(&mut file, &deposits);
    nodes(&mut file, &deposits);
    others(&mut file, &deposits, &miner, &older);
    mutated(&mut file, &deposits);
    file.finish()
}

/// An honest answer of the mainnet.
struct Case {
    input: EthGetProof,
    response: Response,
}

impl Case {
    fn read(answers: &str, name: &str) -> Self {
        let file = VectorFile::parse(answers).expect("a vector file");
        let mut tests = file.test_groups.into_iter().flat_map(|group| group.tests);
        let found = tests.find(|test| test.comment.starts_with(name));
        let test = found.unwrap_or_else(|| panic!("no test {name}"));
        assert_eq!(test.result, Verdict::Valid);
        let input =
            EthGetProof::deserialize(&*test.input.read().expect("an input")).expect("an input");
        let response = Response::deserialize(&input.response).expect("an answer");
        Self { input, response }
    }

    fn changed(&self, change: impl FnOnce(&mut Response)) -> EthGetProof {
        let mut response = self.response.clone();
        change(&mut response);
        let response = to_value(response).expect("answers are plain data");
        EthGetProof { response, ..self.input.clone() }
    }
}

fn absence(file: &mut Builder, case: &Case) {
    let nothing = |response: &mut Response, kept: usize| {
        response.account_proof.truncate(kept);
        (response.nonce, response.balance) = (word(0), word(0));
        response.code_hash = Hash32(EMPTY_CODE);
        response.storage_hash = Hash32(Trie::default().root());
        for slot in &mut response.storage_proof {
            slot.proof.clear();
            slot.value = word(0);
        }
    };
    let whole = case.response.account_proof.len();
    for kept in 0..=whole {
        let input = case.changed(|it| nothing(it, kept));
        let comment = format!("the contract is absent by the first {kept} nodes of its proof");
        let reason = match kept {
            0 => Reason::RootMismatch,
            _ if kept < whole => Reason::NodeMissing,
            _ => Reason::AccountMismatch,
        };
        file.invalid(&["Absence"], comment, &input, reason);
    }
    let whole = case.response.storage_proof[0].proof.len();
    for kept in 0..=whole {
        let input = case.changed(|it| {
            it.storage_proof[0].proof.truncate(kept);
            it.storage_proof[0].value = word(0);
        });
        let comment = format!("the slot is zero by the first {kept} nodes of its proof");
        let reason = match kept {
            0 => Reason::RootMismatch,
            _ if kept < whole => Reason::NodeMissing,
            _ => Reason::SlotMismatch,
        };
        file.invalid(&["Absence"], comment, &input, reason);
    }
}

fn fields(file: &mut Builder, case: &Case) {
    let mut add = |comment: &str, reason, change: fn(&mut Response)| {
        file.invalid(&["Field"], comment, &case.changed(change), reason);
    };
    add("one bit of the balance", Reason::AccountMismatch, |it| it.balance.0[31] ^= 1);
    add("the highest bit of the balance", Reason::AccountMismatch, |it| it.balance.0[0] ^= 0x80);
    add("one bit of the nonce", Reason::AccountMismatch, |it| it.nonce.0[31] ^= 1);
    add("one bit of codeHash", Reason::AccountMismatch, |it| it.code_hash.0[0] ^= 1);
    add("one bit of storageHash", Reason::AccountMismatch, |it| it.storage_hash.0[0] ^= 1);
    add("one bit of the slot's value", Reason::SlotMismatch, |it| {
        it.storage_proof[0].value.0[31] ^= 1;
    });
    add("one bit of the slot's key", Reason::SlotKeysMismatch, |it| {
        it.storage_proof[0].key.0[31] ^= 1;
    });
    add("one bit of the address", Reason::AddressMismatch, |it| it.address.0[0] ^= 1);
}

fn nodes(file: &mut Builder, case: &Case) {
    let count = case.response.account_proof.len();
    for at in 0..count - 1 {
        let without = case.changed(|it| drop(it.account_proof.remove(at)));
        let reason = if at == 0 { Reason::RootMismatch } else { Reason::NodeMismatch };
        let comment = format!("the account's proof without node {at}");
        file.invalid(&["Nodes"], comment, &without, reason);
        let swapped = case.changed(|it| it.account_proof.swap(at, at + 1));
        let comment = format!("nodes {at} and {} of the account's proof swapped", at + 1);
        file.invalid(&["Nodes"], comment, &swapped, reason);
    }
    let twice = case.changed(|it| it.account_proof.push(it.account_proof[count - 1].clone()));
    file.invalid(&["Nodes"], "the last node twice", &twice, Reason::NodeLeftOver);
}

fn others(file: &mut Builder, case: &Case, miner: &Case, older: &Case) {
    let other = case.changed(|it| it.account_proof.clone_from(&miner.response.account_proof));
    let comment = "the account's proof is that of another account in the same block";
    file.invalid(&["OtherProof"], comment, &other, Reason::NodeMismatch);
    let whole = EthGetProof { response: miner.input.response.clone(), ..case.input.clone() };
    let comment = "the whole answer is about another account in the same block";
    file.invalid(&["OtherProof"], comment, &whole, Reason::AddressMismatch);
    let root = EthGetProof { state_root: older.input.state_root, ..case.input.clone() };
    file.invalid(&["OtherProof"], "the state of another block", &root, Reason::RootMismatch);
}

fn mutated(file: &mut Builder, case: &Case) {
    for at in 0..case.response.account_proof.len() {
        let length = case.response.account_proof[at].0.len();
        for byte in [0, 3, length / 2, length - 1] {
            let input = case.changed(|it| it.account_proof[at].0[byte] ^= 1 << (byte % 8));
            let comment = format!("a bit of byte {byte} in node {at} of the account's proof");
            file.refused(&["Mutated"], comment, &input);
        }
    }
}
