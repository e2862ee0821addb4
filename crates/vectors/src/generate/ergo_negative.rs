//! `avl/ergo_negative.json`: Ergo blocks that do not lead from one state root to the next.
//!
//! Every change is made to a block of our own, and to a real one of `ergo_mainnet.json`.

use prooflight_core::{Reason, blake2b256};
use serde::Deserialize as _;
use serde_json::{Value, json, to_value};

use super::anatomy::{Node, Proof};
use super::builder::{Builder, expected};
use super::dictionary::{Dictionary, insert, lookup, remove, remove_if_exists};
use super::padded::{MOST, padded};
use super::rng::Rng;
use crate::answer::Answer;
use crate::avl::{Batch, Op};
use crate::carrier::Hex;
use crate::ergo::AdProofs;
use crate::file::VectorFile;

const FLAGS: &[(&str, &str)] = &[
    (
        "Accepted",
        "Ergo's verifier accepts it although no honest prover makes it, so consensus needs it",
    ),
    ("Argument", "an argument of the caller is wrong"),
    (
        "Forged",
        "the proof is forged, and adProofsRoot is the forgery's: the root of the tree is what stands against it",
    ),
    ("Header", "a member of the header is not that of the block"),
    ("Honest", "a block as it should be"),
    ("Input", "the input cannot be read as one of an ErgoAdProofs"),
    ("Operation", "the operations are not those of the block"),
    ("Proof", "the proof is not the one that adProofsRoot names"),
];

/// The file's bytes.
pub(super) fn file(ergo_mainnet: &str) -> String {
    let mut file = Builder::new("avl", FLAGS);
    file.group("ErgoAdProofs");
    let (made, answer, next) = made_blocks();
    let [real, other] = real_blocks(ergo_mainnet);
    honest(&mut file, &made, answer);
    for (name, block, other) in [("made", &made, &next), ("real", &real, &other)] {
        headers(&mut file, name, block, other);
        proofs(&mut file, name, block, other);
        forged_proofs(&mut file, name, block);
        operations(&mut file, name, block);
        arguments(&mut file, name, block);
    }
    failing(&mut file);
    inputs(&mut file, &made);
    file.finish()
}

/// A block of our own, the answer to it, and the block after it.
fn made_blocks() -> (AdProofs, Answer, AdProofs) {
    let mut rng = Rng::new(8);
    let mut boxes = Dictionary::random(&mut rng, 32, None, 40);
    let mut block = || {
        let keys = boxes.keys();
        let mut ops = vec![lookup(&keys[7][..]), remove(&keys[11][..]), remove(&keys[30][..])];
        let mut new = [rng.key(32), rng.key(32)];
        new.sort();
        ops.extend(new.map(|key| insert(key, rng.bytes(20))));
        let (batch, answer) = boxes.apply(&ops);
        (block_of(batch, &answer), answer)
    };
    let (first, answer) = block();
    (first, answer, block().0)
}

fn block_of(batch: Batch, answer: &Answer) -> AdProofs {
    AdProofs {
        parent_state_root: batch.digest,
        state_root: Hex::deserialize(&answer["digest"]).expect("a digest"),
        ad_proofs_root: Hex(blake2b256(&[&batch.proof.0]).to_vec()),
        ops: batch.ops,
        proof: batch.proof,
    }
}

/// The two real blocks with the shortest proofs.
fn real_blocks(ergo_mainnet: &str) -> [AdProofs; 2] {
    let file = VectorFile::parse(ergo_mainnet).expect("a vector file");
    let tests = file.test_groups.into_iter().flat_map(|group| group.tests);
    let mut blocks = tests
        .map(|test| test.input.read().expect("an input").into_owned())
        .map(|input| AdProofs::deserialize(input).expect("a block"))
        .collect::<Vec<_>>();
    blocks.sort_by_key(|block| block.proof.0.len());
    blocks.truncate(2);
    blocks.try_into().expect("two blocks")
}

fn with_proof(block: &AdProofs, proof: Vec<u8>) -> AdProofs {
    let ad_proofs_root = Hex(blake2b256(&[&proof]).to_vec());
    AdProofs { ad_proofs_root, proof: Hex(proof), ..block.clone() }
}

fn with_ops(block: &AdProofs, ops: Vec<Op>) -> AdProofs {
    AdProofs { ops, ..block.clone() }
}

fn flipped(bytes: &Hex, at: usize) -> Hex {
    let mut bytes = bytes.clone();
    bytes.0[at] ^= 0x10;
    bytes
}

fn taken_apart(block: &AdProofs) -> Proof {
    Proof::parse(&block.proof.0, 32, None)
}

