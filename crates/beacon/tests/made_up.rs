//! A made-up chain through every fork, and the refusals in each.
//!
//! No data of Fulu and Gloas is recorded here: these forks are only tested with this chain. Its
//! committees, trees and encodings come from `prooflight_testkit::beacon`.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_beacon::{
    Bootstrap, Fork, HeadChanges, LightClient, LightClientStore, SlotClock, Update, UpdateKind,
};
use prooflight_core::Reason;
use prooflight_testkit::beacon::{BeaconChain, CommitteeKeys, MessageFields, MisplacedObject};

/// Slots in a period; each period has a new fork.
const PERIOD: u64 = 64;
const KINDS: [UpdateKind; 3] = [UpdateKind::Update, UpdateKind::Finality, UpdateKind::Optimistic];
/// The current slot of the chain.
const NOW: u64 = 8 * PERIOD;

fn chain() -> BeaconChain {
    BeaconChain::new(9)
}

fn start(chain: &BeaconChain, slot: u64) -> LightClient {
    let bootstrap = chain.bootstrap(slot, None);
    LightClient::start(chain.network.clone(), &chain.root(slot), &bootstrap, NOW, NOW).unwrap()
}

fn store(chain: &BeaconChain, slot: u64) -> LightClientStore {
    let bootstrap = Bootstrap::decode(&chain.bootstrap(slot, None), &chain.network).unwrap();
    LightClientStore::initialize(chain.network.clone(), &chain.root(slot), bootstrap).unwrap()
}

fn process(
    client: &mut LightClient,
    chain: &BeaconChain,
    recipe: &MessageFields,
) -> Result<HeadChanges, Reason> {
    let message = chain.message(recipe);
    client.process(recipe.kind, &message, NOW).map_err(|error| error.reason())
}

#[test]
fn a_client_follows_the_chain_through_every_fork() {
    let chain = chain();
    let mut client = start(&chain, 8);
    for period in 0..8 {
        let attested = PERIOD * period + 40;
        let update = chain.honest_message(UpdateKind::Update, attested);
        let done = HeadChanges { finality: true, optimistic: true };
        assert_eq!(process(&mut client, &chain, &update), Ok(done), "{period}");
        assert_eq!((client.period(), client.knows_next_committee()), (period, true));

        let finality = chain.honest_message(UpdateKind::Finality, attested + 8);
        assert_eq!(process(&mut client, &chain, &finality), Ok(done), "{period}");
        let optimistic = chain.honest_message(UpdateKind::Optimistic, attested + 9);
        let newer = HeadChanges { finality: false, optimistic: true };
        assert_eq!(process(&mut client, &chain, &optimistic), Ok(newer), "{period}");

        let head = client.finalized().unwrap();
        assert_eq!((head.slot, head.beacon_root), (attested - 8, chain.root(attested - 8)));
        assert_eq!(head.execution_block_hash, chain.execution_hash(attested - 8));
        let head = client.optimistic().unwrap();
        assert_eq!((head.slot, head.beacon_root), (attested + 9, chain.root(attested + 9)));
        assert_eq!(head.execution_block_hash, chain.execution_hash(attested + 9));
        let participation = head.participation.unwrap();
        assert_eq!((participation.signed, participation.members), (32, 32));
        assert_eq!(head.check_age(NOW, NOW), Ok(()));
        let old = head.check_age(head.slot + 4, 3).unwrap_err();
        assert_eq!(old.reason(), Reason::HeadTooOld);
    }
    let fork = chain.network.fork(client.finalized().unwrap().slot);
    assert_eq!(fork, Ok(Fork::Gloas));
}

#[test]
fn a_block_finalizes_one_of_the_fork_before() {
    let chain = chain();
    for period in 0..7 {
        let mut client = start(&chain, PERIOD * period + 8);
        process(
            &mut client,
            &chain,
            &chain.honest_message(UpdateKind::Update, PERIOD * period + 40),
        )
        .unwrap();
        // The finalized block's container has the encoding of the attested block's fork.
        let attested = PERIOD * (period + 1) + 2;
        for kind in [UpdateKind::Finality, UpdateKind::Update] {
            let mut client = client.clone();
            let recipe = chain.honest_message(kind, attested);
            let done = HeadChanges { finality: true, optimistic: true };
            assert_eq!(process(&mut client, &chain, &recipe), Ok(done), "{period}");
            let head = client.finalized().unwrap();
            assert_eq!(head.slot, attested - 16);
            assert_eq!(head.execution_block_hash, chain.execution_hash(attested - 16));
        }
    }
}

