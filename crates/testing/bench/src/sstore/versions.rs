//! The data level: an authenticated, append-only skip list of the versions of one key (section
//! IV-C), and its part of a proof (section V-A).

use core::iter::successors;

use prooflight_core::{ByteReader, Hash, keccak256};

use super::{NO_NODE, Value};
use crate::Result;

/// A value, and the block that wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyVersion {
    /// The block.
    pub block: u64,
    /// The value.
    pub value: Value,
}

/// The versions of one key, oldest first.
///
/// Versions are numbered from 1; number 0 is the sentinel, which has no content. Number i links to
/// i - 2^j for each j up to the number of zeros at the end of i.
#[derive(Default)]
pub(super) struct SkipList(Vec<(KeyVersion, Hash)>);

impl SkipList {
    /// Appends a version, or replaces that of the same block; returns the hash of the newest one.
    pub(super) fn put(&mut self, key: &Hash, new: KeyVersion) -> Result<Hash> {
        if let Some((newest, _)) = self.0.last() {
            if newest.block > new.block {
                return Err("a block before the key's newest version".into());
            }
            if newest.block == new.block {
                self.0.pop();
            }
        } else {
            // Most keys of a large tree have one version.
            self.0.reserve_exact(1);
        }
        let number = self.0.len() + 1;
        let links: Vec<_> = linked(number).map(|to| self.link(to)).collect();
        let hash = hash(key, &new, &links);
        self.0.push((new, hash));
        Ok(hash)
    }

    /// Writes the versions of the blocks `from..=to` and the one in force before them, and the path
    /// to them from the newest version.
    pub(super) fn prove(&self, from: u64, to: u64, proof: &mut Vec<u8>) {
        let next = |&at: &usize| match self.link(at).block {
            block if block > to => Some(self.towards(at, to)),
            block if block > from => Some(at - 1),
            _ => None,
        };
        let shown = successors(Some(self.0.len()), |at| next(at).filter(|&next| next > 0));
        let shown: Vec<_> = shown.collect();
        for (place, &at) in shown.iter().enumerate() {
            let followed = shown.get(place + 1);
            let (version, _) = &self.0[at - 1];
            proof.push(followed.map_or(NO_LINK, |next| level(at - next)));
            proof.extend(version.block.to_be_bytes());
            proof.extend(version.value);
            proof.push(level(at & at.wrapping_neg()) + 1);
            for link in linked(at).filter(|to| Some(to) != followed).map(|to| self.link(to)) {
                proof.extend(link.block.to_be_bytes());
                proof.extend(link.hash);
            }
        }
    }

    /// The next version on the path to the one in force at a block: the oldest that a link leads to
    /// and that is not older than the block, else the one before.
    fn towards(&self, at: usize, block: u64) -> usize {
        let far = linked(at).filter(|&to| to > 0 && self.link(to).block >= block).last();
        far.unwrap_or(at - 1)
    }

    fn link(&self, to: usize) -> VersionLink {
        match to.checked_sub(1).map(|place| &self.0[place]) {
            Some((version, hash)) => VersionLink { block: version.block, hash: *hash },
            None => VersionLink { block: 0, hash: NO_NODE },
        }
    }
}

/// The level in a proof that stands for no link.
const NO_LINK: u8 = u8::MAX;

/// A version's link to an earlier one.
#[derive(Clone, Copy)]
struct VersionLink {
    block: u64,
    hash: Hash,
}

/// The numbers of the versions that a version links to, newest first.
fn linked(number: usize) -> impl Iterator<Item = usize> {
    (0..=number.trailing_zeros()).map(move |level| number - (1 << level))
}

/// The level of a link over `distance` versions, a power of two.
fn level(distance: usize) -> u8 {
    distance.trailing_zeros().to_le_bytes()[0]
}

fn hash(key: &Hash, version: &KeyVersion, links: &[VersionLink]) -> Hash {
    let mut content = Vec::with_capacity(8 + 32 + 1 + links.len() * 40);
    content.extend(version.block.to_be_bytes());
    content.extend(version.value);
    content.extend(u8::try_from(links.len()));
    for link in links {
        content.extend(link.block.to_be_bytes());
        content.extend(link.hash);
    }
    keccak256(&[key, &content])
}

/// Reads the versions of the blocks `from..=to` and the one in force before them, newest first;
/// returns them with the hash of the newest version of all.
pub(super) fn verify(
    key: &Hash,
    from: u64,
    to: u64,
    reader: &mut ByteReader<'_>,
) -> Result<(Vec<KeyVersion>, Hash)> {
    let mut shown = Vec::new();
    loop {
        let followed = reader.u8()?;
        let block = u64::from_be_bytes(reader.array()?);
        let version = KeyVersion { block, value: reader.array()? };
        let count = usize::from(reader.u8()?);
        let mut links = Vec::new();
        for place in 0..count {
            links.push(if place == usize::from(followed) {
                VersionLink { block: 0, hash: NO_NODE }
            } else {
                VersionLink { block: u64::from_be_bytes(reader.array()?), hash: reader.array()? }
            });
        }
        let ends = followed == NO_LINK;
        if count == 0 || !ends && usize::from(followed) >= count {
            return Err("a version has no such link".into());
        }
        shown.push((version, links, usize::from(followed)));
        if ends {
            break;
        }
    }
    let mut below: Option<VersionLink> = None;
    for (version, links, followed) in shown.iter_mut().rev() {
        match below {
            Some(link) if link.block >= version.block => return Err("versions must descend".into()),
            Some(_) if version.block <= from => return Err("more than was asked for".into()),
            // A longer link may pass by versions, but none of the blocks asked for.
            Some(link) if *followed > 0 && link.block < to => {
                return Err("a link is too long".into());
            }
            Some(link) => links[*followed] = link,
            None if version.block <= from || links[0].hash == NO_NODE => {}
            None => return Err("earlier versions are missing".into()),
        }
        below = Some(VersionLink { block: version.block, hash: hash(key, version, links) });
    }
    let hash = below.map_or(NO_NODE, |newest| newest.hash);
    let versions = shown.into_iter().map(|(version, ..)| version);
    Ok((versions.filter(|version| version.block <= to).collect(), hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_link_as_in_the_paper() {
        let links = |number| linked(number).collect::<Vec<_>>();
        assert_eq!(links(4), [3, 2, 0]);
        assert_eq!(links(7), [6]);
        assert_eq!(links(8), [7, 6, 4, 0]);
    }

    #[test]
    fn a_proof_passes_by_most_versions() {
        let mut versions = SkipList::default();
        for block in 1..=1000 {
            versions.put(&NO_NODE, KeyVersion { block, value: [0; 32] }).unwrap();
        }
        // 1000, 992, 960, 896, 768, 512, 256, 128, 64, 32, 16, 8, 6, 5; the newest has 4 links.
        let mut proof = Vec::new();
        versions.prove(5, 5, &mut proof);
        let (found, _) = verify(&NO_NODE, 5, 5, &mut ByteReader::new(&proof)).unwrap();
        assert_eq!(found, [KeyVersion { block: 5, value: [0; 32] }]);
        let links = [1000_usize, 992, 960, 896, 768, 512, 256, 128, 64, 32, 16, 8, 6, 5]
            .map(|number| number.trailing_zeros() as usize + 1);
        // Each but the last leaves out the link that it follows.
        let shown = links.iter().sum::<usize>() - (links.len() - 1);
        assert_eq!(proof.len(), links.len() * 42 + shown * 40);
    }
}
