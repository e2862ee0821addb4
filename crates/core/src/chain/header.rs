//! Headers and their signatures.

use alloc::vec::Vec;
use borsh::{BorshDeserialize, BorshSerialize};
use ed25519_dalek::{Signature, VerifyingKey};

use super::Blake2bTree;
use super::config::ChainConfig;
use super::encoding::encode;
use crate::merkle::empty_root;
use crate::{Error, Hash, Limits, Reason, Result, Scheme, blake2b256};

/// The version of [`Header`].
const HEADER_VERSION: u8 = 1;

/// Domain tag, hashed before a header.
const HEADER_TAG: &[u8] = b"prooflight/header/v1";

/// The header of a block: it commits to the state after it and to all earlier headers.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Header {
    /// 1.
    pub version: u8,
    /// The hash of the chain's configuration.
    pub chain: Hash,
    /// 0 for genesis.
    pub height: u64,
    /// The hash of the parent's header; zeros for genesis.
    pub parent: Hash,
    /// Milliseconds since 1970; greater than the parent's.
    pub timestamp_ms: u64,
    /// The root over the block's normalised operations.
    pub ops_root: Hash,
    /// The root over the hashes of all earlier headers.
    pub history_root: Hash,
    /// The scheme id and root of every store, ascending.
    pub roots: Vec<(u8, Vec<u8>)>,
}

impl Header {
    /// The header's hash, which authorities sign and the next header names.
    pub fn hash(&self) -> Hash {
        blake2b256(&[HEADER_TAG, &encode(self)])
    }

    /// The borsh encoding.
    pub fn encode(&self) -> Vec<u8> {
        encode(self)
    }

    /// Decodes a header strictly, and checks everything that its bytes alone determine.
    ///
    /// `invalid_encoding` or `trailing_bytes` if it is not canonical borsh, `proof_too_large` above
    /// the limit, `invalid_header` if it cannot be a header of any chain.
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self> {
        let header: Self = crate::envelope::decode_bounded(bytes, limits)?;
        header.check()?;
        Ok(header)
    }

    /// The root of one store, if the header has it.
    pub fn root(&self, scheme: Scheme) -> Option<&[u8]> {
        let (_, root) = self.roots.iter().find(|(id, _)| *id == scheme.id())?;
        Some(root)
    }

    /// The root of one store; `wrong_schemes` if the header does not have it.
    pub fn expect_root(&self, scheme: Scheme) -> Result<&[u8]> {
        self.root(scheme).ok_or_else(|| {
            let expected = format_args!("a chain with the scheme {}", scheme.as_str());
            Error::new(Reason::WrongSchemes, expected, "another")
        })
    }

    /// Checks that this block directly follows another one.
    ///
    /// Another parent is `not_extending`; a timestamp that is not above the parent's is `invalid_header`.
    pub fn check_follows(&self, parent: &Self) -> Result<()> {
        let hash = parent.hash();
        if self.parent != hash {
            let expected = format_args!("the parent {}", crate::Hex(&hash));
            return Err(Error::new(Reason::NotExtending, expected, crate::Hex(&self.parent)));
        }
        if parent.height.checked_add(1) != Some(self.height) {
            let expected = format_args!("the height after {}", parent.height);
            return Err(Error::new(Reason::InvalidHeader, expected, self.height));
        }
        if self.timestamp_ms <= parent.timestamp_ms {
            let expected = format_args!("a timestamp above {} ms", parent.timestamp_ms);
            let found = format_args!("{} ms", self.timestamp_ms);
            return Err(Error::new(Reason::InvalidHeader, expected, found));
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let wrong = |expected: &str, found: &dyn core::fmt::Display| {
            Err(Error::new(Reason::InvalidHeader, expected, found))
        };
        if self.version != HEADER_VERSION {
            return wrong("version 1", &self.version);
        }
        if !self.roots.is_sorted_by(|(a, _), (b, _)| a < b) {
            return wrong("roots in ascending order of their schemes", &"another order");
        }
        for (id, root) in &self.roots {
            let scheme = Scheme::from_id(*id)?;
            if root.len() != scheme.root_length() {
                return wrong("roots of the length of their scheme", &root.len());
            }
        }
        let genesis = self.height == 0;
        if genesis != (self.parent == [0; 32]) {
            return wrong("a parent of zeros for genesis and no other", &self.height);
        }
        if genesis && self.history_root != empty_root::<Blake2bTree>() {
            return wrong("the empty tree as the history of genesis", &"another root");
        }
        Ok(())
    }
}

/// A header with signatures of authorities over its hash.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SignedHeader {
    /// The signed header.
    pub header: Header,
    /// Signatures by the index of their authority in the configuration, ascending.
    pub signatures: Vec<(u16, [u8; 64])>,
}

impl SignedHeader {
    /// The borsh encoding.
    pub fn encode(&self) -> Vec<u8> {
        encode(self)
    }

    /// Decodes a signed header strictly, as [`Header::decode`] does.
    ///
    /// Signatures that are not in strictly ascending order are `signature_order`.
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self> {
        let signed: Self = crate::envelope::decode_bounded(bytes, limits)?;
        signed.check()?;
        Ok(signed)
    }

    /// Checks that the header is of this chain and that a quorum of its authorities signed it.
    ///
    /// Repeats the checks of [`SignedHeader::decode`], since the value may not come from it: no
    /// authority's signature counts twice. An index without an authority is `signature_order`; another
    /// chain is `wrong_chain`; other schemes than the chain's are `wrong_schemes`; fewer valid signatures
    /// than the quorum, by strict Ed25519 verification, are `too_few_signatures`.
    pub fn check_signed(&self, config: &ChainConfig) -> Result<()> {
        self.check()?;
        let chain = config.id();
        if self.header.chain != chain {
            return Err(Error::new(
                Reason::WrongChain,
                crate::Hex(&chain),
                crate::Hex(&self.header.chain),
            ));
        }
        if !self.header.roots.iter().map(|(id, _)| *id).eq(config.scheme_ids()) {
            return Err(Error::new(
                Reason::WrongSchemes,
                format_args!("roots of the schemes {:?}", config.scheme_ids().collect::<Vec<_>>()),
                "others",
            ));
        }
        let hash = self.header.hash();
        let mut valid = 0u32;
        for (index, signature) in &self.signatures {
            let Some(key) = config.authorities.get(usize::from(*index)) else {
                return Err(Error::new(
                    Reason::SignatureOrder,
                    format_args!("an authority index below {}", config.authorities.len()),
                    index,
                ));
            };
            valid += u32::from(is_signed(key, &hash, signature));
        }
        if valid < u32::from(config.quorum) {
            return Err(Error::new(
                Reason::TooFewSignatures,
                format_args!("valid signatures of {} authorities", config.quorum),
                valid,
            ));
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        self.header.check()?;
        if self.signatures.is_sorted_by(|(a, _), (b, _)| a < b) {
            return Ok(());
        }
        Err(Error::new(
            Reason::SignatureOrder,
            "authority indices in strictly ascending order",
            "another order, or one twice",
        ))
    }
}

/// Strict Ed25519: canonical encodings, no keys of small order, cofactorless.
fn is_signed(key: &[u8; 32], hash: &Hash, signature: &[u8; 64]) -> bool {
    let signature = Signature::from_bytes(signature);
    VerifyingKey::from_bytes(key).is_ok_and(|key| key.verify_strict(hash, &signature).is_ok())
}