fn honest(file: &mut Builder, made: &AdProofs, answer: Answer) {
    file.valid(&["Honest"], "the block that the tests below change (made)", made, answer);

    let mut boxes = Dictionary::random(&mut Rng::new(9), 32, None, 5);
    let (batch, answer) = boxes.apply(&[insert([0x55; 32], vec![0x66; 65_537])]);
    let mut pinned = answer.clone();
    pinned.retain(|member, _| member == "digest");
    let comment = "a box of 65,537 bytes, more than other dictionaries allow by default";
    file.valid(&["Honest"], comment, &block_of(batch, &answer), pinned);

    let (batch, mut answer) = boxes.prove(&vec![remove_if_exists([0x77; 32]); 4097]);
    answer.retain(|member, _| member == "digest");
    let comment = "4,097 operations that may delete, more than other dictionaries allow by default";
    file.valid(&["Honest"], comment, &block_of(batch, &answer), answer);

    let (batch, answer) = boxes.apply(&[]);
    let comment = "a block that leaves the boxes as they are";
    file.valid(&["Honest"], comment, &block_of(batch, &answer), answer);
}

fn headers(file: &mut Builder, name: &str, block: &AdProofs, other: &AdProofs) {
    let mut refuse = |comment: &str, block: AdProofs, reason| {
        file.invalid(&["Header"], format!("{comment} ({name})"), &block, reason);
    };
    for at in [0, 15, 31] {
        let forged =
            AdProofs { ad_proofs_root: flipped(&block.ad_proofs_root, at), ..block.clone() };
        let comment = format!("a bit of byte {at} of adProofsRoot flipped");
        refuse(&comment, forged, Reason::AdProofsRootMismatch);
        let forged = AdProofs { state_root: flipped(&block.state_root, at), ..block.clone() };
        let comment = format!("a bit of byte {at} of stateRoot flipped");
        refuse(&comment, forged, Reason::StateRootMismatch);
        let forged =
            AdProofs { parent_state_root: flipped(&block.parent_state_root, at), ..block.clone() };
        let comment = format!("a bit of byte {at} of parentStateRoot flipped");
        refuse(&comment, forged, Reason::RootMismatch);
    }
    let cases = [
        (
            "adProofsRoot of zeros",
            AdProofs { ad_proofs_root: Hex(vec![0; 32]), ..block.clone() },
            Reason::AdProofsRootMismatch,
        ),
        (
            "adProofsRoot of another block",
            AdProofs { ad_proofs_root: other.ad_proofs_root.clone(), ..block.clone() },
            Reason::AdProofsRootMismatch,
        ),
        (
            "adProofsRoot is BLAKE2b-512 of the proof, cut to 32 bytes",
            AdProofs { ad_proofs_root: blake2b512_cut(&block.proof), ..block.clone() },
            Reason::AdProofsRootMismatch,
        ),
        (
            "another height in stateRoot",
            AdProofs { state_root: flipped(&block.state_root, 32), ..block.clone() },
            Reason::StateRootMismatch,
        ),
        (
            "stateRoot is that of the parent: the block changes nothing",
            AdProofs { state_root: block.parent_state_root.clone(), ..block.clone() },
            Reason::StateRootMismatch,
        ),
        (
            "stateRoot of another block",
            AdProofs { state_root: other.state_root.clone(), ..block.clone() },
            Reason::StateRootMismatch,
        ),
        (
            "parentStateRoot of another block",
            AdProofs { parent_state_root: other.parent_state_root.clone(), ..block.clone() },
            Reason::RootMismatch,
        ),
        (
            "parentStateRoot and stateRoot exchanged: the block backwards",
            AdProofs {
                parent_state_root: block.state_root.clone(),
                state_root: block.parent_state_root.clone(),
                ..block.clone()
            },
            Reason::RootMismatch,
        ),
    ];
    for (comment, forged, reason) in cases {
        refuse(comment, forged, reason);
    }
    let mut higher = block.clone();
    higher.parent_state_root.0[32] += 1;
    let comment = "another height in parentStateRoot, which leads to another height in the end";
    refuse(comment, higher, Reason::StateRootMismatch);
}

fn blake2b512_cut(proof: &Hex) -> Hex {
    use blake2::Digest as _;
    Hex(blake2::Blake2b512::digest(&proof.0)[..32].to_vec())
}

/// Changed proofs beside the honest adProofsRoot.
fn proofs(file: &mut Builder, name: &str, block: &AdProofs, other: &AdProofs) {
    let proof = &block.proof.0;
    let half = proof.len() / 2;
    let cases = [
        ("the proof of another block", other.proof.0.clone()),
        ("an empty proof", vec![]),
        ("the first half of the proof", proof[..half].to_vec()),
        ("the proof without its last byte", proof[..proof.len() - 1].to_vec()),
        ("a byte after the proof", [&proof[..], &[0]].concat()),
        ("a bit in the middle of the proof flipped", flipped(&block.proof, half).0),
    ];
    for (comment, proof) in cases {
        let forged = AdProofs { proof: Hex(proof), ..block.clone() };
        let comment = format!("{comment} ({name})");
        file.invalid(&["Proof"], comment, &forged, Reason::AdProofsRootMismatch);
    }
}

