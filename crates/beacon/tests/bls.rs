//! Keys and signatures that are not points of their groups, and sums that belong to nobody.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_beacon::{LightClient, UpdateKind};
use prooflight_core::Reason;
use prooflight_testkit::beacon::{BeaconChain, CommitteeKeys, MessageFields};

const NOW: u64 = 100;

/// The base field's modulus, big-endian.
const MODULUS: &str = "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";

fn process(chain: &BeaconChain, recipe: &MessageFields) -> Result<(), Reason> {
    let bootstrap = chain.bootstrap(8, None);
    let mut client =
        LightClient::start(chain.network.clone(), &chain.root(8), &bootstrap, NOW, NOW).unwrap();
    let message = chain.message(recipe);
    client
        .process(UpdateKind::Optimistic, &message, NOW)
        .map(|_| ())
        .map_err(|error| error.reason())
}

/// A compressed point with this x, padded with leading zeros.
fn x<const N: usize>(flags: u8, end: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes[N - end.len()..].copy_from_slice(end);
    bytes[0] |= flags;
    bytes
}

#[test]
fn signatures_are_points_of_the_group() {
    let chain = BeaconChain::new(1);
    let recipe = chain.honest_message(UpdateKind::Optimistic, 40);
    let honest = {
        let message = chain.message(&recipe);
        <[u8; 96]>::try_from(&message[message.len() - 104..message.len() - 8]).unwrap()
    };
    let with = |signature| {
        process(&chain, &MessageFields { signature: Some(signature), ..recipe.clone() })
    };
    assert_eq!(with(honest), Ok(()));

    let modulus = hex::decode(MODULUS).unwrap();
    let flags = |change: u8| {
        let mut other = honest;
        other[0] ^= change;
        other
    };
    let mut above = honest;
    // The same point with a coordinate above the modulus, if that fits into 381 bits.
    let mut carry = 0;
    for (byte, more) in above[48..].iter_mut().zip(&modulus).rev() {
        let sum = u16::from(*byte) + u16::from(*more) + carry;
        *byte = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    for (signature, what) in [
        ([0; 96], "zeros"),
        (x(0xc0, &[]), "infinity"),
        (x(0xe0, &[]), "infinity with a sign"),
        (x(0xc0, &[1]), "infinity with an x"),
        (flags(0x80), "not compressed"),
        (flags(0x40), "infinity's flag"),
        (above, "x above the modulus"),
        (x(0x80, &modulus), "the modulus"),
        ([0xff; 96], "ones"),
    ] {
        assert_eq!(with(signature), Err(Reason::InvalidPoint), "{what}");
    }
    // The same x with the other y is another point, which is nobody's signature.
    assert_eq!(with(flags(0x20)), Err(Reason::InvalidSignature));
    // Points of the curve; almost none of them are in the subgroup.
    let outside = (1..60).filter(|end| with(x(0x80, &[*end])) == Err(Reason::InvalidPoint));
    assert_eq!(outside.count(), 59);
}

#[test]
fn keys_are_points_of_the_group() {
    let modulus = hex::decode(MODULUS).unwrap();
    let bits: Vec<bool> = (0..32).map(|at| at < 28).collect();
    let with_key = |seat: usize, key: Option<[u8; 48]>| {
        let mut chain = BeaconChain::new(1);
        let mut committee = CommitteeKeys::new(0, 32);
        committee.keys[seat] = key.unwrap_or(committee.keys[seat]);
        chain.set_committee(0, committee);
        process(
            &chain,
            &MessageFields {
                bits: bits.clone(),
                ..chain.honest_message(UpdateKind::Optimistic, 40)
            },
        )
    };
    assert_eq!(with_key(30, None), Ok(()));
    let mut bad = vec![[0; 48], x(0xc0, &[]), x(0xe0, &[]), x(0x80, &modulus), [0xff; 48]];
    // Points of the curve; almost none of them are in the subgroup.
    bad.extend((1..30).map(|end| x(0x80, &[end])));
    for key in bad {
        // An absent member's key is subtracted from the aggregate.
        assert_eq!(with_key(30, Some(key)), Err(Reason::InvalidPoint), "{key:02x?}");
    }
    let other = CommitteeKeys::new(7, 32).keys[0];
    assert_eq!(with_key(30, Some(other)), Err(Reason::InvalidSignature));
}

#[test]
fn the_aggregate_is_that_of_all_members() {
    let with = |aggregate| {
        let mut chain = BeaconChain::new(1);
        let mut committee = CommitteeKeys::new(0, 32);
        committee.aggregate = aggregate;
        chain.set_committee(0, committee);
        process(&chain, &chain.honest_message(UpdateKind::Optimistic, 40))
    };
    assert_eq!(with(CommitteeKeys::new(0, 32).aggregate), Ok(()));
    assert_eq!(with(CommitteeKeys::new(1, 32).aggregate), Err(Reason::InvalidSignature));
    assert_eq!(with(x(0xc0, &[])), Err(Reason::InvalidPoint));
    assert_eq!(with([0; 48]), Err(Reason::InvalidPoint));
}

#[test]
fn keys_that_cancel_each_other_sign_nothing() {
    // The absent members' keys add up to the aggregate: the others' sum is infinity.
    let mut chain = BeaconChain::new(1);
    let mut committee = CommitteeKeys::new(0, 32);
    let bits: Vec<bool> = (0..32).map(|at| at < 31).collect();
    committee.keys[31] = committee.aggregate;
    chain.set_committee(0, committee);
    let recipe = MessageFields { bits, ..chain.honest_message(UpdateKind::Optimistic, 40) };
    assert_eq!(process(&chain, &recipe), Err(Reason::InvalidSignature));
    let infinity = MessageFields { signature: Some(x(0xc0, &[])), ..recipe };
    assert_eq!(process(&chain, &infinity), Err(Reason::InvalidPoint));
}
