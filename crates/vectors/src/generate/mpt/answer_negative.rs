//! `mpt/answer_negative.json`: answers to `eth_getProof` that a verifier must refuse.

use prooflight_core::Reason;
use serde_json::{Value, json, to_value};

use super::state::{
    Account, CONTRACT, EMPTY_CODE, NOBODY, OTHER_CONTRACT, PLAIN, State, Storage, contract, large,
    word,
};
use super::trie::{Rlp, Trie, string};
use crate::carrier::{Address, Hash32, Hex, Word};
use crate::generate::builder::Builder;
use crate::mpt::{EthGetProof, MptLimits, Response};

const FLAGS: &[(&str, &str)] = &[
    ("Absence", "an account or slot that exists is passed off as absent, or the reverse"),
    ("Account", "the value of the account is not that of any; the root is the adversary's"),
    ("Field", "a field of the answer is not what the proof shows"),
    ("Form", "the answer is not one to eth_getProof"),
    ("Input", "the input cannot be read as one of an EthGetProof"),
    ("Limit", "more than a limit allows"),
    ("OtherProof", "a proof of another account, slot, contract or state"),
    ("Slot", "the value of the slot is not that of any; the root is the adversary's"),
    ("SlotKeys", "the slots of the answer are not those asked for"),
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("mpt", FLAGS);
    file.group("EthGetProof");
    let state = State::new();
    fields(&mut file, &state);
    no_account(&mut file, &state);
    other_proofs(&mut file, &state);
    slot_keys(&mut file, &state);
    accounts(&mut file, &state);
    slots(&mut file, &state);
    forms(&mut file, &state);
    limits(&mut file, &state);
    inputs(&mut file, &state);
    file.finish()
}

const ASKED: [Word; 2] = [Word([0; 32]), Word([7; 32])];

/// The honest answer about [`CONTRACT`], changed.
fn changed(state: &State, change: impl FnOnce(&mut Response)) -> EthGetProof {
    changed_of(state, CONTRACT, change)
}

