//! Recorded answers of mainnet's beacon nodes: bootstraps, and a walk of 46 periods.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_beacon::{Bootstrap, LightClient, Network, Update, UpdateKind, read_chunks};
use prooflight_core::{Code, Hash, Limits, Reason};

const BOOTSTRAP_1347: &[u8] = include_bytes!("data/mainnet/bootstrap_1347.ssz");
const BOOTSTRAP_1392: &[u8] = include_bytes!("data/mainnet/bootstrap_1392.ssz");
const UPDATE_1366: &[u8] = include_bytes!("data/mainnet/update_1366.ssz");
const UPDATE_1392: &[u8] = include_bytes!("data/mainnet/update_1392.ssz");
const UPDATES_1347_46: &[u8] = include_bytes!("data/mainnet/updates_1347_46.ssz");

/// `finalized.root` of the recorded finality checkpoints.
const CHECKPOINT_1347: &str = "2e522016a5ac7d8d57d758b633a25491a43d12750db8f417fd6cf264b7ec5650";
const CHECKPOINT_1392: &str = "46d52dc3db74df14187554fb7afd5cc4af4558e3c8ca185e409955d6ac148572";

/// In period 1393, after all recorded data.
const NOW: u64 = 1393 * 8192;

fn hash(text: &str) -> Hash {
    hex::decode(text).unwrap().try_into().unwrap()
}

fn start(checkpoint: &str, bootstrap: &[u8]) -> LightClient {
    LightClient::start(Network::MAINNET, &hash(checkpoint), bootstrap, NOW, NOW).unwrap()
}

#[test]
fn a_bootstrap_and_its_period_verify() {
    let mut client = start(CHECKPOINT_1392, BOOTSTRAP_1392);
    let head = client.finalized().unwrap();
    assert_eq!((head.slot, head.participation), (11_403_296, None));
    assert_eq!(head.beacon_root, hash(CHECKPOINT_1392));
    assert_eq!((client.period(), client.knows_next_committee()), (1392, false));

    let chunks = read_chunks(UPDATE_1392, 1, &Limits::DEFAULT).unwrap();
    let progress = client.process_chunk(&chunks[0], NOW).unwrap();
    assert!(progress.finality && progress.optimistic);
    assert!(client.knows_next_committee());
    let update = Update::decode(UpdateKind::Update, chunks[0].ssz, &Network::MAINNET).unwrap();
    let optimistic = client.optimistic().unwrap();
    assert_eq!(optimistic.slot, update.attested.beacon.slot);
    assert_eq!(optimistic.beacon_root, update.attested.beacon.root());
    assert_eq!(optimistic.participation.unwrap().signed, update.aggregate.participants());
    assert_eq!(optimistic.participation.unwrap().members, 512);
    let execution = update.attested.execution.unwrap();
    assert_eq!(optimistic.execution_block_hash, Some(execution.block_hash));
}

#[test]
fn a_walk_of_46_periods_ends_where_a_later_checkpoint_begins() {
    let mut client = start(CHECKPOINT_1347, BOOTSTRAP_1347);
    let chunks = read_chunks(UPDATES_1347_46, 46, &Limits::DEFAULT).unwrap();
    assert_eq!(chunks.len(), 46);
    for (chunk, period) in chunks.iter().zip(1347..) {
        assert_eq!(client.period().max(1347), if period > 1347 { period - 1 } else { 1347 });
        let progress = client.process_chunk(chunk, NOW).unwrap();
        assert!(progress.finality, "{period}");
        assert!(client.knows_next_committee(), "{period}");
        assert_eq!(client.period(), period);
    }
    // The last period's committee equals that of another checkpoint's bootstrap.
    let bootstrap = Bootstrap::decode(BOOTSTRAP_1392, &Network::MAINNET).unwrap();
    let last = chunks.iter().rev().nth(1).unwrap();
    let update = Update::decode(UpdateKind::Update, last.ssz, &Network::MAINNET).unwrap();
    assert_eq!(update.next_committee.unwrap().committee, bootstrap.committee);

    // Without the periods between, the last update is signed by an unknown committee.
    let mut client = start(CHECKPOINT_1347, BOOTSTRAP_1347);
    let refused = client.process_chunk(chunks.last().unwrap(), NOW).unwrap_err();
    assert_eq!(refused.reason(), Reason::PeriodUnknown);
}

