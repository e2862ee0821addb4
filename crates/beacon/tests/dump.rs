//! The made-up messages that the tests of `prooflight/ethereum` read.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fmt::Write;
use std::{env, fs};

use prooflight_beacon::{Fork, UpdateKind};
use prooflight_testkit::beacon::{BeaconChain, MessageFields};

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../packages/prooflight/test/ethereum/data/made-up-beacon-chain.json"
);

/// Slots in a period; each period has a new fork, Electra the fifth.
const PERIOD: u64 = 64;
const ELECTRA: u64 = 4 * PERIOD;
const GLOAS: u64 = 6 * PERIOD;

/// With the variable `PROOFLIGHT_WRITE`, the file is written instead.
#[test]
fn the_file_has_the_chain_of_the_testkit() {
    let text = dump();
    if env::var_os("PROOFLIGHT_WRITE").is_some() {
        fs::write(FILE, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(FILE).unwrap(), text);
}

fn dump() -> String {
    let chain = BeaconChain::new(9);
    let mut other = chain.clone();
    other.salt = 1;
    let update = |slot| chain.message(&chain.honest_message(UpdateKind::Update, slot));
    let finality = |chain: &BeaconChain, slot| {
        chain.message(&chain.honest_message(UpdateKind::Finality, slot))
    };
    let finalizing = |chain: &BeaconChain, slot, finalized| {
        let finalized = Some(finalized);
        chain.message(&MessageFields {
            finalized,
            ..chain.honest_message(UpdateKind::Finality, slot)
        })
    };
    // By one member less than two thirds.
    let few = |kind, slot| {
        let bits = (0..32).map(|at| at < 21).collect();
        chain.message(&MessageFields { bits, ..chain.honest_message(kind, slot) })
    };
    let optimistic = |slot| chain.message(&chain.honest_message(UpdateKind::Optimistic, slot));
    let parameters = chain.network.parameters();
    let mut lines = vec![
        ("genesisValidatorsRoot".into(), hex(&parameters.genesis_validators_root)),
        ("genesisForkVersion".into(), hex(&parameters.genesis_version)),
    ];
    for (fork, start) in Fork::ALL.iter().zip(&parameters.forks) {
        lines.push((format!("{fork}.version"), hex(&start.version)));
    }
    for (name, first) in [("electra", ELECTRA), ("gloas", GLOAS)] {
        let mut add = |what: &str, bytes: &[u8]| lines.push((format!("{name}.{what}"), hex(bytes)));
        add("digest", &chain.network.fork_digest(chain.network.epoch(first)));
        add("root", &chain.root(first + 8));
        add("bootstrap", &chain.bootstrap(first + 8, None));
        add("update", &update(first + 40));
        add("finality", &finality(&chain, first + 48));
        add("optimistic", &optimistic(first + 49));
        // Older than the block that `update` finalizes.
        add("older", &finality(&chain, first + 20));
        add("olderOptimistic", &optimistic(first + 21));
        // Another block of the slot that `finality` finalizes, by the same committee.
        add("conflict", &finality(&other, first + 48));
        // The next finalized block, and a second one of the slot that `finality` finalizes; the same signed about
        // a block that is no newer than the finalized one.
        add("laterFinality", &finality(&chain, first + 56));
        add("lateConflict", &finalizing(&other, first + 57, first + 32));
        add("oldConflict", &finalizing(&other, first + 40, first + 32));
        // Another chain's block, which finalizes an older one of a slot without a known finalized block.
        add("strayFinality", &finalizing(&other, first + 58, first + 33));
        add("fewFinality", &few(UpdateKind::Finality, first + 48));
        add("fewOptimistic", &few(UpdateKind::Optimistic, first + 49));
        // The next period's, and what can be verified only with its committee.
        add("nextUpdate", &update(first + PERIOD + 40));
        add("fewNextUpdate", &few(UpdateKind::Update, first + PERIOD + 40));
        add("nextDigest", &chain.network.fork_digest(chain.network.epoch(first + PERIOD)));
        add("nextFinality", &finality(&chain, first + PERIOD + 48));
        add("nextOptimistic", &optimistic(first + PERIOD + 49));
        add("afterNextUpdate", &update(first + 2 * PERIOD + 40));
        add("afterNextDigest", &chain.network.fork_digest(chain.network.epoch(first + 2 * PERIOD)));
        add("afterNextFinality", &finality(&chain, first + 2 * PERIOD + 48));
        add("afterNextOptimistic", &optimistic(first + 2 * PERIOD + 49));
        add("finalized", &chain.root(first + 32));
        add("latest", &chain.root(first + 49));
        add("finalizedExecution", &chain.execution_hash(first + 32).unwrap());
        add("latestExecution", &chain.execution_hash(first + 49).unwrap());
    }

    let mut text = String::from("{");
    for (at, (name, value)) in lines.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(text, "{comma}\n  \"{name}\": \"{value}\"").unwrap();
    }
    text + "\n}\n"
}

fn hex(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}
