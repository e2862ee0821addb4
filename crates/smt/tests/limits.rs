//! Limits: an input at a limit is accepted; above it, it is refused before any work.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use prooflight_core::{Limits, Reason, Result};
use prooflight_smt::hash::{EMPTY_ROOT, MAX_HEIGHT};
use prooflight_smt::proof::{
    DIFF_ENVELOPE, HISTORY_ENVELOPE, PROOF_ENVELOPE, ProofLeaf, ProofWriter,
};
use prooflight_smt::{
    ClaimedHistory, MAX_HISTORY_CHANGES, PastState, verify, verify_diff, verify_history,
};
use prooflight_testkit::smt::plain::PlainTree;

const DEFAULT: &Limits = &Limits::DEFAULT;

fn reason<T: std::fmt::Debug>(result: Result<T>) -> Reason {
    result.unwrap_err().reason()
}

#[test]
fn the_bytes_of_a_proof() {
    let most = DEFAULT.max_proof_bytes;
    let zeros = vec![0; most + 1];
    let check = |length: usize| {
        let bytes = &zeros[..length];
        [
            reason(verify(&EMPTY_ROOT, 0, &[b"key"], bytes, DEFAULT)),
            reason(verify_history(&[], b"key", 0, 0, bytes, DEFAULT)),
            reason(ClaimedHistory::decode(b"key", 0, 0, bytes, DEFAULT).blocks()),
            reason(verify_diff(&EMPTY_ROOT, None, 0, bytes, DEFAULT)),
        ]
    };
    assert_eq!(check(most), [Reason::UnknownVersion; 4]);
    assert_eq!(check(most + 1), [Reason::ProofTooLarge; 4]);
}

#[test]
fn the_number_of_keys() {
    let none = ProofWriter::new(PROOF_ENVELOPE).finish();
    let names: Vec<[u8; 2]> = (0..=4096u16).map(u16::to_be_bytes).collect();
    let keys: Vec<&[u8]> = names.iter().map(|name| &name[..]).collect();
    let answers = verify(&EMPTY_ROOT, 0, &keys[..4096], &none, DEFAULT).unwrap();
    assert_eq!(*answers, vec![PastState::NeverWritten; 4096]);
    assert_eq!(reason(verify(&EMPTY_ROOT, 0, &keys, &none, DEFAULT)), Reason::TooManyKeys);
    assert_eq!(reason(verify(&EMPTY_ROOT, 0, &[], &none, DEFAULT)), Reason::InvalidArgument);
}

#[test]
fn the_bytes_of_a_value() {
    let limits = &Limits { max_value_bytes: 3, ..Limits::DEFAULT };
    for (length, refused) in [(3, None), (4, Some(Reason::ValueTooLarge))] {
        let mut plain = PlainTree::default();
        plain.apply(0, [(b"key".to_vec(), Some(vec![7; length]))]);
        let (root, roots) = (plain.root(0), plain.roots(&[0]));
        let found = [
            verify(&root, 0, &[b"key"], &plain.prove(0, &[b"key"]), limits).err(),
            verify_history(&roots, b"key", 0, 0, &plain.prove_history(b"key", 0, 0), limits).err(),
            verify_diff(&root, None, 0, &plain.prove_diff(None, 0), limits).err(),
        ];
        assert_eq!(found.map(|error| error.map(|error| error.reason())), [refused; 3]);
    }
}

#[test]
fn a_declared_length_beyond_the_proof_allocates_nothing() {
    // One leaf, with a stated value length of 65,535 bytes; in a diff, a stated key length of 2^55.
    let bytes = [1, 3, 1, 0, 0, 0, 0, 0xff, 0xff, 0x03];
    assert_eq!(reason(verify(&EMPTY_ROOT, 0, &[b"key"], &bytes, DEFAULT)), Reason::Truncated);
    let bytes = [1, 3, 3, 0, 0, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40];
    assert_eq!(reason(verify_diff(&EMPTY_ROOT, None, 0, &bytes, DEFAULT)), Reason::Truncated);
}