/// An update that another node gave verifies in the middle of the walk, and only there.
#[test]
fn an_update_alone_verifies_where_its_committee_is_known() {
    let mut client = start(CHECKPOINT_1347, BOOTSTRAP_1347);
    let alone = read_chunks(UPDATE_1366, 1, &Limits::DEFAULT).unwrap();
    let chunks = read_chunks(UPDATES_1347_46, 46, &Limits::DEFAULT).unwrap();
    for (chunk, period) in chunks.iter().zip(1347..1366) {
        let refused = client.clone().process_chunk(&alone[0], NOW).unwrap_err();
        assert_eq!(refused.reason(), Reason::PeriodUnknown, "{period}");
        client.process_chunk(chunk, NOW).unwrap();
    }
    let progress = client.process_chunk(&alone[0], NOW).unwrap();
    assert!(progress.finality && progress.optimistic);
    assert_eq!((client.period(), client.knows_next_committee()), (1366, true));
    let signed = client.optimistic().unwrap().participation.unwrap();
    assert_eq!((signed.signed, signed.members), (511, 512));
    assert_eq!(client.finalized().unwrap().slot, 11_190_272);
    // The committee that it proves is that of the next update.
    client.process_chunk(&chunks[20], NOW).unwrap();
    assert_eq!(client.period(), 1367);
}

#[test]
fn a_checkpoint_is_one_block_of_some_age() {
    let start = |root: &str, now, age| {
        LightClient::start(Network::MAINNET, &hash(root), BOOTSTRAP_1392, now, age)
            .map(|_| ())
            .map_err(|error| error.reason())
    };
    let slot = 11_403_296;
    assert_eq!(start(CHECKPOINT_1392, slot, 0), Ok(()));
    assert_eq!(start(CHECKPOINT_1392, slot + 100_800, Network::MAINNET.two_weeks()), Ok(()));
    let old = start(CHECKPOINT_1392, slot + 100_801, Network::MAINNET.two_weeks());
    assert_eq!(old, Err(Reason::HeadTooOld));
    assert_eq!(start(CHECKPOINT_1392, slot - 1, 0), Err(Reason::HeadInFuture));
    assert_eq!(start(CHECKPOINT_1347, slot, 0), Err(Reason::HeaderHashMismatch));
}

#[test]
fn every_bit_of_a_bootstrap_counts() {
    let client = |bytes: &[u8]| {
        LightClient::start(Network::MAINNET, &hash(CHECKPOINT_1392), bytes, NOW, NOW)
    };
    assert!(client(BOOTSTRAP_1392).is_ok());
    for at in (0..BOOTSTRAP_1392.len()).filter(|at| at % 37 == 0 || !(200..25_000).contains(at)) {
        let mut bytes = BOOTSTRAP_1392.to_vec();
        bytes[at] ^= 1 << (at % 8);
        let refused = client(&bytes).expect_err("a bootstrap with another bit");
        assert!(matches!(refused.code(), Code::Malformed | Code::Mismatch), "{at}: {refused}");
    }
    for end in (0..BOOTSTRAP_1392.len()).step_by(97).chain([BOOTSTRAP_1392.len() - 1]) {
        // Without its last bytes, the extra data differ, but are well-formed.
        let refused = client(&BOOTSTRAP_1392[..end]).unwrap_err().code();
        assert!(matches!(refused, Code::Malformed | Code::Mismatch), "{end}");
    }
    let longer = [BOOTSTRAP_1392, &[0; 33]].concat();
    assert_eq!(client(&longer).unwrap_err().code(), Code::Malformed);
}

#[test]
fn every_bit_of_an_update_counts() {
    let chunks = read_chunks(UPDATE_1392, 1, &Limits::DEFAULT).unwrap();
    let ssz = chunks[0].ssz;
    let client = start(CHECKPOINT_1392, BOOTSTRAP_1392);
    for at in (0..ssz.len()).filter(|at| at % 151 == 0 || !(300..24_700).contains(at)) {
        let mut bytes = ssz.to_vec();
        bytes[at] ^= 1 << (at % 8);
        let refused = client.clone().process(UpdateKind::Update, &bytes, NOW);
        if SIGNATURE_SLOT.contains(&at) {
            continue;
        }
        let refused = refused.expect_err("an update with another bit");
        assert_ne!(refused.code(), Code::Internal, "{at}");
    }
}

/// The bytes of `signature_slot` in the recorded update.
const SIGNATURE_SLOT: std::ops::Range<usize> = 25_144..25_152;