#[test]
fn the_fork_version_is_that_of_the_slot_before_the_signature() {
    let chain = chain();
    for period in 0..7 {
        let mut client = start(&chain, PERIOD * period + 8);
        process(
            &mut client,
            &chain,
            &chain.honest_message(UpdateKind::Update, PERIOD * period + 40),
        )
        .unwrap();
        let last = PERIOD * (period + 1) - 1;
        let (old, new) = (chain.version(last), chain.version(last + 1));
        // Signed in the first slot of a fork, and in the second one, when the block's slot is still of the
        // old fork.
        for (signature_slot, right, wrong) in [(last + 1, old, new), (last + 2, new, old)] {
            let recipe = |fork_version| {
                let recipe = chain.honest_message(UpdateKind::Optimistic, last);
                MessageFields { signature_slot, fork_version, signers: period + 1, ..recipe }
            };
            let mut client = client.clone();
            if old != new {
                let refused = process(&mut client, &chain, &recipe(wrong));
                assert_eq!(refused, Err(Reason::InvalidSignature), "{period}");
            }
            assert!(process(&mut client, &chain, &recipe(right)).unwrap().optimistic, "{period}");
        }
    }
}

#[test]
fn a_signature_is_for_one_domain_and_one_chain() {
    let chain = chain();
    for period in 0..7 {
        let mut client = start(&chain, PERIOD * period + 8);
        for kind in KINDS {
            let recipe = chain.honest_message(kind, PERIOD * period + 40);
            for changed in [
                MessageFields { domain: [0, 0, 0, 0], ..recipe.clone() },
                MessageFields { domain: [7, 0, 0, 1], ..recipe.clone() },
                MessageFields { genesis_validators_root: [1; 32], ..recipe.clone() },
                MessageFields { signers: period + 1, ..recipe.clone() },
            ] {
                let refused = process(&mut client, &chain, &changed);
                assert_eq!(refused, Err(Reason::InvalidSignature), "{period}");
            }
        }
    }
}

#[test]
fn two_thirds_of_the_committee_move_every_head() {
    let chain = chain();
    let signed_by = |members: usize, kind| {
        let recipe = chain.honest_message(kind, 40);
        MessageFields { bits: (0..32).map(|at| at < members).collect(), ..recipe }
    };
    for kind in KINDS {
        for members in [0, 1, 16, 17, 21] {
            let mut client = start(&chain, 8);
            let refused = process(&mut client, &chain, &signed_by(members, kind));
            assert_eq!(refused, Err(Reason::TooFewSignatures), "{members}");
            assert_eq!(client.optimistic().unwrap().slot, 8);
        }
        for members in [22, 31, 32] {
            let mut client = start(&chain, 8);
            process(&mut client, &chain, &signed_by(members, kind)).unwrap();
            let head = client.optimistic().unwrap();
            assert_eq!((head.slot, head.participation.unwrap().signed), (40, members));
        }
    }

    // The specification's store requires only half of the highest participation seen, but at least one member.
    let update = |members| {
        let message = chain.message(&signed_by(members, UpdateKind::Optimistic));
        Update::decode(UpdateKind::Optimistic, &message, &chain.network).unwrap()
    };
    let mut spec = store(&chain, 8);
    let refused = spec.process_update(&update(0), NOW).unwrap_err();
    assert_eq!(refused.reason(), Reason::TooFewSignatures);
    for members in [1, 2, 15, 16, 17, 21, 31] {
        let mut spec = store(&chain, 8);
        spec.process_update(&update(members), NOW).unwrap();
        assert_eq!((spec.optimistic().beacon.slot, spec.finalized().beacon.slot), (40, 8));
    }
}

