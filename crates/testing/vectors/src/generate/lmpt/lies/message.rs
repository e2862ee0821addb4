//! The bytes around the nodes, the question, and which fault is told first.

use prooflight_core::{Reason, keccak256};
use prooflight_json::HexBytes;
use prooflight_testkit::lmpt::layers::{LayerNodes, StateLayers};

use super::LmptLies;
use crate::generate::lmpt::{ask, key, limits, with};
use crate::limits::CallerLimits;
use crate::lmpt::LmptProof;

pub(super) fn bytes(lies: &mut LmptLies<'_, '_>) {
    let honest = ask(lies.layers, &[key(1)]);
    let mut splice = |comment: &str, from: usize, cut: usize, put: &[u8], reason| {
        let proof = &honest.proof.0;
        let proof = [&proof[..from], put, &proof[from + cut..]].concat();
        lies.input(
            "Envelope",
            comment,
            &LmptProof { proof: HexBytes(proof), ..honest.clone() },
            reason,
        );
    };
    let end = honest.proof.0.len();
    splice("version 0", 0, 1, &[0], Reason::UnknownVersion);
    splice("version 2", 0, 1, &[2], Reason::UnknownVersion);
    splice("scheme 4", 1, 1, &[4], Reason::UnknownScheme);
    splice("scheme 6", 1, 1, &[6], Reason::UnknownScheme);
    splice("scheme 254", 1, 1, &[254], Reason::UnknownScheme);
    splice("kind 0", 2, 1, &[0], Reason::UnknownKind);
    splice("kind 2", 2, 1, &[2], Reason::UnknownKind);
    splice("a fourth list", end, 0, &[0; 4], Reason::TrailingBytes);
    splice("a byte after the lists", end, 0, &[0], Reason::TrailingBytes);
    splice("no third list", end - 4, 4, &[], Reason::InvalidEncoding);
    splice("no second and third list", end - 8, 8, &[], Reason::InvalidEncoding);
    splice("half of the count of the third list", end - 2, 2, &[], Reason::InvalidEncoding);
    splice("a first list of 2^32 - 1 nodes", 3, 4, &[0xff; 4], Reason::InvalidEncoding);
    splice("a third list of 2^32 - 1 nodes", end - 4, 4, &[0xff; 4], Reason::InvalidEncoding);
    splice("a node of 2^32 - 1 bytes", 7, 4, &[0xff; 4], Reason::InvalidEncoding);
    splice("a count in big-endian", 3, 4, &[0, 0, 0, 2], Reason::InvalidEncoding);
    splice("the lists alone", 0, 3, &[], Reason::UnknownVersion);
    splice("the three bytes of the envelope", 3, end - 3, &[], Reason::InvalidEncoding);
    splice("no bytes", 0, end, &[], Reason::Truncated);
}

pub(super) fn question(lies: &mut LmptLies<'_, '_>) {
    let honest = ask(lies.layers, &[key(1), key(3)]);
    for (length, comment) in [
        (0, "an empty root"),
        (32, "a root of 32 bytes: the snapshot's"),
        (64, "a root of 64 bytes"),
        (95, "a root of 95 bytes"),
    ] {
        let root = HexBytes(honest.root.0[..length].to_vec());
        lies.input(
            "Question",
            comment,
            &LmptProof { root, ..honest.clone() },
            Reason::InvalidArgument,
        );
    }
    let root = HexBytes([&honest.root.0[..], &[0]].concat());
    let input = LmptProof { root, ..honest.clone() };
    lies.input("Question", "a root of 97 bytes", &input, Reason::InvalidArgument);
    let input = LmptProof { keys: vec![], ..honest.clone() };
    lies.input("Question", "no keys", &input, Reason::InvalidArgument);
    let nothing = with(lies.layers, &[], &[vec![], vec![], vec![]]);
    lies.input("Question", "no keys, and a proof without nodes", &nothing, Reason::InvalidArgument);
    let empty = with(&StateLayers::default(), &[], &[vec![], vec![], vec![]]);
    lies.input("Question", "no keys, and layers without keys", &empty, Reason::InvalidArgument);

    let bounded = |limits: CallerLimits| LmptProof { limits: Some(limits), ..honest.clone() };
    let length = honest.proof.0.len();
    for (comment, limits, reason) in [
        ("a byte more than the limit", limits(Some(length - 1), None, None), Reason::ProofTooLarge),
        ("a key more than the limit", limits(None, Some(1), None), Reason::TooManyKeys),
        (
            "a value of a byte more than the limit",
            limits(None, None, Some(4)),
            Reason::ValueTooLarge,
        ),
        ("a limit of no bytes", limits(Some(0), None, None), Reason::ProofTooLarge),
        ("a limit of no keys", limits(None, Some(0), None), Reason::TooManyKeys),
    ] {
        lies.input("Limits", comment, &bounded(limits), reason);
    }
    let settled = ask(lies.layers, &[key(1)]);
    let input = LmptProof { limits: Some(limits(None, None, Some(2))), ..settled };
    lies.input(
        "Limits",
        "a value of delta of a byte more than the limit",
        &input,
        Reason::ValueTooLarge,
    );
    let many = ask(lies.layers, &vec![key(1); 4097]);
    let comment = "4,097 keys, one more than allowed by default, all the same";
    lies.input("Limits", comment, &many, Reason::TooManyKeys);
    let large = LmptProof { proof: HexBytes(vec![1; (8 << 20) + 1]), ..honest.clone() };
    let comment = "8 MiB and a byte, one more than allowed by default";
    lies.input("Limits", comment, &large, Reason::ProofTooLarge);
}

