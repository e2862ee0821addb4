//! A chain with all schemes in a folder of an earlier format: the format is upgraded, and nothing else changes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::thread;
use std::time::Duration;

use harness::accounts::{account, proved, set, slot_key, word};
use harness::former::{self, FIRST_FORM, StoreForm, THIRD_FORM};
use harness::keys::values;
use harness::light::genesis;
use harness::{Node, command, hex, text};
use prooflight_core::Scheme;
use prooflight_core::chain::ChainConfig;
use prooflight_mpt::Address;
use serde_json::{Value, json};

/// With these settings, `lmpt` also proves old blocks.
const SETTINGS: &[&str] = &["--block-interval-ms", "0", "--lmpt-replay"];

/// The schemes that prove keys. The sixth, `mpt`, proves accounts.
const KEY_SCHEMES: [Scheme; 5] =
    [Scheme::Avl, Scheme::Lvmt, Scheme::Smt, Scheme::Lmpt, Scheme::Amb];

/// The blocks that are made before the folder is brought into an earlier format, and all.
const OLD_BLOCKS: u64 = 8;
const ALL_BLOCKS: u64 = 12;

/// The number of permanent accounts, and the account that block 3 deletes.
const ADDRESSES: u8 = 30;
const DELETED_ADDRESS: Address = [0xdd; 20];

/// A key with its new value; `None` if the block deletes it.
type KeyChange = (Vec<u8>, Option<Vec<u8>>);

/// The changes of a block.
fn changes(height: u64) -> Vec<KeyChange> {
    let number = u8::try_from(height).unwrap();
    let mut changes = Vec::new();
    for n in 1..=ADDRESSES {
        let address = [n; 20];
        if height == 1 || (height + u64::from(n)).is_multiple_of(3) {
            changes.push((address.to_vec(), Some(account(number, n))));
        }
        changes.push((slot_key(&address, number), Some(vec![number])));
        changes.push((slot_key(&address, 0), Some(vec![number])));
        if height > 1 && n.is_multiple_of(2) {
            changes.push((slot_key(&address, number - 1), None));
        }
    }
    match height {
        1 => {
            changes.push((DELETED_ADDRESS.to_vec(), Some(account(1, 1))));
            changes.push((slot_key(&DELETED_ADDRESS, 1), Some(vec![1])));
        }
        3 => changes.push((DELETED_ADDRESS.to_vec(), None)),
        _ => {}
    }
    changes
}

/// The values of all keys after a block.
fn state(at: u64) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut state = BTreeMap::new();
    for (key, value) in (1..=at).flat_map(changes) {
        match value {
            Some(value) => drop(state.insert(key, value)),
            // Deleting an account deletes its slots.
            None => state.retain(|kept, _| !kept.starts_with(&key)),
        }
    }
    state
}

fn make(node: &Node, heights: RangeInclusive<u64>) {
    for height in heights {
        let operation = |(key, value): KeyChange| match value {
            Some(value) => set(&key, &value),
            None => json!({ "op": "Delete", "key": hex(&key) }),
        };
        let ops: Vec<_> = changes(height).into_iter().map(operation).collect();
        let made = node.ask("prooflight_submit", &json!({ "ops": ops }));
        assert_eq!(made["height"], format!("{height:#x}"));
    }
}

/// The roots of all schemes after each of the first blocks.
fn roots(node: &Node, newest: u64) -> Vec<Value> {
    let roots = |height: u64| {
        let asked = json!({ "at": format!("{height:#x}") });
        node.ask("prooflight_header", &asked)["roots"].clone()
    };
    (0..=newest).map(roots).collect()
}