#[test]
fn a_bit_says_which_member_signed() {
    let chain = chain();
    let client = start(&chain, 8);
    let message = chain.message(&MessageFields {
        bits: (0..32).map(|at| at < 24).collect(),
        ..chain.honest_message(UpdateKind::Optimistic, 40)
    });
    let bits = message.len() - 8 - 96 - 4;
    let with_bits = |bytes: [u8; 4]| {
        let mut message = message.clone();
        message[bits..bits + 4].copy_from_slice(&bytes);
        client
            .clone()
            .process(UpdateKind::Optimistic, &message, NOW)
            .map_err(|error| error.reason())
    };
    assert!(with_bits([0xff, 0xff, 0xff, 0]).is_ok());
    assert_eq!(with_bits([0xff, 0xff, 0xff, 1]), Err(Reason::InvalidSignature));
    assert_eq!(with_bits([0xff, 0xff, 0x7f, 1]), Err(Reason::InvalidSignature));
    assert_eq!(with_bits([0xff, 0xff, 0x7f, 0]), Err(Reason::InvalidSignature));
    assert_eq!(with_bits([0xff, 0xff, 0xff, 0xff]), Err(Reason::InvalidSignature));
    assert_eq!(with_bits([0; 4]), Err(Reason::TooFewSignatures));
}

#[test]
fn committees_are_known_for_two_periods_at_most() {
    let chain = chain();
    let mut client = start(&chain, PERIOD + 8);
    let attested_in = |period| chain.honest_message(UpdateKind::Finality, PERIOD * period + 40);
    for period in [2, 3] {
        let refused = process(&mut client, &chain, &attested_in(period));
        assert_eq!(refused, Err(Reason::PeriodUnknown), "{period}");
    }
    assert_eq!(process(&mut client, &chain, &attested_in(0)), Err(Reason::UpdateNotNewer));
    process(&mut client, &chain, &chain.honest_message(UpdateKind::Update, PERIOD + 40)).unwrap();
    for period in [3, 4] {
        let refused = process(&mut client, &chain, &attested_in(period));
        assert_eq!(refused, Err(Reason::PeriodUnknown), "{period}");
    }
    assert_eq!(process(&mut client, &chain, &attested_in(0)), Err(Reason::UpdateNotNewer));
    process(&mut client, &chain, &attested_in(2)).unwrap();
    // That update had no committee for period 3.
    assert_eq!((client.period(), client.knows_next_committee()), (2, false));
    let refused = process(&mut client, &chain, &attested_in(3));
    assert_eq!(refused, Err(Reason::PeriodUnknown));
}

#[test]
fn an_update_attests_something_new() {
    let chain = chain();
    let mut client = start(&chain, 8);
    process(&mut client, &chain, &chain.honest_message(UpdateKind::Update, 56)).unwrap();
    for kind in KINDS {
        for attested in [20, 39, 40] {
            let refused = process(&mut client, &chain, &chain.honest_message(kind, attested));
            assert_eq!(refused, Err(Reason::UpdateNotNewer), "{attested}");
        }
    }
    // Newer than the finalized head, but older than the optimistic one: nothing changes.
    let same = HeadChanges { finality: false, optimistic: false };
    let recipe = chain.honest_message(UpdateKind::Optimistic, 41);
    assert_eq!(process(&mut client, &chain, &recipe), Ok(same));
    assert_eq!(client.optimistic().unwrap().slot, 56);
}

#[test]
fn everything_is_at_its_generalized_index() {
    let chain = chain();
    for period in 0..7 {
        let slot = PERIOD * period + 8;
        let client = start(&chain, slot);
        for kind in KINDS {
            for lie in [
                MisplacedObject::FinalizedRoot,
                MisplacedObject::NextCommittee,
                MisplacedObject::Execution,
            ] {
                let recipe =
                    MessageFields { misplaced: Some(lie), ..chain.honest_message(kind, slot + 32) };
                let found = process(&mut client.clone(), &chain, &recipe);
                let matters = match lie {
                    MisplacedObject::FinalizedRoot => kind != UpdateKind::Optimistic,
                    MisplacedObject::NextCommittee => kind == UpdateKind::Update,
                    _ => period >= 2,
                };
                let refused = found == Err(Reason::BranchMismatch);
                assert_eq!(refused, matters, "{period} {kind:?} {lie:?}: {found:?}");
            }
        }
        let bootstrap = chain.bootstrap(slot, Some(MisplacedObject::CurrentCommittee));
        let bootstrap = Bootstrap::decode(&bootstrap, &chain.network).unwrap();
        let root = bootstrap.header.beacon.root();
        let refused =
            LightClientStore::initialize(chain.network.clone(), &root, bootstrap).unwrap_err();
        assert_eq!(refused.reason(), Reason::BranchMismatch, "{period}");
    }
}

