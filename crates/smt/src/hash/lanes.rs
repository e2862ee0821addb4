//! Four nodes hashed at once, in the lanes of WebAssembly's simd128; natively `blake2s_simd` does it.
//!
//! Source: RFC 7693, sections 3.1 and 3.2, with the salt and personalisation of the BLAKE2 paper.

use prooflight_core::Hash;

use super::tweak::Tweak;
use words::Words;

/// The number of nodes hashed at once.
pub(super) const FOUR: usize = 4;

const IV: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// The word of the message that each step of a round uses.
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// A digest of 32 bytes, no key, fanout and depth 1.
const PARAMETER_WORD: u32 = 0x0101_0020;
/// The bytes of the message: one block, the last one.
const BLOCK_BYTES: u32 = 64;

/// The hashes of four nodes.
pub(super) fn hash_four(nodes: [(Tweak, &[Hash; 2]); FOUR]) -> [Hash; FOUR] {
    let m = message(nodes.map(|(_, message)| message));
    let all = Words::all;
    let [salt, personal] = [nodes.map(|(it, _)| it.salt), nodes.map(|(it, _)| it.personal)];
    let h = [
        all(IV[0] ^ PARAMETER_WORD),
        all(IV[1]),
        all(IV[2]),
        all(IV[3]),
        all(IV[4]).xor(half(salt, 0)),
        all(IV[5]).xor(half(salt, 1)),
        all(IV[6]).xor(half(personal, 0)),
        all(IV[7]).xor(half(personal, 1)),
    ];
    let [h0, h1, h2, h3, h4, h5, h6, h7] = h;
    let [i0, i1, i2, i3] = [0, 1, 2, 3].map(|at| all(IV[at]));
    let [i4, i5, i6, i7] = [all(IV[4] ^ BLOCK_BYTES), all(IV[5]), all(!IV[6]), all(IV[7])];
    let mut v = [h0, h1, h2, h3, h4, h5, h6, h7, i0, i1, i2, i3, i4, i5, i6, i7];
    // Unrolled, so that every index is a constant.
    round::<0>(&mut v, &m);
    round::<1>(&mut v, &m);
    round::<2>(&mut v, &m);
    round::<3>(&mut v, &m);
    round::<4>(&mut v, &m);
    round::<5>(&mut v, &m);
    round::<6>(&mut v, &m);
    round::<7>(&mut v, &m);
    round::<8>(&mut v, &m);
    round::<9>(&mut v, &m);
    let word = |at: usize| h[at].xor(v[at]).xor(v[at + 8]);
    let low = Words::transpose([word(0), word(1), word(2), word(3)]);
    let high = Words::transpose([word(4), word(5), word(6), word(7)]);
    let mut hashes = [[0; 32]; FOUR];
    for (hash, halves) in hashes.iter_mut().zip(low.into_iter().zip(high)) {
        let (low, high) = hash.split_at_mut(16);
        low.copy_from_slice(&halves.0.to_bytes());
        high.copy_from_slice(&halves.1.to_bytes());
    }
    hashes
}

/// The messages' words, transposed: the first word of all messages, then the second of all, and so on.
fn message(messages: [&[Hash; 2]; FOUR]) -> [[Words; 4]; 4] {
    [0, 1, 2, 3].map(|quarter: usize| {
        let quarter = |message: &[Hash; 2]| message.as_flattened().as_chunks().0[quarter];
        Words::transpose(messages.map(|message| Words::from_bytes(quarter(message))))
    })
}

/// The low halves of four numbers, or the high ones.
fn half(numbers: [u64; FOUR], at: usize) -> Words {
    Words::new(numbers.map(|it| u32::from_le_bytes(it.to_le_bytes().as_chunks().0[at])))
}

#[inline]
fn round<const R: usize>(v: &mut [Words; 16], m: &[[Words; 4]; 4]) {
    let m = |at: usize| m[SIGMA[R][at] / 4][SIGMA[R][at] % 4];
    mix(v, [0, 4, 8, 12], m(0), m(1));
    mix(v, [1, 5, 9, 13], m(2), m(3));
    mix(v, [2, 6, 10, 14], m(4), m(5));
    mix(v, [3, 7, 11, 15], m(6), m(7));
    mix(v, [0, 5, 10, 15], m(8), m(9));
    mix(v, [1, 6, 11, 12], m(10), m(11));
    mix(v, [2, 7, 8, 13], m(12), m(13));
    mix(v, [3, 4, 9, 14], m(14), m(15));
}

#[inline]
fn mix(state: &mut [Words; 16], [a, b, c, d]: [usize; 4], first: Words, second: Words) {
    state[a] = state[a].add(first).add(state[b]);
    state[d] = state[d].xor(state[a]).rotate_right::<16>();
    state[c] = state[c].add(state[d]);
    state[b] = state[b].xor(state[c]).rotate_right::<12>();
    state[a] = state[a].add(second).add(state[b]);
    state[d] = state[d].xor(state[a]).rotate_right::<8>();
    state[c] = state[c].add(state[d]);
    state[b] = state[b].xor(state[c]).rotate_right::<7>();
}

#[cfg(all(target_family = "wasm", target_feature = "simd128"))]
mod words {
    use core::arch::wasm32::{
        i32x4_add, i32x4_shuffle, i64x2_shuffle, u8x16_shuffle, u32x4, u32x4_shl, u32x4_shr,
        u32x4_splat, u64x2, u64x2_extract_lane, v128, v128_or, v128_xor,
    };

