//! Maps keys to the keyspaces of the database.

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use prooflight_core::Hex;

/// The keyspaces of a store: one for each prefix, and one for all other keys.
///
/// Records of one kind are then compacted without the others, and searched in fewer tables.
#[derive(Clone)]
pub(crate) struct KeyspaceMap {
    /// The first key of each section with the section's keyspace, ascending; the very first is the empty key.
    sections: Vec<(Vec<u8>, Keyspace)>,
}

/// The keyspace of the keys with one prefix.
struct PrefixKeyspace {
    prefix: Vec<u8>,
    /// The first key after those with the prefix.
    end: Vec<u8>,
    space: Keyspace,
    /// The keyspace that has the keys around them.
    parent: Keyspace,
}

impl KeyspaceMap {
    pub(crate) fn open(
        database: &Database,
        prefixes: &[&[u8]],
        options: impl Fn() -> KeyspaceCreateOptions,
    ) -> fjall::Result<Self> {
        let mut prefixes = prefixes.to_vec();
        prefixes.sort_unstable();
        let all = database.keyspace("all", &options)?;
        let mut spaces = Self { sections: vec![(Vec::new(), all.clone())] };
        // The prefixes that the next one may begin with.
        let mut open: Vec<PrefixKeyspace> = Vec::new();
        for prefix in prefixes {
            while let Some(own) = open.pop_if(|own| !prefix.starts_with(&own.prefix)) {
                spaces.begin_section(own.end, own.parent);
            }
            let space = database.keyspace(&name(prefix), &options)?;
            let parent = open.last().map_or(&all, |own| &own.space).clone();
            spaces.begin_section(prefix.to_vec(), space.clone());
            open.push(PrefixKeyspace {
                prefix: prefix.to_vec(),
                end: first_key_after(prefix),
                space,
                parent,
            });
        }
        while let Some(own) = open.pop() {
            spaces.begin_section(own.end, own.parent);
        }
        Ok(spaces)
    }

    /// Begins a section; one that would begin at the same key is empty.
    fn begin_section(&mut self, start: Vec<u8>, space: Keyspace) {
        self.sections.pop_if(|(last, _)| *last == start);
        self.sections.push((start, space));
    }

    /// The keyspace of a key.
    pub(crate) fn keyspace_of(&self, key: &[u8]) -> &Keyspace {
        let after = self.sections.partition_point(|(start, _)| start.as_slice() <= key);
        &self.sections[after.saturating_sub(1)].1
    }

    /// The keyspaces with the keys from `from` below `to`, each with its part of this range, ascending.
    pub(crate) fn parts(&self, from: &[u8], to: &[u8]) -> Vec<(Keyspace, Vec<u8>, Vec<u8>)> {
        let ends = self.sections.iter().skip(1).map(|(start, _)| start.as_slice());
        let sections = self.sections.iter().zip(ends.chain([to]));
        let part = |((start, space), end): (&(Vec<u8>, Keyspace), &[u8])| {
            let (from, to) = (start.as_slice().max(from), end.min(to));
            (from < to).then(|| (space.clone(), from.to_vec(), to.to_vec()))
        };
        sections.filter_map(part).collect()
    }
}

/// The name of a prefix's keyspace.
fn name(prefix: &[u8]) -> String {
    Hex(prefix).to_string()
}

/// The first key after those with this prefix, which is not all `0xff`.
fn first_key_after(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while end.pop_if(|byte| *byte == 0xff).is_some() {}
    debug_assert!(!end.is_empty(), "a prefix after which there is no key");
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}