fn changed_of(state: &State, address: Address, change: impl FnOnce(&mut Response)) -> EthGetProof {
    let mut answer = state.answer(address, &ASKED);
    change(&mut answer);
    state.with_answer(address, &ASKED, &answer)
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

/// Account values that no state has, under a root that has them.
fn accounts(file: &mut Builder, state: &State) {
    let raw = |bytes: &[u8]| Rlp::Raw(bytes.to_vec());
    let fields = contract().fields;
    let with = |place: usize, field: Rlp| {
        let mut fields = fields.clone();
        fields[place] = field;
        fields
    };
    let mut five = fields.clone();
    five.push(string([1]));
    let cases = [
        ("three fields", fields[..3].to_vec()),
        ("five fields", five),
        ("no fields", vec![]),
        ("a nonce of 9 bytes", with(0, string([1; 9]))),
        ("a nonce of 2^64", with(0, string([1, 0, 0, 0, 0, 0, 0, 0, 0]))),
        ("a nonce with a leading zero", with(0, string([0, 1]))),
        ("a nonce of the byte 00", with(0, string([0]))),
        ("a nonce with a length that it does not need", with(0, raw(&[0x81, 0x01]))),
        ("a nonce that is a list", with(0, Rlp::List(vec![]))),
        ("a balance of 33 bytes", with(1, string([1; 33]))),
        ("a balance with a leading zero", with(1, string([0, 1]))),
        ("a balance of the byte 00", with(1, string([0]))),
        ("a balance that is a list", with(1, Rlp::List(vec![string([1])]))),
        ("a storage root of 31 bytes", with(2, string([1; 31]))),
        ("a storage root of 33 bytes", with(2, string([1; 33]))),
        ("an empty storage root", with(2, string([]))),
        ("a storage root that is a list", with(2, Rlp::List(vec![]))),
        ("a code hash of 31 bytes", with(3, string([1; 31]))),
        ("a code hash of 33 bytes", with(3, string([1; 33]))),
        ("an empty code hash", with(3, string([]))),
        ("a code hash that is a list", with(3, Rlp::List(vec![]))),
        ("a code hash that is cut short", with(3, raw(&[0xa0, 0x01]))),
    ];
    for (comment, fields) in cases {
        let hostile = state.clone().with(CONTRACT, Account { fields, ..contract() });
        let input = hostile.input(CONTRACT, &[]);
        file.invalid(
            &["Account"],
            format!("an account of {comment}"),
            &input,
            Reason::InvalidAccount,
        );
    }
    let list = Rlp::List(fields).encode();
    for (comment, value) in [
        ("an account with a byte after it", [&list[..], &[0]].concat()),
        ("an account without its last byte", list[..list.len() - 1].to_vec()),
        ("an account as a string", string(&list).encode()),
        ("an account whose length has a leading zero", [&[0xf9, 0], &list[1..]].concat()),
        ("the byte 80 as an account", vec![0x80]),
    ] {
        let mut input = state.input(CONTRACT, &[]);
        let trie = Trie::new([(prooflight_mpt::keccak256(&CONTRACT.0), value)]);
        let (root, proof) = trie.prove(&prooflight_mpt::keccak256(&CONTRACT.0));
        input.state_root = Hash32(root);
        input.response["accountProof"] = proof.into_iter().map(|node| json!(Hex(node))).collect();
        file.invalid(&["Account"], comment, &input, Reason::InvalidAccount);
    }
}

/// Slot values that no contract has, under a root that has them.
fn slots(file: &mut Builder, state: &State) {
    let cases: [(&str, u64, Vec<u8>); 11] = [
        ("zero as the byte 00", 0, vec![0x00]),
        ("zero as the empty string", 0, vec![0x80]),
        ("a value with a leading zero", 0x80, vec![0x82, 0x00, 0x80]),
        ("a value of 33 bytes", 1, string([&[0; 32][..], &[1]].concat()).encode()),
        ("a value of 33 bytes that begins with 1", 1, string([1; 33]).encode()),
        ("a value with a length that it does not need", 5, vec![0x81, 0x05]),
        ("a value with a length in a byte of its own", 0x8080, vec![0xb8, 2, 0x80, 0x80]),
        ("a value in a list", 5, vec![0xc1, 0x05]),
        ("an empty list", 0, vec![0xc0]),
        ("a value with a byte after it", 5, vec![0x05, 0x05]),
        ("a value that is cut short", 5, vec![0x82, 0x05]),
    ];
    for (comment, claimed, value) in cases {
        let storage = Storage::of_values(&[(ASKED[0], value)]);
        let hostile = state.clone().with(CONTRACT, Account::new(1, 0, b"code", storage));
        let mut answer = hostile.answer(CONTRACT, &ASKED[..1]);
        answer.storage_proof[0].value = word(claimed);
        let input = hostile.with_answer(CONTRACT, &ASKED[..1], &answer);
        file.invalid(&["Slot"], format!("a slot of {comment}"), &input, Reason::InvalidSlotValue);
    }
    let storage = Storage::of_values(&[(ASKED[0], vec![])]);
    let hostile = state.clone().with(CONTRACT, Account::new(1, 0, b"code", storage));
    let input = hostile.with_answer(CONTRACT, &ASKED[..1], &hostile.answer(CONTRACT, &ASKED[..1]));
    let mut input = input;
    input.response["storageProof"][0]["value"] = json!("0x0");
    file.invalid(&["Slot"], "a slot of no bytes at all", &input, Reason::EmptyValue);
}

/// What a server may send that is no answer.
fn forms(file: &mut Builder, state: &State) {
    let honest = to_value(state.input(CONTRACT, &ASKED)).expect("inputs are plain data");
    let mut add = |comment: String, response: Value| {
        let mut input = honest.clone();
        input["response"] = response;
        file.invalid(&["Form"], comment, &input, Reason::InvalidAnswer);
    };
    let answer = &honest["response"];
    for (comment, response) in [
        ("null", json!(null)),
        ("a string", json!("0x")),
        ("an array of an answer", json!([answer])),
        ("an empty object", json!({})),
        (
            "an answer within an answer of JSON-RPC",
            json!({ "jsonrpc": "2.0", "id": 1, "result": answer }),
        ),
    ] {
        add(format!("{comment} for an answer"), response);
    }
    let members =
        ["address", "accountProof", "balance", "codeHash", "nonce", "storageHash", "storageProof"];
    for member in members {
        let mut without = answer.clone();
        without.as_object_mut().expect("an object").remove(member);
        add(format!("no {member}"), without);
        for value in [json!(null), json!(1), json!({}), json!("0x0g")] {
            let mut other = answer.clone();
            other[member] = value.clone();
            add(format!("{value} as {member}"), other);
        }
    }
    for member in ["key", "value", "proof"] {
        let mut without = answer.clone();
        without["storageProof"][1].as_object_mut().expect("an object").remove(member);
        add(format!("no {member} of a slot"), without);
        for value in [json!(null), json!(1), json!({}), json!("0x0g")] {
            let mut other = answer.clone();
            other["storageProof"][1][member] = value.clone();
            add(format!("{value} as the {member} of a slot"), other);
        }
    }
    let digits = |text: &Value, count: usize| json!(&text.as_str().expect("a string")[..count]);
    let nines = format!("0x{}", "9".repeat(65));
    let changes: [(&str, &str, Value); 17] = [
        ("an address of 19 bytes", "/address", digits(&answer["address"], 40)),
        ("an address of an odd number of digits", "/address", digits(&answer["address"], 41)),
        ("a code hash of 31 bytes", "/codeHash", digits(&answer["codeHash"], 64)),
        ("a code hash of an odd number of digits", "/codeHash", digits(&answer["codeHash"], 65)),
        ("an empty storage hash", "/storageHash", json!("0x")),
        (
            "a node of an odd number of digits",
            "/accountProof/0",
            digits(&answer["accountProof"][0], 101),
        ),
        ("a node without 0x", "/accountProof/0", json!("80")),
        ("a node of null", "/accountProof/1", json!(null)),
        ("a slot's node of an odd number of digits", "/storageProof/0/proof/0", json!("0x808")),
        ("a slot that is a string", "/storageProof/0", json!("0x0")),
        ("a balance of 65 digits", "/balance", json!(nines)),
        ("a balance in decimal", "/balance", json!("10")),
        ("a balance without digits", "/balance", json!("0x")),
        ("a balance after 0X", "/balance", json!("0X0")),
        ("a nonce of 2^64", "/nonce", json!("0x10000000000000000")),
        ("a nonce with a sign", "/nonce", json!("0x+1")),
        ("a slot's key of 65 digits", "/storageProof/0/key", json!(nines)),
    ];
    for (comment, place, value) in changes {
        let mut other = answer.clone();
        *other.pointer_mut(place).expect("a place in an answer") = value;
        add(comment.to_owned(), other);
    }
}

fn limits(file: &mut Builder, state: &State) {
    let honest = state.input(CONTRACT, &ASKED);
    let answer = state.answer(CONTRACT, &ASKED);
    let account: usize = answer.account_proof.iter().map(|node| node.0.len()).sum();
    let slots = answer.storage_proof.iter().flat_map(|slot| &slot.proof);
    let size = account + slots.map(|node| node.0.len()).sum::<usize>();
    let mut add = |comment: &str, limits: MptLimits, reason| {
        let input = EthGetProof { limits: Some(limits), ..honest.clone() };
        file.invalid(&["Limit"], comment, &input, reason);
    };
    let bytes = |most| MptLimits { max_proof_bytes: Some(most), ..MptLimits::default() };
    add(
        "an account proof with a byte more than the limit",
        bytes(account - 1),
        Reason::ProofTooLarge,
    );
    add("nodes with a byte more than the limit altogether", bytes(size - 1), Reason::ProofTooLarge);
    let keys = MptLimits { max_keys: Some(1), ..MptLimits::default() };
    add("a slot more than the limit", keys, Reason::TooManyKeys);
    let value = MptLimits { max_value_bytes: Some(60), ..MptLimits::default() };
    add("an account of more bytes than a value may have", value, Reason::ValueTooLarge);
    let node = vec![Hex(vec![0xc0]); 66];
    let many = changed(state, |it| it.account_proof = node);
    file.invalid(&["Limit"], "66 nodes for an account", &many, Reason::TooManyNodes);
}

fn inputs(file: &mut Builder, state: &State) {
    let honest = to_value(state.input(CONTRACT, &ASKED)).expect("inputs are plain data");
    let root = honest["stateRoot"].as_str().expect("a string").to_owned();
    let address = honest["address"].as_str().expect("a string").to_owned();
    let nines = format!("0x{}", "9".repeat(65));
    for (comment, member, value) in [
        ("a state root of 31 bytes", "stateRoot", json!(root[..64])),
        ("a state root of null", "stateRoot", json!(null)),
        ("an address of 19 bytes to ask for", "address", json!(address[..40])),
        ("an address of 32 bytes to ask for", "address", json!(root)),
        ("slots as a string", "slots", json!("0x0")),
        ("a slot as a number", "slots", json!([0, 1])),
        ("a slot of 65 digits", "slots", json!([nines, "0x1"])),
        ("a slot without digits", "slots", json!(["0x", "0x1"])),
        ("limits of null", "limits", json!(null)),
        ("a limit that is misspelt", "limits", json!({ "maxSlots": 1 })),
        ("a member that is not specified", "storageRoot", json!(root)),
    ] {
        let mut input = honest.clone();
        input[member] = value;
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
    for member in ["stateRoot", "address", "slots", "response"] {
        let mut input = honest.clone();
        input.as_object_mut().expect("an object").remove(member);
        file.invalid(
            &["Input"],
            format!("no {member} of the input"),
            &input,
            Reason::InvalidArgument,
        );
    }
}
