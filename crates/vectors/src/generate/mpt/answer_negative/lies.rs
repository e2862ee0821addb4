//! Answers that say what their proofs do not show, or have the proofs of something else.

use prooflight_core::Reason;

use super::super::state::{
    Account, CONTRACT, EMPTY_CODE, NOBODY, OTHER_CONTRACT, PLAIN, State, Storage, large, word,
};
use super::super::trie::Trie;
use super::{ASKED, changed, changed_of};
use crate::carrier::{Hash32, Hex};
use crate::generate::builder::Builder;
use crate::mpt::{EthGetProof, Response};

pub(super) fn add(file: &mut Builder, state: &State) {
    fields(file, state);
    no_account(file, state);
    other_proofs(file, state);
    slot_keys(file, state);
}

fn fields(file: &mut Builder, state: &State) {
    let other = Hash32([0x77; 32]);
    let mut add = |comment: &str, reason, change: fn(&mut Response)| {
        file.invalid(&["Field"], comment, &changed(state, change), reason);
    };
    add("another nonce", Reason::AccountMismatch, |it| it.nonce = word(2));
    add("a nonce of 0", Reason::AccountMismatch, |it| it.nonce = word(0));
    add("a balance of 1 wei", Reason::AccountMismatch, |it| it.balance = word(1));
    add("a balance of 2^248", Reason::AccountMismatch, |it| it.balance = large(1, 0));
    add("another address", Reason::AddressMismatch, |it| it.address = OTHER_CONTRACT);
    add("an address of which one bit is flipped", Reason::AddressMismatch, |it| {
        it.address.0[19] ^= 1;
    });
    add("the slot's value plus 1", Reason::SlotMismatch, |it| {
        it.storage_proof[0].value = word(0x80);
    });
    add("zero for a slot that has a value", Reason::SlotMismatch, |it| {
        it.storage_proof[0].value = word(0);
    });
    add("a value for a slot that has none", Reason::SlotMismatch, |it| {
        it.storage_proof[1].value = word(1);
    });
    for (name, hash) in [
        ("another hash", other),
        ("zeros", Hash32([0; 32])),
        ("the hash of no storage", Hash32(Trie::default().root())),
        ("the hash of no code", Hash32(EMPTY_CODE)),
    ] {
        let storage = changed(state, |it| it.storage_hash = hash);
        file.invalid(
            &["Field"],
            format!("{name} as storageHash"),
            &storage,
            Reason::AccountMismatch,
        );
        let code = changed(state, |it| it.code_hash = hash);
        file.invalid(&["Field"], format!("{name} as codeHash"), &code, Reason::AccountMismatch);
    }
    let zeros = changed_of(state, PLAIN, |it| {
        (it.storage_hash, it.code_hash) = (Hash32([0; 32]), Hash32([0; 32]));
    });
    file.invalid(
        &["Field"],
        "zeros for the hashes of an account that exists",
        &zeros,
        Reason::AccountMismatch,
    );
}

/// What may not be said of an account that does not exist, and who may not be said not to exist.
fn no_account(file: &mut Builder, state: &State) {
    let empty_storage = Hash32(Trie::default().root());
    let (zeros, empty_code) = (Hash32([0; 32]), Hash32(EMPTY_CODE));
    let mut add = |comment: &str, reason, change: &dyn Fn(&mut Response)| {
        file.invalid(&["Absence"], comment, &changed_of(state, NOBODY, change), reason);
    };
    add("no account, but a nonce", Reason::AccountMismatch, &|it| it.nonce = word(1));
    add("no account, but a balance", Reason::AccountMismatch, &|it| it.balance = word(1));
    add("no account, but a code", Reason::AccountMismatch, &|it| it.code_hash = Hash32([1; 32]));
    add("no account, but a storage", Reason::AccountMismatch, &|it| {
        it.storage_hash = Hash32([1; 32]);
    });
    add("no account: zeros and the hash of no code", Reason::AccountMismatch, &|it| {
        (it.storage_hash, it.code_hash) = (zeros, empty_code);
    });
    add("no account: the root of no storage and zeros", Reason::AccountMismatch, &|it| {
        (it.storage_hash, it.code_hash) = (empty_storage, zeros);
    });
    add("no account: both hashes swapped", Reason::AccountMismatch, &|it| {
        (it.storage_hash, it.code_hash) = (empty_code, empty_storage);
    });
    add("no account, but the value of a slot", Reason::SlotMismatch, &|it| {
        it.storage_proof[0].value = word(1);
    });
    let of_contract = state.answer(CONTRACT, &ASKED);
    add("no account, but the proof of a slot", Reason::RootMismatch, &|it| {
        it.storage_proof[0] = of_contract.storage_proof[0].clone();
    });

    let absent = state.answer(NOBODY, &ASKED);
    let nothing =
        |proof: Vec<Hex>, address| Response { account_proof: proof, address, ..absent.clone() };
    let honest = state.answer(CONTRACT, &ASKED).account_proof;
    for kept in 0..honest.len() {
        let response = nothing(honest[..kept].to_vec(), CONTRACT);
        let input = state.with_answer(CONTRACT, &ASKED, &response);
        let comment =
            format!("an account passed off as absent by the first {kept} nodes of its proof");
        let reason = if kept == 0 { Reason::RootMismatch } else { Reason::NodeMissing };
        file.invalid(&["Absence"], comment, &input, reason);
    }
    let whole = state.with_answer(CONTRACT, &ASKED, &nothing(honest, CONTRACT));
    file.invalid(
        &["Absence"],
        "an account passed off as absent by its whole proof",
        &whole,
        Reason::AccountMismatch,
    );
    let node = state.with_answer(CONTRACT, &ASKED, &nothing(vec![Hex(vec![0x80])], CONTRACT));
    file.invalid(
        &["Absence"],
        "an account passed off as absent by the node 80",
        &node,
        Reason::RootMismatch,
    );
    let of_nobody =
        state.with_answer(CONTRACT, &ASKED, &nothing(absent.account_proof.clone(), CONTRACT));
    file.refused(
        &["Absence"],
        "an account passed off as absent by the proof that another is",
        &of_nobody,
    );
    let full = state.answer(CONTRACT, &[word(0)]).storage_proof.remove(0).proof;
    for kept in 0..full.len() {
        let input = changed(state, |it| {
            it.storage_proof[0].proof.truncate(kept);
            it.storage_proof[0].value = word(0);
        });
        let comment = format!("a slot passed off as zero by the first {kept} nodes of its proof");
        let reason = if kept == 0 { Reason::RootMismatch } else { Reason::NodeMissing };
        file.invalid(&["Absence"], comment, &input, reason);
    }
}

