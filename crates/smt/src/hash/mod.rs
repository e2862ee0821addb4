//! Hashes of keys, values and nodes: BLAKE2s-256, one block a node.
//!
//! A node's height and depth are in the salt, its kind and the older child's height in the
//! personalisation, so that the message is the 64 bytes of two hashes.

use alloc::vec::Vec;

use blake2s_simd::Params;
#[cfg(not(all(target_family = "wasm", target_feature = "simd128")))]
use blake2s_simd::many::degree;
use blake2s_simd::many::{HashManyJob, hash_many};
use prooflight_core::Hash;

#[cfg(any(test, all(target_family = "wasm", target_feature = "simd128")))]
mod lanes;
mod tweak;

pub use tweak::MAX_HEIGHT;
pub(crate) use tweak::Tweak;

/// The root of the tree without keys.
pub const EMPTY_ROOT: Hash = [0; 32];

/// The hash of a key: its bits, the most significant first, are the path to the key's leaf.
pub fn hash_key(key: &[u8]) -> Hash {
    hash_personal(b"PLsmtKey", key)
}

/// The hash of a value, as stored in a leaf.
pub fn hash_value(value: &[u8]) -> Hash {
    hash_personal(b"PLsmtVal", value)
}

/// The hashes of keys, several at once where the processor has the vector instructions.
pub fn hash_keys<'k>(keys: impl IntoIterator<Item = &'k [u8]>) -> Vec<Hash> {
    hash_all(b"PLsmtKey", keys)
}

/// The hashes of values, several at once where the processor has the vector instructions.
pub fn hash_values<'v>(values: impl IntoIterator<Item = &'v [u8]>) -> Vec<Hash> {
    hash_all(b"PLsmtVal", values)
}

fn hash_all<'m>(personal: &[u8], messages: impl IntoIterator<Item = &'m [u8]>) -> Vec<Hash> {
    let mut params = Params::new();
    params.personal(personal);
    let mut messages = messages.into_iter();
    let mut hashes = Vec::with_capacity(messages.size_hint().0);
    loop {
        let mut count = 0;
        let mut jobs: [HashManyJob<'_>; LANES] = core::array::from_fn(|_| {
            let message = messages.next();
            count += usize::from(message.is_some());
            HashManyJob::new(&params, message.unwrap_or_default())
        });
        hash_many(jobs.iter_mut().take(count));
        hashes.extend(jobs.iter().take(count).map(|job| *job.to_hash().as_array()));
        if count < LANES {
            return hashes;
        }
    }
}

fn hash_personal(personal: &[u8], message: &[u8]) -> Hash {
    *Params::new().personal(personal).hash(message).as_array()
}

/// The part of a child that its branch's hash commits to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildHash<'h> {
    /// The block in which the child last changed.
    pub height: u64,
    /// The child's hash.
    pub hash: &'h Hash,
}

/// The preimage of a node's hash: one block of BLAKE2s, with salt and personalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preimage {
    tweak: Tweak,
    message: [Hash; 2],
}

impl Preimage {
    /// A leaf: a key's hash and its value's, set in the block at `height`.
    pub fn leaf(height: u64, key_hash: &Hash, value_hash: &Hash) -> Self {
        Self { tweak: Tweak::leaf(height), message: [*key_hash, *value_hash] }
    }

    /// The leaf of a key that the block at `height` deleted; it stays until the key is set again.
    pub fn tombstone(height: u64, key_hash: &Hash) -> Self {
        Self { tweak: Tweak::tombstone(height), message: [*key_hash, [0; 32]] }
    }

    /// A branch that splits on bit `depth`; its height is that of its newer child.
    pub fn branch(depth: u8, left: ChildHash<'_>, right: ChildHash<'_>) -> Self {
        let tweak = Tweak::branch(depth, left.height, right.height);
        Self { tweak, message: [*left.hash, *right.hash] }
    }

    /// A branch whose children's heights are known, but not yet their hashes.
    pub(crate) fn over_unknown(depth: u8, [left, right]: [u64; 2]) -> Self {
        Self { tweak: Tweak::branch(depth, left, right), message: [[0; 32]; 2] }
    }

    /// Sets the hash of a branch's child: 0 is the left one, any other number the right one.
    pub(crate) fn set_child(&mut self, side: usize, hash: &Hash) {
        self.message[usize::from(side != 0)] = *hash;
    }