/// Checks that every scheme proves the state after a block; `lvmt` only if it still proves that block.
fn check(node: &Node, config: &ChainConfig, at: u64, lvmt: bool) {
    let state = state(at);
    let addresses: Vec<Address> = (1..=ADDRESSES).step_by(7).map(|n| [n; 20]).collect();
    let addresses = [&addresses[..], &[DELETED_ADDRESS, [0xee; 20]]].concat();
    let slots = [0, 1, 7, 8, 9, 12];
    let keys = addresses.iter().flat_map(|address| {
        let slots = slots.map(|slot| slot_key(address, slot));
        [address.to_vec()].into_iter().chain(slots)
    });
    let keys: Vec<_> = keys.collect();
    let asked: Vec<_> = keys.iter().map(Vec::as_slice).collect();
    let expected: Vec<_> = keys.iter().map(|key| state.get(key).cloned()).collect();
    for scheme in KEY_SCHEMES.into_iter().filter(|scheme| lvmt || *scheme != Scheme::Lvmt) {
        assert_eq!(
            values(node, config, scheme, &asked, at),
            Ok(expected.clone()),
            "{scheme:?} at {at}"
        );
    }
    for address in &addresses {
        let proved = proved(node, &format!("{at:#x}"), address, &slots);
        let kept = proved.account.map(|it| account(it.nonce.try_into().unwrap(), it.balance[31]));
        assert_eq!(kept.as_ref(), state.get(&address[..]), "{address:02x?} at {at}");
        for (slot, value) in slots.into_iter().zip(&proved.storage) {
            let expected = state.get(&slot_key(address, slot)).map_or(0, |value| value[0]);
            assert_eq!(*value, word(expected), "slot {slot} of {address:02x?} at {at}");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let ended = command(folder, arguments);
    assert!(ended.status.success(), "{arguments:?}: {}", text(&ended.stderr));
    text(&ended.stdout)
}

/// A chain of the present format, and the expected values.
struct Scene {
    folder: tempfile::TempDir,
    /// The content of the file `format`.
    now: String,
    /// The roots after all blocks, of a chain whose folder never had another format.
    roots: Vec<Value>,
    checkpoint: String,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [chain, further] = ["chain", "further"].map(|name| folder.path().join(name));
        let schemes: Vec<_> = Scheme::ALL.into_iter().filter(|scheme| scheme.exists()).collect();
        assert_eq!(schemes.len(), KEY_SCHEMES.len() + 1, "a scheme that these tests leave out");
        let schemes: Vec<_> = schemes.into_iter().map(Scheme::as_str).collect();
        let begin = ["init", "--schemes", &schemes.join(","), "--lvmt-log-n", "4"];
        run(&chain, &[&begin[..], &["--lmpt-era-blocks", "3"]].concat());
        let node = Node::start(&chain, SETTINGS);
        make(&node, 1..=OLD_BLOCKS);
        let config = genesis(&node).config;
        check(&node, &config, OLD_BLOCKS, true);
        assert!(node.stop().success());
        copy(&chain, &further);
        let node = Node::start(&further, SETTINGS);
        make(&node, OLD_BLOCKS + 1..=ALL_BLOCKS);
        let roots = roots(&node, ALL_BLOCKS);
        assert!(node.stop().success());
        let now = fs::read_to_string(chain.join("format")).unwrap();
        let checkpoint = run(&chain, &["checkpoint"]);
        Self { folder, now, roots, checkpoint }
    }

    /// A copy of the chain whose folder has another form; also how many of its entries have a keyspace of their own.
    fn form(
        &self,
        name: &str,
        format: Option<u32>,
        form: StoreForm,
    ) -> (std::path::PathBuf, usize) {
        let folder = self.folder.path().join(name);
        copy(&self.folder.path().join("chain"), &folder);
        let entries = former::rewrite(&folder, form);
        match format {
            // Folders of format 0 have no file `format`.
            None => fs::remove_file(folder.join("format")).unwrap(),
            Some(format) => fs::write(folder.join("format"), format!("{format}\n")).unwrap(),
        }
        (folder, entries)
    }

    /// Checks that the folder is up to date, the state after old and new blocks, and the roots of further ones.
    fn check(&self, folder: &Path) {
        let node = Node::start(folder, SETTINGS);
        assert_eq!(fs::read_to_string(folder.join("format")).unwrap(), self.now);
        let config = genesis(&node).config;
        for at in [0, 2, 3, 5, OLD_BLOCKS] {
            check(&node, &config, at, at == OLD_BLOCKS);
        }
        make(&node, OLD_BLOCKS + 1..=ALL_BLOCKS);
        assert_eq!(roots(&node, ALL_BLOCKS), self.roots);
        for at in [1, 4, OLD_BLOCKS, OLD_BLOCKS + 1, ALL_BLOCKS] {
            check(&node, &config, at, at >= OLD_BLOCKS);
        }
        assert!(node.stop().success());
        let values = state(ALL_BLOCKS).len();
        let verified = format!("{} blocks and {values} values verified\n", ALL_BLOCKS + 1);
        assert_eq!(run(folder, &["verify"]), verified);
    }
}

/// Format 1 had all six schemes. Each command that opens a folder is tried as the first one.
#[test]
fn a_chain_with_all_schemes_is_brought_up_to_date_from_the_first_format() {
    let scene = Scene::new();
    let exported = scene.folder.path().join("exported");
    let backup = scene.folder.path().join("copy");
    for (first, format) in [
        ("run", Some(1)),
        ("verify", Some(1)),
        ("checkpoint", None),
        ("export", Some(1)),
        ("backup", Some(1)),
    ] {
        let (folder, _) = scene.form(first, format, FIRST_FORM);
        match first {
            "verify" => drop(run(&folder, &["verify"])),
            "checkpoint" => assert_eq!(run(&folder, &["checkpoint"]), scene.checkpoint),
            "export" => {
                run(&folder, &["export", exported.to_str().unwrap()]);
                let lines = fs::read_to_string(&exported).unwrap().lines().count();
                assert_eq!(lines, state(OLD_BLOCKS).len());
            }
            "backup" => {
                run(&folder, &["backup", backup.to_str().unwrap()]);
                fs::copy(folder.join("authority-0.key"), backup.join("authority-0.key")).unwrap();
                scene.check(&backup);
            }
            _ => {}
        }
        scene.check(&folder);
    }
}

#[test]
fn an_upgrade_that_was_interrupted_between_any_two_steps_goes_on() {
    let scene = Scene::new();
    let (folder, entries) = scene.form("first", Some(1), FIRST_FORM);
    fs::remove_dir_all(folder).unwrap();
    let parts = (1..=5).map(|part| entries * part / 5);
    // Entries are moved in batches, some of which end within a kind of keys; then the folder says format 2, and 3; then more
    // of them are moved; then the nodes of lvmt are made anew at once. Format 3 had two layouts of them.
    let first = parts.clone().map(|moved| (1, StoreForm { moved, ..FIRST_FORM }));
    let second = StoreForm { lvmt: Some(1), ..THIRD_FORM };
    let later = [(2, second), (3, second), (2, StoreForm { moved: entries, ..second })];
    let third = [0, entries / 4, entries / 2, entries * 3 / 4, entries];
    let third = third.map(|moved| (3, StoreForm { moved, ..THIRD_FORM }));
    let last =
        [Some(1), Some(2), None].map(|lvmt| (4, StoreForm { moved: entries, lvmt, ..THIRD_FORM }));
    for (number, (format, form)) in first.chain(later).chain(third).chain(last).enumerate() {
        let name = format!("{number}-{format}");
        let (folder, _) = scene.form(&name, Some(format), form);
        scene.check(&folder);
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn an_upgrade_that_is_killed_goes_on() {
    let scene = Scene::new();
    let (mut left, mut delay) = (Vec::new(), 0);
    // Later each time, until the kill comes after the upgrade.
    while left.last() != Some(&scene.now) {
        let (folder, _) = scene.form(&format!("{delay}"), Some(1), FIRST_FORM);
        let opening = Node::open(&folder, "127.0.0.1:0".parse().unwrap(), SETTINGS);
        thread::sleep(Duration::from_millis(delay));
        // kill -9.
        drop(opening);
        left.push(fs::read_to_string(folder.join("format")).unwrap());
        assert_eq!(run(&folder, &["checkpoint"]), scene.checkpoint, "after {delay} ms");
        delay = delay * 4 / 3 + 5;
        let last = left.last() == Some(&scene.now);
        if last || left.len() % 4 == 1 {
            scene.check(&folder);
        }
        fs::remove_dir_all(folder).unwrap();
    }
    println!("formats after the kills: {left:?}");
}