/// Changed proofs beside an adProofsRoot that is theirs.
fn forged_proofs(file: &mut Builder, name: &str, block: &AdProofs) {
    let proof = &block.proof.0;
    let apart = taken_apart(block);
    let end = proof.len() - apart.directions.len();
    let leaf =
        apart.root.expanded().into_iter().rfind(
            |way| matches!(apart.root.at(way), Node::Leaf { value, .. } if !value.is_empty()),
        );
    let leaf = leaf.expect("a leaf with a value");
    let with_leaf = |change: fn(&mut Vec<u8>, &mut Vec<u8>)| {
        let mut forged = apart.clone();
        if let Node::Leaf { value, next, .. } = forged.root.at_mut(&leaf) {
            change(value, next);
        }
        forged.bytes()
    };
    let collapsed = |depth: usize| {
        let mut forged = apart.clone();
        let node = forged.root.at_mut(&apart.way(0)[..depth]);
        *node = node.collapsed();
        forged.bytes()
    };
    let length_at = proof.len() - apart.directions.len();
    let cases = [
        ("a value is forged", with_leaf(|value, _| value[0] ^= 1), Reason::RootMismatch),
        (
            "a value is cut",
            with_leaf(|value, _| value.truncate(value.len() - 1)),
            Reason::RootMismatch,
        ),
        ("a next key is forged", with_leaf(|_, next| next[31] ^= 1), Reason::RootMismatch),
        ("the proof is cut in the tree", proof[..end / 2].to_vec(), Reason::Truncated),
        ("the proof ends with the tree", proof[..end].to_vec(), Reason::DirectionsExhausted),
        ("the root is only a label", collapsed(0), Reason::NodeNotExpanded),
        ("a child of the root is only a label", collapsed(1), Reason::NodeNotExpanded),
        (
            "a value of more than 4 MiB is declared",
            [&[2][..], &[0; 64], &0x0040_0001_u32.to_be_bytes(), &proof[..length_at]].concat(),
            Reason::ValueTooLarge,
        ),
        (
            "a value of 4 MiB is declared and not there",
            [&[2][..], &[0; 64], &0x0040_0000_u32.to_be_bytes(), &proof[..length_at]].concat(),
            Reason::Truncated,
        ),
        ("an empty proof", vec![], Reason::Truncated),
        (
            "the directions are all to the right",
            [&proof[..end], &vec![0; apart.directions.len()][..]].concat(),
            Reason::NodeNotExpanded,
        ),
    ];
    for (comment, proof, reason) in cases {
        let comment = format!("{comment}, with its adProofsRoot ({name})");
        file.invalid(&["Forged"], comment, &with_proof(block, proof), reason);
    }
    let longer = with_proof(block, [&proof[..], &[0xff]].concat());
    let comment = format!("a byte after the directions, with its adProofsRoot ({name})");
    let answer = expected(json!({ "digest": block.state_root }));
    file.valid(&["Accepted"], comment, &longer, answer.clone());
    let longest = with_proof(block, padded(&block.proof, MOST).0);
    let comment = format!("zeros after the directions, 8 MiB together ({name})");
    file.valid(&["Accepted"], comment, &longest, answer);
    let too_long = with_proof(block, padded(&block.proof, MOST + 1).0);
    let comment = format!("zeros after the directions, a byte more than 8 MiB together ({name})");
    file.invalid(&["Forged"], comment, &too_long, Reason::ProofTooLarge);
    let other = AdProofs { ad_proofs_root: block.ad_proofs_root.clone(), ..too_long };
    let comment = format!("more than 8 MiB, and not with its adProofsRoot ({name})");
    file.invalid(&["Forged"], comment, &other, Reason::ProofTooLarge);
}