#[test]
fn a_period_has_one_next_committee() {
    let chain = chain();
    let mut client = start(&chain, 8);
    process(&mut client, &chain, &chain.honest_message(UpdateKind::Update, 40)).unwrap();
    let mut other = chain.clone();
    other.set_committee(1, CommitteeKeys::new(99, 32));
    let refused = process(&mut client, &other, &other.honest_message(UpdateKind::Update, 50));
    assert_eq!(refused, Err(Reason::CommitteeMismatch));
}

#[test]
fn two_finalized_blocks_of_one_slot_stop_the_client() {
    let chain = chain();
    let fork = other(&chain);
    let mut client = start(&chain, 8);
    let first = chain.message(&chain.honest_message(UpdateKind::Update, 40));
    client.process(UpdateKind::Update, &first, NOW).unwrap();
    assert_eq!(client.evidence(), None);
    let second = fork.message(&MessageFields {
        finalized: Some(24),
        ..fork.honest_message(UpdateKind::Finality, 50)
    });
    let refused = client.process(UpdateKind::Finality, &second, NOW).unwrap_err();
    assert_eq!(refused.reason(), Reason::ConflictingFinality);
    let evidence = client.evidence().unwrap();
    assert_eq!(evidence.first, Some((UpdateKind::Update, first)));
    assert_eq!(evidence.second, (UpdateKind::Finality, second));

    // No message is accepted any more, and no state is exported.
    let refused = [
        client.finalized().unwrap_err(),
        client.optimistic().unwrap_err(),
        client.export().unwrap_err(),
        client.process(UpdateKind::Update, &[], NOW).unwrap_err(),
    ];
    assert_eq!(refused.map(|error| error.reason()), [Reason::ConflictingFinality; 4]);

    // The same for a contradiction to the checkpoint.
    let mut client = start(&chain, 24);
    let recipe =
        MessageFields { finalized: Some(24), ..fork.honest_message(UpdateKind::Finality, 50) };
    assert_eq!(process(&mut client, &fork, &recipe), Err(Reason::ConflictingFinality));
    assert_eq!(client.evidence().unwrap().first, None);
}

/// A chain that has other blocks, by the same committees.
fn other(chain: &BeaconChain) -> BeaconChain {
    let mut other = chain.clone();
    other.salt = 1 << 40;
    other
}

/// A client with the finalized blocks 8, which it trusts, 16, 24 and 32, and the latest block 48.
fn finalized_up_to_32(chain: &BeaconChain) -> LightClient {
    let mut client = start(chain, 8);
    process(&mut client, chain, &chain.honest_message(UpdateKind::Update, 32)).unwrap();
    for attested in [40, 48] {
        process(&mut client, chain, &chain.honest_message(UpdateKind::Finality, attested)).unwrap();
    }
    client
}

/// The state of a client that has exported and imported it.
fn restored(client: &LightClient) -> LightClient {
    let state = client.export().unwrap();
    LightClient::import(client.network().clone(), &state, NOW, NOW).unwrap()
}

/// A message about a block that finalizes another one.
fn finalizing(chain: &BeaconChain, attested: u64, finalized: u64) -> MessageFields {
    MessageFields {
        finalized: Some(finalized),
        ..chain.honest_message(UpdateKind::Finality, attested)
    }
}

#[test]
fn a_second_finalized_block_of_any_remembered_slot_stops_the_client() {
    let chain = chain();
    let fork = other(&chain);
    let client = finalized_up_to_32(&chain);
    for finalized in [8, 16, 24, 32] {
        // The attested block may also be no newer than the finalized one, or older than it.
        for attested in [60, 49, 48, 33, 32, 31, 25].map(|slot: u64| slot.max(finalized + 1)) {
            for kind in [UpdateKind::Finality, UpdateKind::Update] {
                let recipe = MessageFields { kind, ..finalizing(&fork, attested, finalized) };
                for mut client in [client.clone(), restored(&client)] {
                    let refused = process(&mut client, &fork, &recipe);
                    assert_eq!(refused, Err(Reason::ConflictingFinality), "{finalized} {attested}");
                    let evidence = client.evidence().unwrap();
                    assert_eq!(evidence.slot, finalized);
                    assert_eq!(evidence.roots, [chain.root(finalized), fork.root(finalized)]);
                    assert!(client.optimistic().is_err() && client.export().is_err());
                }
            }
        }
    }
    // Both updates are kept. The checkpoint has no update, and neither has a block from an exported state.
    let first = |mut client: LightClient, finalized| {
        process(&mut client, &fork, &finalizing(&fork, 60, finalized)).unwrap_err();
        client.evidence().unwrap().first.clone()
    };
    let by = |recipe: MessageFields| Some((recipe.kind, chain.message(&recipe)));
    assert_eq!(first(client.clone(), 8), None);
    assert_eq!(first(client.clone(), 16), by(chain.honest_message(UpdateKind::Update, 32)));
    assert_eq!(first(client.clone(), 24), by(chain.honest_message(UpdateKind::Finality, 40)));
    assert_eq!(first(restored(&client), 24), None);
}