    /// The node's input to [`hash_lanes`].
    pub(crate) fn lane(&self) -> (Tweak, &[Hash; 2]) {
        (self.tweak, &self.message)
    }

    /// The node's hash.
    pub fn hash(&self) -> Hash {
        hash_one(self.lane())
    }
}

/// The number of nodes hashed in one call: the lanes of AVX2.
pub(crate) const LANES: usize = 8;

/// Hashes nodes that do not depend on each other, several at once where the processor has the vector
/// instructions.
///
/// Writes as many hashes as both slices have room for.
pub fn hash_nodes(nodes: &[Preimage], hashes: &mut [Hash]) {
    for (nodes, hashes) in nodes.chunks(LANES).zip(hashes.chunks_mut(LANES)) {
        hash_lanes(nodes.len(), |lane| (nodes[lane].tweak, &nodes[lane].message), hashes);
    }
}

/// Hashes up to [`LANES`] nodes in place; `node` returns the input of a lane.
#[cfg(all(target_family = "wasm", target_feature = "simd128"))]
pub(crate) fn hash_lanes<'m>(
    count: usize,
    node: impl Fn(usize) -> (Tweak, &'m [Hash; 2]),
    hashes: &mut [Hash],
) {
    for (group, hashes) in hashes[..count].chunks_mut(lanes::FOUR).enumerate() {
        let first = group * lanes::FOUR;
        if hashes.len() < FEWEST_LANES {
            for (lane, hash) in hashes.iter_mut().enumerate() {
                *hash = hash_one(node(first + lane));
            }
        } else {
            // Unused lanes repeat the first node.
            let lane = |lane: usize| node(first + if lane < hashes.len() { lane } else { 0 });
            let four = lanes::hash_four(core::array::from_fn(lane));
            hashes.copy_from_slice(&four[..hashes.len()]);
        }
    }
}

/// Below this number, hashing nodes one by one is faster.
#[cfg(all(target_family = "wasm", target_feature = "simd128"))]
const FEWEST_LANES: usize = 3;

/// Hashes up to [`LANES`] nodes in place; `node` returns the input of a lane.
#[cfg(not(all(target_family = "wasm", target_feature = "simd128")))]
#[inline]
pub(crate) fn hash_lanes<'m>(
    count: usize,
    node: impl Fn(usize) -> (Tweak, &'m [Hash; 2]),
    hashes: &mut [Hash],
) {
    if count < FEWEST_LANES {
        for (lane, hash) in hashes.iter_mut().enumerate().take(count) {
            *hash = hash_one(node(lane));
        }
        return;
    }
    // A full array: unused lanes below `hashed` repeat the first node.
    let mut jobs: [HashManyJob<'_>; LANES] = core::array::from_fn(|lane| {
        let (tweak, message) = node(if lane < count { lane } else { 0 });
        HashManyJob::new(&tweak.params(), message.as_flattened())
    });
    // Five lanes of eight would be hashed as four and one, which takes longer than all eight.
    let hashed = if count > LANES / 2 && degree() == LANES { LANES } else { count };
    hash_many(jobs.iter_mut().take(hashed));
    for (hash, job) in hashes.iter_mut().zip(&jobs).take(count) {
        *hash = *job.to_hash().as_array();
    }
}

/// Below this number, hashing nodes one by one is faster.
#[cfg(not(all(target_family = "wasm", target_feature = "simd128")))]
const FEWEST_LANES: usize = 4;

