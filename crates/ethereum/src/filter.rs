//! Filters for logs.

use alloc::vec::Vec;

use prooflight_core::Hash;
use prooflight_mpt::Address;

use crate::bloom::Bloom;
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
