//! `avl/avl_negative.json`: batches that a verifier must refuse.

mod absence;
mod arguments;
mod bound;
mod codec;
mod first;
mod hostile;
mod inputs;
mod operations;
mod spliced;
mod structure;

use super::builder::Builder;

const FLAGS: &[(&str, &str)] = &[
    ("Absence", "a present key is shown as absent, or an absent one as present"),
    ("Argument", "an argument of the caller is wrong; the proof may be honest"),
    (
        "Balance",
        "a balance is not what it can be or what the tree has; where the comment says hostile digest, the digest has that balance too",
    ),
    ("Compat", "compat mode refuses it too"),
    ("Deep", "a tree so deep that a recursive verifier overflows its stack"),
    ("Digest", "the digest is of another dictionary, another state or another form"),
    ("Directions", "directions are missing, left over, or lead elsewhere"),
    ("Forged", "what a leaf holds has been changed"),
    ("Height", "the digest's height, balances and leaves do not fit together"),
    (
        "HostileDigest",
        "the digest itself is the adversary's, so that its root matches the proof: the verifier must refuse, or answer, but never crash",
    ),
    ("Input", "the input cannot be read as one of an AvlBatch"),
    ("Limit", "more than a limit allows"),
    (
        "Mutated",
        "an honest proof with one byte or one node flipped, inserted, deleted, swapped or duplicated; only the code is pinned",
    ),
    ("NotExpanded", "a node that an operation needs is only a label"),
    ("NotVisited", "a node is expanded that no operation needs"),
    ("Operation", "the operations are not those that the proof was made for"),
    ("OperationFails", "the proof is right and shows that the operation fails"),
    ("Spliced", "a part of another tree, or of another place, in an honest proof"),
    ("Structure", "the nodes do not form one tree"),
    ("TooManyNodes", "more nodes than the operations can need"),
    ("TrailingBytes", "bytes after the last direction"),
    ("Truncated", "the proof ends early"),
    ("TypeConfusion", "a node is passed off as another kind, or hashed in another way"),
    ("ValueLength", "the declared length of a value is not that of the value"),
];

/// The file's bytes.
pub(super) fn file() -> String {
    let mut file = Builder::new("avl", FLAGS);
    file.group("AvlBatch");
    codec::add(&mut file);
    structure::add(&mut file);
    bound::add(&mut file);
    hostile::add(&mut file);
    absence::add(&mut file);
    spliced::add(&mut file);
    operations::add(&mut file);
    arguments::add(&mut file);
    first::add(&mut file);
    inputs::add(&mut file);
    file.finish()
}