/// The signature's slot is the only field that no signature and no root covers: it only selects the
/// committee and the fork version, and bounds the block's slot.
#[test]
fn the_slot_of_a_signature_changes_no_head() {
    let chunks = read_chunks(UPDATE_1392, 1, &Limits::DEFAULT).unwrap();
    let ssz = chunks[0].ssz;
    let client = start(CHECKPOINT_1392, BOOTSTRAP_1392);
    let update = Update::decode(UpdateKind::Update, ssz, &Network::MAINNET).unwrap();
    let attested = update.attested.beacon.slot;
    assert_eq!(ssz[SIGNATURE_SLOT], update.signature_slot.to_le_bytes());
    let signed_at = |slot: u64, now| {
        let mut bytes = ssz.to_vec();
        bytes[SIGNATURE_SLOT].copy_from_slice(&slot.to_le_bytes());
        let mut client = client.clone();
        client.process(UpdateKind::Update, &bytes, now).map_err(|error| error.reason())?;
        Ok(*client.optimistic().unwrap())
    };
    let head = signed_at(attested + 1, NOW).unwrap();
    assert_eq!(signed_at(1393 * 8192 - 1, NOW), Ok(head));
    assert_eq!(signed_at(attested, NOW), Err(Reason::SlotOrder));
    assert_eq!(signed_at(0, NOW), Err(Reason::SlotOrder));
    assert_eq!(signed_at(attested + 2, attested + 1), Err(Reason::HeadInFuture));
    assert_eq!(signed_at(u64::MAX, NOW), Err(Reason::HeadInFuture));
    assert_eq!(signed_at(1393 * 8192, NOW), Err(Reason::PeriodUnknown));
}

#[test]
fn an_update_of_another_fork_than_its_digest_is_refused() {
    let chunks = read_chunks(UPDATE_1392, 1, &Limits::DEFAULT).unwrap();
    let client = start(CHECKPOINT_1392, BOOTSTRAP_1392);
    let process = |digest| {
        let mut chunk = chunks[0];
        chunk.digest = digest;
        client.clone().process_chunk(&chunk, NOW).map_err(|error| error.reason())
    };
    assert!(process(Network::MAINNET.fork_digest(356_353)).is_ok());
    for epoch in [0, 74_240, 194_048, 364_032, 411_392] {
        let refused = process(Network::MAINNET.fork_digest(epoch));
        assert_eq!(refused, Err(Reason::WrongFork), "{epoch}");
    }
    assert_eq!(process([1, 2, 3, 4]), Err(Reason::WrongFork));
}

#[test]
fn a_state_is_continued_where_it_was_left() {
    let mut client = start(CHECKPOINT_1347, BOOTSTRAP_1347);
    let chunks = read_chunks(UPDATES_1347_46, 46, &Limits::DEFAULT).unwrap();
    let fresh = client.export().unwrap();
    client.process_chunk(&chunks[0], NOW).unwrap();
    let state = client.export().unwrap();
    for (state, knows) in [(&fresh, false), (&state, true)] {
        let mut again = LightClient::import(Network::MAINNET, state, NOW, NOW).unwrap();
        assert_eq!(again.export().as_ref(), Ok(state));
        assert_eq!(again.knows_next_committee(), knows);
        again.process_chunk(&chunks[usize::from(knows)], NOW).unwrap();
    }
    let again = LightClient::import(Network::MAINNET, &state, NOW, NOW).unwrap();
    assert_eq!(again.finalized(), client.finalized());
    assert_eq!(again.optimistic(), client.optimistic());

    let import = |network, state: &[u8], now, age| {
        LightClient::import(network, state, now, age).unwrap_err().reason()
    };
    let slot = client.finalized().unwrap().slot;
    assert_eq!(import(Network::SEPOLIA, &state, NOW, NOW), Reason::WrongChain);
    assert_eq!(import(Network::MAINNET, &state, slot + 11, 10), Reason::HeadTooOld);
    assert_eq!(import(Network::MAINNET, &state, slot - 1, 10), Reason::HeadInFuture);
    for end in (0..state.len()).step_by(1009) {
        assert_eq!(import(Network::MAINNET, &state[..end], NOW, NOW), Reason::Truncated);
    }
    let longer = [&state[..], &[0]].concat();
    assert_eq!(import(Network::MAINNET, &longer, NOW, NOW), Reason::TrailingBytes);
    for version in [0, 3] {
        let mut other = state.clone();
        other[0] = version;
        assert_eq!(import(Network::MAINNET, &other, NOW, NOW), Reason::UnknownVersion);
    }
}