#[test]
fn only_what_two_thirds_signed_stops_the_client() {
    let chain = chain();
    let fork = other(&chain);
    let conflict = finalizing(&fork, 60, 24);
    let refused = |recipe: &MessageFields| {
        let mut client = finalized_up_to_32(&chain);
        let refused = process(&mut client, &fork, recipe).unwrap_err();
        assert_eq!(client.evidence(), None);
        assert_eq!(client.optimistic().unwrap().slot, 48);
        refused
    };
    let bits = (0..32).map(|at| at < 21).collect();
    assert_eq!(refused(&MessageFields { bits, ..conflict.clone() }), Reason::TooFewSignatures);
    assert_eq!(
        refused(&MessageFields { signers: 1, ..conflict.clone() }),
        Reason::InvalidSignature
    );
    let lie = Some(MisplacedObject::FinalizedRoot);
    assert_eq!(
        refused(&MessageFields { misplaced: lie, ..conflict.clone() }),
        Reason::BranchMismatch
    );
    let signature_slot = NOW + 1;
    assert_eq!(
        refused(&MessageFields { signature_slot, ..conflict.clone() }),
        Reason::HeadInFuture
    );
    let signature_slot = 60;
    assert_eq!(refused(&MessageFields { signature_slot, ..conflict }), Reason::SlotOrder);
    // The committee of an earlier period is not known any more.
    let mut client = finalized_up_to_32(&chain);
    process(&mut client, &chain, &chain.honest_message(UpdateKind::Update, PERIOD + 40)).unwrap();
    let refused = process(&mut client, &fork, &finalizing(&fork, 60, 24));
    assert_eq!(refused, Err(Reason::UpdateNotNewer));
    // The next one's signs about blocks of the period before, too.
    let refused = process(&mut client, &fork, &finalizing(&fork, PERIOD + 50, 24));
    assert_eq!(refused, Err(Reason::ConflictingFinality));
}

#[test]
fn an_update_that_finalizes_an_older_block_moves_no_head() {
    let chain = chain();
    let nothing = HeadChanges { finality: false, optimistic: false };
    for chain_of_update in [chain.clone(), other(&chain)] {
        for kind in [UpdateKind::Finality, UpdateKind::Update] {
            // Slots without a known finalized block.
            for finalized in [4, 12, 31] {
                let mut client = finalized_up_to_32(&chain);
                let heads = (client.finalized(), client.optimistic());
                let recipe = MessageFields { kind, ..finalizing(&chain_of_update, 60, finalized) };
                assert_eq!(process(&mut client, &chain_of_update, &recipe), Ok(nothing));
                assert_eq!((client.finalized(), client.optimistic()), heads);
                // The block is kept nevertheless.
                let conflict = finalizing(&chain, 61, finalized);
                let mut fork = chain.clone();
                fork.salt = 7;
                let refused = process(&mut restored(&client), &fork, &conflict);
                assert_eq!(refused, Err(Reason::ConflictingFinality), "{finalized}");
            }
        }
    }
    // The best update of a period may be older than the checkpoint. It shows the next committee.
    let mut client = start(&chain, 50);
    let learned = HeadChanges { finality: true, optimistic: false };
    let older = MessageFields {
        kind: UpdateKind::Update,
        next_committee: true,
        ..finalizing(&chain, 60, 44)
    };
    assert_eq!(process(&mut client, &chain, &older), Ok(learned));
    assert!(client.knows_next_committee());
    assert_eq!(client.optimistic().unwrap().slot, 50);
}

#[test]
fn an_attested_block_is_the_finalized_one_of_its_slot() {
    let chain = chain();
    let mut client = start(&chain, 50);
    // In the state of the finalized block at slot 50 nothing is finalized; in that of this one, block 34 is.
    let recipe = chain.honest_message(UpdateKind::Update, 50);
    assert_eq!(process(&mut client, &chain, &recipe), Err(Reason::NotExtending));
    assert!(!client.knows_next_committee());
    assert_eq!(client.evidence(), None);
}

