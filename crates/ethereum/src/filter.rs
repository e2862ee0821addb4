//! Filters for logs, and Bloom filters, which show the blocks that may have them.

use alloc::vec::Vec;

use prooflight_core::{Hash, keccak256};
use prooflight_mpt::Address;

use crate::receipt::Log;

/// A filter of `eth_getLogs`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// The contracts; empty for all.
    pub addresses: Vec<Address>,
    /// For each position, the accepted topics; empty for any topic.
    ///
    /// A matching log has at least as many topics as the filter has positions.
    pub topics: Vec<Vec<Hash>>,
}

/// A Bloom filter over the addresses and topics of logs.
///
/// Source: Ethereum Yellow Paper, section 4.3.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bloom(pub [u8; 256]);

impl LogFilter {
    /// Whether a log matches.
    pub fn matches(&self, log: &Log) -> bool {
        let address = self.addresses.is_empty() || self.addresses.contains(&log.address);
        let topic = |(asked, topic): (&Vec<Hash>, &Hash)| asked.is_empty() || asked.contains(topic);
        address
            && self.topics.len() <= log.topics.len()
            && self.topics.iter().zip(&log.topics).all(topic)
    }

    /// Whether a block with this bloom may have a matching log. `false` means that it has no matching log.
    pub fn may_match(&self, bloom: &Bloom) -> bool {
        let address = |address: &Address| bloom.may_contain(address);
        let topics = |asked: &Vec<Hash>| {
            asked.is_empty() || asked.iter().any(|topic| bloom.may_contain(topic))
        };
        (self.addresses.is_empty() || self.addresses.iter().any(address))
            && self.topics.iter().all(topics)
    }
}

impl Bloom {
    /// Whether an address or topic may be among those of the logs.
    pub fn may_contain(&self, bytes: &[u8]) -> bool {
        let hash = keccak256(&[bytes]);
        hash.as_chunks().0.iter().take(3).all(|pair| {
            let bit = usize::from(u16::from_be_bytes(*pair) & 0x7ff);
            self.0.get(255 - bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
        })
    }
}