fn other_proofs(file: &mut Builder, state: &State) {
    let foreign = state.answer(OTHER_CONTRACT, &ASKED);
    let storage = changed(state, |it| {
        it.storage_hash = foreign.storage_hash;
        it.storage_proof.clone_from(&foreign.storage_proof);
        it.storage_proof[0].value = word(5);
    });
    file.invalid(
        &["OtherProof"],
        "storageHash and slots of another contract",
        &storage,
        Reason::AccountMismatch,
    );
    let slots = changed(state, |it| {
        it.storage_proof.clone_from(&foreign.storage_proof);
        it.storage_proof[0].value = word(5);
    });
    file.invalid(&["OtherProof"], "slots of another contract", &slots, Reason::RootMismatch);
    let account = changed(state, |it| it.account_proof.clone_from(&foreign.account_proof));
    file.refused(&["OtherProof"], "the account proof of another contract", &account);
    let all = state.with_answer(CONTRACT, &ASKED, &foreign);
    file.invalid(
        &["OtherProof"],
        "the whole answer about another contract",
        &all,
        Reason::AddressMismatch,
    );
    let disguised = Response { address: CONTRACT, ..foreign };
    let disguised = state.with_answer(CONTRACT, &ASKED, &disguised);
    file.refused(
        &["OtherProof"],
        "the answer about another contract under this one's address",
        &disguised,
    );

    let older = State::new().with(NOBODY, Account::new(1, 1, &[], Storage::default()));
    let stale = EthGetProof {
        response: older.input(CONTRACT, &ASKED).response,
        ..state.input(CONTRACT, &ASKED)
    };
    file.invalid(&["OtherProof"], "the answer about another state", &stale, Reason::RootMismatch);
    let mut root = state.input(CONTRACT, &ASKED);
    root.state_root.0[0] ^= 0x80;
    file.invalid(&["OtherProof"], "one bit of the state root flipped", &root, Reason::RootMismatch);
    let mut address = state.input(CONTRACT, &ASKED);
    address.address.0[0] ^= 1;
    file.invalid(
        &["OtherProof"],
        "one bit of the address flipped",
        &address,
        Reason::AddressMismatch,
    );

    let swapped = changed(state, |it| {
        let [one, other] = &mut it.storage_proof[..] else { panic!("two slots") };
        core::mem::swap(&mut one.proof, &mut other.proof);
        core::mem::swap(&mut one.value, &mut other.value);
    });
    file.refused(&["OtherProof"], "two slots with each other's values and proofs", &swapped);
    for (name, list) in [("account", 0), ("slot", 1)] {
        let longer = changed(state, |it| {
            let account = it.account_proof.clone();
            let proof =
                if list == 0 { &mut it.account_proof } else { &mut it.storage_proof[0].proof };
            proof.push(account[account.len() - 1].clone());
        });
        let comment = format!("a node more in the proof of the {name}");
        file.invalid(&["OtherProof"], comment, &longer, Reason::NodeLeftOver);
    }
    let moved = changed(state, |it| {
        let nodes = it.storage_proof[0].proof.split_off(1);
        it.account_proof.extend(nodes);
    });
    file.invalid(
        &["OtherProof"],
        "nodes of a slot's proof in the account's",
        &moved,
        Reason::NodeLeftOver,
    );
}

fn slot_keys(file: &mut Builder, state: &State) {
    let mut add = |comment: &str, change: fn(&mut Response)| {
        file.invalid(&["SlotKeys"], comment, &changed(state, change), Reason::SlotKeysMismatch);
    };
    add("both slots in the other order", |it| it.storage_proof.reverse());
    add("one slot is missing", |it| drop(it.storage_proof.pop()));
    add("no slots", |it| it.storage_proof.clear());
    add("one slot twice in place of another", |it| {
        it.storage_proof[1] = it.storage_proof[0].clone();
    });
    add("a slot more than asked for", |it| it.storage_proof.push(it.storage_proof[0].clone()));
    add("the key plus 1", |it| it.storage_proof[0].key = word(1));
    add("the key of 32 bytes cut to its last 8", |it| {
        it.storage_proof[1].key = word(0x0707_0707_0707_0707);
    });
    let others = state.answer(CONTRACT, &[word(1), word(2)]);
    let input = state.with_answer(CONTRACT, &ASKED, &others);
    file.invalid(
        &["SlotKeys"],
        "the honest answer about other slots",
        &input,
        Reason::SlotKeysMismatch,
    );
    let more = state.with_answer(CONTRACT, &[], &others);
    file.invalid(
        &["SlotKeys"],
        "slots though none were asked for",
        &more,
        Reason::SlotKeysMismatch,
    );
}