/// What is checked first.
pub(super) fn order(lies: &mut LmptLies<'_, '_>) {
    let honest = ask(lies.layers, &[key(3)]);
    let junk = vec![7; 40];
    let short = LmptProof { root: HexBytes(vec![0; 32]), keys: vec![], ..honest.clone() };
    lies.input("Order", "a root of 32 bytes, no keys", &short, Reason::InvalidArgument);
    let limits = Some(limits(Some(1), Some(0), None));
    let input = LmptProof { limits, ..honest.clone() };
    lies.input("Order", "too many keys, and too many bytes", &input, Reason::TooManyKeys);
    let lists = lies.layers.nodes(&[key(3)]);
    let mut change = |comment: &str, reason, change: &dyn Fn(&mut LayerNodes)| {
        let mut lists = lists.clone();
        change(&mut lists);
        lies.input("Order", comment, &with(lies.layers, &[key(3)], &lists), reason);
    };
    change("no delta, and bytes of no node in the snapshot", Reason::TrailingBytes, &|lists| {
        lists[0].clear();
        lists[2].push(junk.clone());
    });
    change(
        "another delta, and a branch without entries in the snapshot",
        Reason::BranchEntries,
        &|lists| {
            lists[0][0][20] ^= 1;
            lists[2].push([&[0xd1][..], &[0x80; 17]].concat());
        },
    );
    change("a short node of delta, and a string in intermediate", Reason::ShortNode, &|lists| {
        lists[0].push(vec![0xc3, 0x20, 0x81, 0x80]);
        lists[1].push(vec![0x80]);
    });
    change(
        "a string in intermediate, and a short node of the snapshot",
        Reason::InvalidNode,
        &|lists| {
            lists[1].push(vec![0x80]);
            lists[2].push(vec![0xc3, 0x20, 0x81, 0x80]);
        },
    );
    change("a short node that is no node", Reason::InvalidNode, &|lists| lists[2].push(vec![0x80]));
    change("a node more of delta, and no snapshot", Reason::NodeLeftOver, &|lists| {
        lists[0].extend_from_within(..1);
        lists[2].clear();
    });
    change("another intermediate, and no snapshot", Reason::RootMismatch, &|lists| {
        let at = lists[1][0].iter().position(|&byte| byte == 0xa0).expect("a hash") + 9;
        lists[1][0][at] ^= 1;
        lists[2].clear();
    });
    let mut proof = honest.proof.0.clone();
    proof[7 + 4 + 20] ^= 1;
    proof.push(0);
    let input = LmptProof { proof: HexBytes(proof), ..honest };
    lies.input("Order", "another delta, and a byte after the lists", &input, Reason::TrailingBytes);
    // A leaf of delta that settles no key, before what is missing of intermediate.
    let mut layers = lies.layers.clone();
    layers.delta.insert(keccak256(&[&key(3)]), vec![2]);
    let mut lists = layers.nodes(&[key(3), key(7)]);
    lists[1].clear();
    let input = with(&layers, &[key(3), key(7)], &lists);
    lies.input(
        "Order",
        "the tag 02 in delta, and no intermediate",
        &input,
        Reason::InvalidLayerValue,
    );
}
