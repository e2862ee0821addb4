//! `chain/state_answer.json`: answers about the state that a light client must accept.

use prooflight_core::chain::{ChainConfig, ChainLimits};
use prooflight_json::Quantity;

use super::avl_chain::{AvlChain, set, seven_blocks};
use super::header_chain::{config, config_of_six_schemes, with_header};
use crate::generate::builder::FileBuilder;
use crate::state::StateAnswer;

/// Adds the tests made by code.
pub(in super::super) fn make(file: &mut FileBuilder) {
    file.group("StateAnswer");
    history(file);
    keys(file);
    limits(file);
    chains(file);
}

fn history(file: &mut FileBuilder) {
    let ledger = AvlChain::new(config(1, 1), seven_blocks());
    for head in [0, 3, 6] {
        for at in 0..=head {
            for key in ["alice", "bob"] {
                let keys = [key.as_bytes()];
                let comment = format!("{key} at block {at}, by the head {head}");
                let input = ledger.answer(at, head, &keys);
                file.valid(&["History"], comment, &input, ledger.expected(at, &keys));
            }
        }
    }
    let keys: [&[u8]; 2] = [b"alice", b"bob"];
    let head = &ledger.chain.headers[6];
    let comment = "the header is the head's own, with an empty path";
    let input = with_header(ledger.answer(6, 6, &keys), head, &[]);
    file.valid(&["History"], comment, &input, ledger.expected(6, &keys));
}

fn keys(file: &mut FileBuilder) {
    let ledger = AvlChain::new(config(1, 1), seven_blocks());
    let numbered = (0..20).map(|n| format!("key {n:02}")).collect::<Vec<_>>();
    let all = numbered.iter().map(String::as_bytes).collect::<Vec<_>>();
    let backwards = all.iter().rev().copied().collect::<Vec<_>>();
    let long = [0xff; 256];
    let longer = [&[0xff; 255][..], &[0xfe]].concat();
    let cases: [(&str, &[&[u8]]); 15] = [
        ("no key", &[]),
        ("one key that is present", &[b"alice"]),
        ("one key that is absent", &[b"bob"]),
        ("the empty key", &[b""]),
        ("a key whose value is empty", &[b"empty"]),
        ("a key whose value is empty, beside one that is absent", &[b"dave", b"erin"]),
        ("a key of 256 bytes, which is present", &[&long]),
        ("a key of 256 bytes, which is absent", &[&longer]),
        ("a key that is the beginning of others", &[b"key"]),
        ("a key with a zero byte after it", &[b"alice\0", b"alice"]),
        ("20 keys, two of them gone at times", &all),
        ("20 keys backwards", &backwards),
        ("a key twice", &[b"alice", b"alice"]),
        ("an absent key three times, a present one twice", &[b"x", b"carol", b"x", b"carol", b"x"]),
        ("keys of other lengths of every kind", &[b"", &long, b"empty", b"bob", b"dave"]),
    ];
    for (comment, keys) in cases {
        for (at, block) in [(6, "the head"), (4, "an older block")] {
            let comment = format!("{comment}, at {block}");
            let input = ledger.answer(at, 6, keys);
            file.valid(&["Keys"], comment, &input, ledger.expected(at, keys));
        }
    }
    let empty = AvlChain::new(config(1, 1), vec![vec![], vec![]]);
    for keys in [&[][..], &[&b"alice"[..]], &[&b"alice"[..], b"", b"alice"]] {
        let comment = format!("{} keys of an empty state", keys.len());
        let input = empty.answer(1, 1, keys);
        file.valid(&["Keys"], comment, &input, empty.expected(1, keys));
    }
}

fn limits(file: &mut FileBuilder) {
    let mut valid = |comment: &str, ledger: &AvlChain, keys: &[&[u8]]| {
        let input = ledger.answer(0, 0, keys);
        file.valid(&["Limit"], comment, &input, ledger.expected(0, keys));
    };
    let with = |max_key, max_value, max_ops| ChainConfig {
        limits: ChainLimits { max_key, max_value, max_ops },
        ..config(1, 1)
    };
    let small = AvlChain::new(with(5, 3, 2), vec![vec![set("alice", "100"), set("bob", "")]]);
    valid("keys of as many bytes as the chain allows", &small, &[b"alice", b"carol"]);
    valid("a value of as many bytes as the chain allows", &small, &[b"alice"]);
    valid("as many keys as a block of the chain has operations", &small, &[b"bob", b"bob"]);
    let none = AvlChain::new(with(0, 0, 1), vec![vec![set("", "")]]);
    valid("a chain that has room for the empty key and the empty value", &none, &[b""]);
    let nothing = AvlChain::new(with(0, 0, 0), vec![vec![]]);
    valid("no key of a chain that allows none", &nothing, &[]);
    let large = vec![0x5a; 65_536];
    let large = AvlChain::new(config(1, 1), vec![vec![set("large", large), set("small", "1")]]);
    valid("a value of 65,536 bytes", &large, &[b"small", b"large"]);
    let larger = vec![0xa5; 65_537];
    let larger = AvlChain::new(with(256, 65_537, 2), vec![vec![set("large", larger)]]);
    valid("a value above the default limit, which the chain allows", &larger, &[b"large"]);
    let key = vec![7; 300];
    let longer = AvlChain::new(with(300, 1, 1), vec![vec![set(key.clone(), [1])]]);
    valid("a key longer than an AVL+ key may be, which the chain allows", &longer, &[&key]);
    let many = vec![&b"bob"[..]; 4096];
    let largest = AvlChain::new(with(u16::MAX, u32::MAX, u32::MAX), seven_blocks());
    valid("4,096 keys, the default limit", &largest, &many);
}

fn chains(file: &mut FileBuilder) {
    let keys: [&[u8]; 2] = [b"alice", b"key 03"];
    let mut valid = |comment: &str, ledger: &AvlChain, at: usize, input: &StateAnswer| {
        file.valid(&["Chain"], comment, input, ledger.expected(at, &keys));
    };
    let ledger = AvlChain::new(config(3, 2), seven_blocks());
    valid("2 of 3 authorities", &ledger, 5, &ledger.answer(5, 6, &keys));
    for (from, head) in [(6, 6), (5, 6), (0, 0), (3, 3)] {
        let comment = format!("a checkpoint at height {from}, the head at {head}");
        let input = ledger.answer_from(from, head, head, &keys);
        valid(&comment, &ledger, head, &input);
    }
    for at in [0, 2, 5] {
        let input = ledger.answer_from(5, at, 6, &keys);
        let comment = format!("a checkpoint at height 5, a block at {at}");
        valid(&comment, &ledger, at, &input);
    }
    let honest = ledger.answer(2, 6, &keys);
    let now = ledger.chain.headers[6].timestamp_ms;
    let time = |now: u64, skew: Option<u64>, age: Option<u64>| StateAnswer {
        now: Quantity(now),
        max_clock_skew: skew.map(Quantity),
        max_head_age: age.map(Quantity),
        ..honest.clone()
    };
    valid("the head is as far ahead as allowed", &ledger, 2, &time(now - 5, Some(5), None));
    valid(
        "the head is as old as allowed, the block older",
        &ledger,
        2,
        &time(now + 5, None, Some(5)),
    );
    let all = AvlChain::new(config_of_six_schemes(), seven_blocks());
    valid("a chain of all schemes, at the head", &all, 6, &all.answer(6, 6, &keys));
    valid("a chain of all schemes, at an older block", &all, 4, &all.answer(4, 6, &keys));
}