    /// A word of each of four states.
    #[derive(Clone, Copy)]
    pub(super) struct Words(v128);

    impl Words {
        #[inline]
        pub(super) fn new([a, b, c, d]: [u32; 4]) -> Self {
            Self(u32x4(a, b, c, d))
        }

        #[inline]
        pub(super) fn all(word: u32) -> Self {
            Self(u32x4_splat(word))
        }

        #[inline]
        pub(super) fn add(self, other: Self) -> Self {
            Self(i32x4_add(self.0, other.0))
        }

        #[inline]
        pub(super) fn xor(self, other: Self) -> Self {
            Self(v128_xor(self.0, other.0))
        }

        #[inline]
        pub(super) fn rotate_right<const N: u32>(self) -> Self {
            let it = self.0;
            if N == 16 {
                // V8 shuffles 16-bit lanes faster than it shifts, but not bytes.
                return Self(
                    u8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(it, it),
                );
            }
            Self(v128_or(u32x4_shr(it, N), u32x4_shl(it, 32 - N)))
        }

        /// The first words of all four, then the second words, and so on.
        #[inline]
        pub(super) fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
            let low = |a: v128, b: v128| i32x4_shuffle::<0, 4, 1, 5>(a, b);
            let high = |a: v128, b: v128| i32x4_shuffle::<2, 6, 3, 7>(a, b);
            let first = |a: v128, b: v128| Self(i64x2_shuffle::<0, 2>(a, b));
            let second = |a: v128, b: v128| Self(i64x2_shuffle::<1, 3>(a, b));
            let [ab, cd] = [low(a.0, b.0), low(c.0, d.0)];
            let [ab_high, cd_high] = [high(a.0, b.0), high(c.0, d.0)];
            [first(ab, cd), second(ab, cd), first(ab_high, cd_high), second(ab_high, cd_high)]
        }

        #[inline]
        pub(super) fn from_bytes(bytes: [u8; 16]) -> Self {
            let [low, high] = [0, 1].map(|at: usize| u64::from_le_bytes(bytes.as_chunks().0[at]));
            Self(u64x2(low, high))
        }

        #[inline]
        pub(super) fn to_bytes(self) -> [u8; 16] {
            let [low, high] =
                [u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)].map(u128::from);
            (high << 64 | low).to_le_bytes()
        }
    }
}

/// The same without vector instructions, to test the code that both share.
#[cfg(not(all(target_family = "wasm", target_feature = "simd128")))]
mod words {
    use core::array::from_fn;

    #[derive(Clone, Copy)]
    pub(super) struct Words([u32; 4]);

    impl Words {
        pub(super) fn new(words: [u32; 4]) -> Self {
            Self(words)
        }

        pub(super) fn all(word: u32) -> Self {
            Self([word; 4])
        }

        pub(super) fn add(self, other: Self) -> Self {
            Self(from_fn(|lane| self.0[lane].wrapping_add(other.0[lane])))
        }

        pub(super) fn xor(self, other: Self) -> Self {
            Self(from_fn(|lane| self.0[lane] ^ other.0[lane]))
        }

        pub(super) fn rotate_right<const N: u32>(self) -> Self {
            Self(self.0.map(|word| word.rotate_right(N)))
        }

        pub(super) fn transpose(all: [Self; 4]) -> [Self; 4] {
            from_fn(|word| Self(from_fn(|lane| all[lane].0[word])))
        }

        pub(super) fn from_bytes(bytes: [u8; 16]) -> Self {
            Self(from_fn(|at| u32::from_le_bytes(from_fn(|byte| bytes[4 * at + byte]))))
        }

        pub(super) fn to_bytes(self) -> [u8; 16] {
            from_fn(|at| self.0[at / 4].to_le_bytes()[at % 4])
        }
    }
}

#[cfg(test)]
mod tests {
    use blake2::Blake2sVarCore;
    use blake2::digest::block_buffer::LazyBuffer;
    use blake2::digest::core_api::VariableOutputCore as _;
    use blake2::digest::generic_array::GenericArray;
    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    use super::*;

    fn by_blake2((tweak, message): (Tweak, &[Hash; 2])) -> Hash {
        let (salt, personal) = (tweak.salt.to_le_bytes(), tweak.personal.to_le_bytes());
        let mut state = Blake2sVarCore::new_with_params(&salt, &personal, 0, 32);
        let mut block = LazyBuffer::new(message.as_flattened());
        let mut hash = GenericArray::default();
        state.finalize_variable_core(&mut block, &mut hash);
        hash.into()
    }

    #[test]
    fn four_nodes_have_the_hashes_that_blake2_gives_them() {
        for seed in 0..1000 {
            let mut random = StdRng::seed_from_u64(seed);
            let nodes: [(Tweak, [Hash; 2]); FOUR] = core::array::from_fn(|_| {
                let tweak = Tweak { salt: random.random(), personal: random.random() };
                (tweak, [random.random(), random.random()])
            });
            let nodes = nodes.each_ref().map(|(tweak, message)| (*tweak, message));
            assert_eq!(hash_four(nodes), nodes.map(by_blake2), "seed {seed}");
        }
    }
}