#[inline]
fn hash_one((tweak, message): (Tweak, &[Hash; 2])) -> Hash {
    *tweak.params().hash(message.as_flattened()).as_array()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use prooflight_core::Hex;

    fn hex(hash: Hash) -> alloc::string::String {
        alloc::format!("{}", Hex(&hash))
    }

    #[test]
    fn hashes_are_those_of_another_implementation() {
        // Python 3.11: hashlib.blake2s(message, salt=(...).to_bytes(8, "little"), person=...).
        let mut a = [0; 32];
        let mut b = [0; 32];
        for (at, (a, b)) in (0..).zip(a.iter_mut().zip(&mut b)) {
            (*a, *b) = (at, at + 32);
        }
        let branch = |depth, left, right| {
            let (left, right) =
                (ChildHash { height: left, hash: &a }, ChildHash { height: right, hash: &b });
            hex(Preimage::branch(depth, left, right).hash())
        };
        assert_eq!(
            hex(hash_key(b"")),
            "0x15146ecc50d09b0626adc82c67678605fdd45b2d19227bf31e61fc6ba9cdab72"
        );
        assert_eq!(
            hex(hash_key(b"key")),
            "0xb1559dee4ca18875744000cd5e15e84b3fb6618e4d811e7495f4460165401a92"
        );
        assert_eq!(
            hex(hash_value(b"")),
            "0x0f0a6ab7d9f9b773450b12483d8be7380cce3076651d838c01f84c23350ea933"
        );
        assert_eq!(
            hex(hash_value(&[7; 200])),
            "0x7e9b139c98d006ed6cef3c42aaa5a57be89935de6f5832d65dd60073cc4e7582"
        );
        assert_eq!(
            hex(Preimage::leaf(0, &a, &b).hash()),
            "0xb6457e747f20459bc78641a34651693a8217ff50cd551b17d3d75373ec2f3008"
        );
        assert_eq!(
            hex(Preimage::leaf(MAX_HEIGHT, &a, &b).hash()),
            "0x589930a57711cb042160cc08b62a8973c96ff1a28c1c1f174c192d976ba3a611"
        );
        assert_eq!(
            hex(Preimage::tombstone(9, &a).hash()),
            "0x5134e2713c7f1a9b2abf3d1124a8105de25f40f1508847860befe4c7287bd096"
        );
        assert_eq!(
            branch(0, 3, 3),
            "0x8f847ce275f9cf13d6f328c2dfe10b193d38d867d3ed98e1dc26b2488fd03031"
        );
        assert_eq!(
            branch(255, 8, 3),
            "0x4ee40b94df2105de50aebd01eb2d721d35607f5150dd8e1a9dd88ed8618d0ff8"
        );
        assert_eq!(
            branch(17, 3, MAX_HEIGHT),
            "0x839c2e1f8e97a4717e0919a2a61205eb76411ed757953770135e6d56bf4b6349"
        );
    }

    #[test]
    fn many_nodes_hash_as_single_ones_do() {
        let nodes: Vec<Preimage> = (0..21u8)
            .map(|n| match n % 3 {
                0 => Preimage::leaf(n.into(), &[n; 32], &[n + 1; 32]),
                1 => Preimage::tombstone(MAX_HEIGHT, &[n; 32]),
                _ => {
                    let left = ChildHash { height: 7, hash: &[n; 32] };
                    Preimage::branch(n, left, ChildHash { height: n.into(), hash: &[1; 32] })
                }
            })
            .collect();
        for count in 0..=nodes.len() {
            let mut hashes = vec![[0; 32]; count];
            hash_nodes(&nodes[..count], &mut hashes);
            for (node, hash) in nodes.iter().zip(&hashes) {
                assert_eq!(*hash, node.hash());
            }
        }
    }

    #[test]
    fn many_keys_and_values_hash_as_single_ones_do() {
        let bytes: Vec<u8> = (0..200).collect();
        for count in 0..20 {
            let messages: Vec<&[u8]> = (0..count).map(|n| &bytes[n..n * 10]).collect();
            let keys: Vec<Hash> = messages.iter().map(|message| hash_key(message)).collect();
            assert_eq!(hash_keys(messages.iter().copied()), keys);
            let values: Vec<Hash> = messages.iter().map(|message| hash_value(message)).collect();
            assert_eq!(hash_values(messages), values);
        }
    }

    #[test]
    fn every_field_of_a_node_changes_its_hash() {
        let child = |height, hash| ChildHash { height, hash };
        let (a, b) = (&[1; 32], &[2; 32]);
        let nodes = [
            Preimage::leaf(5, a, b),
            Preimage::leaf(6, a, b),
            Preimage::leaf(5, b, a),
            Preimage::leaf(5, a, &[0; 32]),
            Preimage::tombstone(5, a),
            Preimage::branch(0, child(5, a), child(5, b)),
            Preimage::branch(0, child(5, a), child(4, b)),
            Preimage::branch(0, child(4, a), child(5, b)),
            Preimage::branch(0, child(5, b), child(5, a)),
            Preimage::branch(1, child(5, a), child(5, b)),
            Preimage::branch(255, child(5, a), child(5, b)),
            Preimage::branch(0, child(5, a), child(0, b)),
            Preimage::branch(0, child(0, a), child(5, b)),
        ];
        for (at, one) in nodes.iter().enumerate() {
            for other in &nodes[..at] {
                assert_ne!(one.hash(), other.hash(), "{one:?} and {other:?}");
            }
        }
    }
}