fn operations(file: &mut Builder, name: &str, block: &AdProofs) {
    let ops = &block.ops;
    let inserted = ops.iter().rposition(|op| matches!(op, Op::Insert { .. }));
    let inserted = inserted.expect("every block inserts");
    let with_value = |change: fn(&mut Vec<u8>)| {
        let mut ops = ops.clone();
        if let Op::Insert { value, .. } = &mut ops[inserted] {
            change(&mut value.0);
        }
        ops
    };
    let mut refuse = |comment: &str, ops: Vec<Op>, reason| {
        let comment = format!("{comment} ({name})");
        file.invalid(&["Operation"], comment, &with_ops(block, ops), reason);
    };
    refuse(
        "an output's bytes are forged",
        with_value(|value| value[0] ^= 1),
        Reason::StateRootMismatch,
    );
    refuse(
        "an output is cut",
        with_value(|value| value.truncate(value.len() - 1)),
        Reason::StateRootMismatch,
    );
    refuse("an output is empty", with_value(Vec::clear), Reason::StateRootMismatch);
    refuse("the last output is left out", ops[..ops.len() - 1].to_vec(), Reason::StateRootMismatch);
    let mut refuse = |comment: String, ops: Vec<Op>| {
        file.refused(&["Operation"], format!("{comment} ({name})"), &with_ops(block, ops));
    };
    refuse("no operation".to_owned(), vec![]);
    refuse("the first operation is left out".to_owned(), ops[1..].to_vec());
    refuse("the last operation twice".to_owned(), [&ops[..], &ops[ops.len() - 1..]].concat());
    refuse("the operations backwards".to_owned(), ops.iter().rev().cloned().collect());
    let lookups = ops.iter().map(|op| lookup(op.borrow().key())).collect();
    refuse("nothing but Lookups".to_owned(), lookups);
    let mut elsewhere = ops.clone();
    if let Op::Insert { key, .. } = &mut elsewhere[inserted] {
        key.0[0] ^= 0x80;
    }
    refuse("an output with another box id".to_owned(), elsewhere);
    let removed = ops.iter().position(|op| matches!(op, Op::Remove { .. }));
    let removed = removed.expect("every block removes");
    let mut spared = ops.clone();
    spared[removed] = lookup(ops[removed].borrow().key());
    refuse("an input is only looked up".to_owned(), spared);
}

fn arguments(file: &mut Builder, name: &str, block: &AdProofs) {
    let cut = |bytes: &Hex| Hex(bytes.0[..bytes.0.len() - 1].to_vec());
    let cases = [
        (
            "adProofsRoot of 31 bytes",
            AdProofs { ad_proofs_root: cut(&block.ad_proofs_root), ..block.clone() },
            Reason::InvalidArgument,
        ),
        (
            "an empty adProofsRoot",
            AdProofs { ad_proofs_root: Hex(vec![]), ..block.clone() },
            Reason::InvalidArgument,
        ),
        (
            "parentStateRoot without height",
            AdProofs { parent_state_root: cut(&block.parent_state_root), ..block.clone() },
            Reason::DigestLength,
        ),
        (
            "stateRoot without height",
            AdProofs { state_root: cut(&block.state_root), ..block.clone() },
            Reason::DigestLength,
        ),
        ("a box id of 31 bytes", with_ops(block, vec![lookup([7; 31])]), Reason::KeyLength),
        ("a box id of zeros", with_ops(block, vec![lookup([0; 32])]), Reason::KeyOutOfRange),
    ];
    for (comment, block, reason) in cases {
        file.invalid(&["Argument"], format!("{comment} ({name})"), &block, reason);
    }
}

/// Blocks whose proof shows that an operation is not possible.
fn failing(file: &mut Builder) {
    let boxes = Dictionary::random(&mut Rng::new(10), 32, None, 20);
    let keys = boxes.keys();
    let absent = [0x77; 32];
    let cases = [
        ("an output whose box id exists", insert(&keys[3][..], [1]), Reason::KeyExists),
        ("an input that does not exist", remove(absent), Reason::KeyAbsent),
    ];
    for (comment, op, reason) in cases {
        let (batch, answer) = boxes.prove(&[lookup(op.borrow().key())]);
        let block = with_ops(&block_of(batch, &answer), vec![op]);
        file.invalid(&["Operation"], comment, &block, reason);
    }
    let (batch, answer) = boxes.prove(&[remove(&keys[3][..]), lookup(&keys[3][..])]);
    let mut block = block_of(batch, &answer);
    block.ops[1] = block.ops[0].clone();
    file.invalid(&["Operation"], "an input spent twice", &block, Reason::KeyAbsent);
}

fn inputs(file: &mut Builder, block: &AdProofs) {
    let honest = to_value(block).expect("plain data");
    for member in ["parentStateRoot", "stateRoot", "adProofsRoot", "ops", "proof"] {
        let mut input = honest.clone();
        input.as_object_mut().expect("an object").shift_remove(member);
        file.invalid(&["Input"], format!("{member} is missing"), &input, Reason::InvalidArgument);
        let mut input = honest.clone();
        input[member] = Value::Null;
        file.invalid(&["Input"], format!("{member} is null"), &input, Reason::InvalidArgument);
    }
    let mut input = honest;
    input["limits"] = json!({ "maxOperations": 10 });
    let comment = "limits, which a block's input does not have";
    file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
}