#[test]
fn finality_is_remembered_within_a_bound() {
    let chain = chain();
    let fork = other(&chain);
    let mut client = start(&chain, 8);
    process(&mut client, &chain, &chain.honest_message(UpdateKind::Update, 32)).unwrap();
    let few = client.export().unwrap().len();
    for attested in 33..62 {
        process(&mut client, &chain, &chain.honest_message(UpdateKind::Finality, attested))
            .unwrap();
    }
    let most = client.export().unwrap().len();
    assert_eq!(most - few, 29 * 40);
    let refused = process(&mut restored(&client), &fork, &finalizing(&fork, 62, 17));
    assert_eq!(refused, Err(Reason::ConflictingFinality));

    // A state of version 1 has none of them.
    let state = client.export().unwrap();
    let heads = 1 + 32 + 2 * (112 + 64 + 8);
    let count = usize::from(state[heads]);
    let old = [&[1], &state[1..heads], &state[heads + 8 + 40 * count..]].concat();
    let mut old = LightClient::import(chain.network.clone(), &old, NOW, NOW).unwrap();
    assert_eq!(old.finalized(), client.finalized());
    assert_eq!(old.optimistic(), client.optimistic());
    let older = finalizing(&fork, 62, 17);
    let nothing = HeadChanges { finality: false, optimistic: false };
    assert_eq!(process(&mut old, &fork, &older), Ok(nothing));
    let newest = finalizing(&fork, 62, 45);
    assert_eq!(process(&mut old, &fork, &newest), Err(Reason::ConflictingFinality));

    // States with too many blocks, or blocks in another order, are refused.
    let import = |state: &[u8]| {
        LightClient::import(chain.network.clone(), state, NOW, NOW).unwrap_err().reason()
    };
    let changed = |at: usize, byte: u8| {
        let mut state = state.clone();
        state[at] = byte;
        import(&state)
    };
    assert_eq!(changed(heads + 1, 2), Reason::InvalidEncoding);
    assert_eq!(changed(heads + 7, 255), Reason::InvalidEncoding);
    assert_eq!(changed(heads + 8 + 40, 8), Reason::SlotOrder);
    assert_eq!(changed(heads + 8 + 40 * (count - 1), 45), Reason::SlotOrder);
}

#[test]
fn a_clock_may_be_behind_as_far_as_the_caller_allows() {
    let chain = chain();
    let clock = |current_slot, ahead| SlotClock { current_slot, latest_slot: current_slot + ahead };
    let bootstrap = chain.bootstrap(8, None);
    let start = |clock: SlotClock, age| {
        let checkpoint = chain.root(8);
        LightClient::start(chain.network.clone(), &checkpoint, &bootstrap, clock, age)
    };
    assert!(start(clock(6, 2), 0).is_ok());
    assert_eq!(start(clock(6, 1), 0).unwrap_err().reason(), Reason::HeadInFuture);
    // Ages are counted from the clock itself.
    assert!(start(clock(9, 5), 1).is_ok());
    assert_eq!(start(clock(10, 5), 1).unwrap_err().reason(), Reason::HeadTooOld);

    let client = start(clock(8, 0), 0).unwrap();
    for kind in KINDS {
        let message = chain.message(&chain.honest_message(kind, 40));
        let process = |clock: SlotClock| {
            let mut client = client.clone();
            client.process(kind, &message, clock).map(|_| client).map_err(|error| error.reason())
        };
        assert_eq!(process(clock(38, 2)).unwrap_err(), Reason::HeadInFuture);
        let client = process(clock(38, 3)).unwrap();
        let head = client.optimistic().unwrap();
        assert_eq!(head.check_age(clock(38, 3), 0), Ok(()));
        assert_eq!(head.check_age(clock(38, 1), 0).unwrap_err().reason(), Reason::HeadInFuture);
        // A state's heads may be as far ahead as they were when they were accepted.
        let state = client.export().unwrap();
        let import = |clock| LightClient::import(chain.network.clone(), &state, clock, NOW);
        assert!(import(clock(38, 2)).is_ok());
        assert_eq!(import(clock(38, 1)).unwrap_err().reason(), Reason::HeadInFuture);
    }
}

