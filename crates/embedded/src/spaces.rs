//! Which keyspace of the database has a key.

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use prooflight_core::Hex;

/// The keyspaces of a store: one for each prefix, and `all` for the other keys.
///
/// Records of one kind are then compacted without the others, and searched in fewer tables.
#[derive(Clone)]
pub(crate) struct Spaces {
    pub(crate) all: Keyspace,
    /// Ascending and disjoint.
    pub(crate) own: Vec<Own>,
}

/// The keyspace of the keys with one prefix.
#[derive(Clone)]
pub(crate) struct Own {
    pub(crate) prefix: Vec<u8>,
    /// The first key after those with the prefix.
    pub(crate) end: Vec<u8>,
    pub(crate) space: Keyspace,
}

impl Spaces {
    pub(crate) fn open(
        database: &Database,
        prefixes: &[&[u8]],
        options: impl Fn() -> KeyspaceCreateOptions,
    ) -> fjall::Result<Self> {
        let mut own = Vec::with_capacity(prefixes.len());
        for prefix in prefixes {
            let space = database.keyspace(&name(prefix), &options)?;
            own.push(Own { prefix: prefix.to_vec(), end: after(prefix), space });
        }
        own.sort_by(|a, b| a.prefix.cmp(&b.prefix));
        debug_assert!(own.is_sorted_by(|a, b| a.end <= b.prefix), "one prefix begins with another");
        Ok(Self { all: database.keyspace("all", options)?, own })
    }

    /// The keyspace of a key.
    pub(crate) fn of(&self, key: &[u8]) -> &Keyspace {
        let place = self.own.partition_point(|own| own.prefix.as_slice() <= key);
        match self.own[..place].last() {
            Some(own) if key.starts_with(&own.prefix) => &own.space,
            _ => &self.all,
        }
    }

    /// The keyspaces with the keys from `from` below `to`, each with its part of this range, ascending.
    pub(crate) fn parts(&self, from: &[u8], to: &[u8]) -> Vec<(Keyspace, Vec<u8>, Vec<u8>)> {
        let mut parts = Vec::new();
        let mut push = |space: &Keyspace, from: &[u8], to: &[u8]| {
            if from < to {
                parts.push((space.clone(), from.to_vec(), to.to_vec()));
            }
        };
        let mut next = from;
        for own in &self.own {
            let (begin, end) = (own.prefix.as_slice().max(next), own.end.as_slice().min(to));
            if begin < end {
                push(&self.all, next, begin);
                push(&own.space, begin, end);
                next = end;
            }
        }
        push(&self.all, next, to);
        parts
    }
}

/// The name of a prefix's keyspace.
fn name(prefix: &[u8]) -> String {
    Hex(prefix).to_string()
}

/// The first key after those with this prefix, which is not all `0xff`.
fn after(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while end.pop_if(|byte| *byte == 0xff).is_some() {}
    debug_assert!(!end.is_empty(), "a prefix after which there is no key");
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}