#[test]
fn blocks_are_below_2_to_the_52nd() {
    let mut plain = PlainTree::default();
    plain.apply(MAX_HEIGHT, [(b"a".to_vec(), Some(vec![1])), (b"b".to_vec(), None)]);
    plain.apply(MAX_HEIGHT, [(b"c".to_vec(), Some(vec![3]))]);
    let (root, proof) = (plain.root(MAX_HEIGHT), plain.prove(MAX_HEIGHT, &[b"a", b"b"]));
    let found = verify(&root, MAX_HEIGHT, &[b"a", b"b"], &proof, DEFAULT).unwrap();
    assert_eq!(found[0], PastState::Present { value: &[1], since: MAX_HEIGHT });
    let (above, root) = (MAX_HEIGHT + 1, &EMPTY_ROOT);
    let none = |kind| ProofWriter::new(kind).finish();
    assert_eq!(reason(verify(root, above, &[b"a"], &none(PROOF_ENVELOPE), DEFAULT)), {
        Reason::InvalidArgument
    });
    assert_eq!(
        reason(verify_history(&[(above, *root)], b"a", 0, above, &none(HISTORY_ENVELOPE), DEFAULT)),
        Reason::InvalidArgument
    );
    assert_eq!(reason(verify_diff(root, None, above, &none(DIFF_ENVELOPE), DEFAULT)), {
        Reason::InvalidArgument
    });
}

#[test]
fn ranges_are_not_the_wrong_way_round() {
    let (none, no_diff) =
        (ProofWriter::new(HISTORY_ENVELOPE).finish(), ProofWriter::new(DIFF_ENVELOPE).finish());
    let history =
        |from, to| verify_history(&[(to, EMPTY_ROOT)], b"a", from, to, &none, DEFAULT).map(drop);
    assert_eq!(history(3, 3), Ok(()));
    assert_eq!(reason(history(4, 3)), Reason::InvalidArgument);
    let diff = |from, to| {
        verify_diff(&EMPTY_ROOT, from, to, &no_diff, DEFAULT).map(|changes| changes.len())
    };
    assert_eq!((diff(Some(2), 3), diff(None, 0)), (Ok(0), Ok(0)));
    assert_eq!(reason(diff(Some(3), 3)), Reason::InvalidArgument);
    assert_eq!(reason(diff(Some(u64::MAX), 3)), Reason::InvalidArgument);
}

/// A chain of branches over one leaf, each `further` bits below the one before.
fn deep(first: u8, further: u8, count: usize) -> Vec<u8> {
    let mut bytes = vec![1, 3, 1, 0];
    for at in 0..count {
        bytes.extend([if at == 0 { first } else { further }, 0]);
        bytes.extend([7; 32]);
    }
    // The leaf of the key itself, with an empty value.
    bytes.extend([0, 0, 0, 0]);
    bytes
}

#[test]
fn a_path_has_at_most_256_steps() {
    let verify = |bytes: &[u8]| reason(verify(&EMPTY_ROOT, 0, &[b"key"], bytes, DEFAULT));
    assert_eq!(verify(&deep(1, 1, 256)), Reason::RootMismatch);
    assert_eq!(verify(&deep(1, 1, 257)), Reason::DepthOutOfRange);
    assert_eq!(verify(&deep(255, 1, 2)), Reason::RootMismatch);
    assert_eq!(verify(&deep(255, 2, 2)), Reason::DepthOutOfRange);
    assert_eq!(verify(&deep(1, 255, 2)), Reason::RootMismatch);
    assert_eq!(verify(&deep(2, 255, 2)), Reason::DepthOutOfRange);
}

#[test]
fn the_changes_of_a_history() {
    // A tree of one leaf that changes in every block: each part is five bytes.
    let proof = |changes: usize| {
        let mut writer = ProofWriter::new(HISTORY_ENVELOPE);
        for _ in 0..changes {
            writer.root(0, 0);
            writer.proof_leaf(ProofLeaf::Live { index: 0, value: &[] });
        }
        // The tree before is empty.
        writer.finish()
    };
    let to = 1 << 30;
    let longest = proof(MAX_HISTORY_CHANGES);
    let claimed = ClaimedHistory::decode(b"key", 0, to, &longest, DEFAULT);
    assert_eq!(claimed.blocks().unwrap().len(), MAX_HISTORY_CHANGES + 1);
    let longer = proof(MAX_HISTORY_CHANGES + 1);
    let claimed = ClaimedHistory::decode(b"key", 0, to, &longer, DEFAULT);
    assert_eq!(reason(claimed.blocks()), Reason::TooManyChanges);
}