#[test]
fn genesis_is_finalized_by_zeros() {
    let chain = chain();
    let client = start(&chain, 1);
    for (kind, finality) in [(UpdateKind::Update, true), (UpdateKind::Finality, false)] {
        let recipe = MessageFields { finalized: Some(0), ..chain.honest_message(kind, 30) };
        let mut client = client.clone();
        let progress = process(&mut client, &chain, &recipe).unwrap();
        assert_eq!(progress, HeadChanges { finality, optimistic: true });
        assert_eq!(client.finalized().unwrap().slot, 1);
        assert_eq!(client.knows_next_committee(), kind == UpdateKind::Update);
    }
}

#[test]
fn parts_come_with_their_branches() {
    let chain = chain();
    for period in 0..7 {
        let slot = PERIOD * period + 8;
        let client = start(&chain, slot);
        let with = |next_committee, finalized| MessageFields {
            next_committee,
            finalized,
            ..chain.honest_message(UpdateKind::Update, slot + 32)
        };
        // An update without its parts is an update of another kind.
        for recipe in [with(false, None), with(true, None), with(false, Some(slot + 16))] {
            assert!(process(&mut client.clone(), &chain, &recipe).is_ok(), "{period}");
        }
        // A committee without its branch.
        let whole = chain.message(&with(true, None));
        let without = chain.message(&with(false, None));
        let at = without.iter().zip(&whole).position(|(one, other)| one != other).unwrap();
        let mut message = without.clone();
        message[at..at + 100].copy_from_slice(&whole[at..at + 100]);
        let refused = client.clone().process(UpdateKind::Update, &message, NOW).unwrap_err();
        assert_eq!(refused.reason(), Reason::InvalidUpdate, "{period}");
    }
}

#[test]
fn an_update_of_an_unknown_fork_is_nobodys_lie() {
    let chain = chain();
    let client = start(&chain, PERIOD * 6 + 8);
    let recipe = chain.honest_message(UpdateKind::Update, PERIOD * 6 + 40);
    let process = |recipe: &MessageFields, digest| {
        let ssz = chain.message(recipe);
        let chunk = prooflight_beacon::UpdateChunk { digest, ssz: &ssz };
        client.clone().process_chunk(&chunk, NOW).map_err(|error| error.reason())
    };
    let gloas = chain.network.fork_digest(6 * 8);
    let unknown = [9, 9, 9, 9];
    assert!(process(&recipe, gloas).is_ok());
    assert_eq!(process(&recipe, chain.network.fork_digest(5 * 8)), Err(Reason::WrongFork));
    // Newer blob parameters, which this build does not know.
    assert!(process(&recipe, unknown).is_ok());
    // The next fork: signatures cover another version.
    let next = MessageFields { fork_version: [8, 0, 0, 9], ..recipe.clone() };
    assert_eq!(process(&next, gloas), Err(Reason::InvalidSignature));
    assert_eq!(process(&next, unknown), Err(Reason::UnsupportedFork));
    let chunk = prooflight_beacon::UpdateChunk { digest: unknown, ssz: &[1; 100] };
    let refused = client.clone().process_chunk(&chunk, NOW).unwrap_err();
    assert_eq!(refused.reason(), Reason::UnsupportedFork);
}

#[test]
fn bits_of_a_message_count_in_every_fork() {
    let chain = chain();
    for period in 0..7 {
        let slot = PERIOD * period + 8;
        let client = start(&chain, slot);
        for kind in KINDS {
            let message = chain.message(&chain.honest_message(kind, slot + 32));
            let mut honest = client.clone();
            honest.process(kind, &message, NOW).unwrap();
            // Every sixth byte, with another start in each fork, and all bytes at the end.
            let first = usize::try_from(period).unwrap();
            for at in
                (first..message.len() - 16).step_by(6).chain(message.len() - 16..message.len())
            {
                let mut changed = message.clone();
                changed[at] ^= 1 << ((at + 3) % 8);
                let mut client = client.clone();
                // Only the signature's slot may change; see `tests/mainnet.rs`.
                if client.process(kind, &changed, NOW).is_ok() {
                    let slot = |message: &[u8]| {
                        Update::decode(kind, message, &chain.network).unwrap().signature_slot
                    };
                    assert_ne!(slot(&changed), slot(&message), "{period} {kind:?} {at}");
                    assert_eq!(client.optimistic(), honest.optimistic());
                    assert_eq!(client.finalized(), honest.finalized());
                }
            }
        }
    }
}
