//! The values of a response to JavaScript: a value that several keys share is written once.
//!
//! Otherwise a short proof of one large value, requested repeatedly, would fill wasm's memory with copies
//! of it.

use std::collections::BTreeMap;

use crate::wire::ResponseWriter;

/// The distinct values of an answer; equal ones are recognised by their address in memory.
#[derive(Default)]
pub(crate) struct DistinctValues<'a> {
    distinct: Vec<&'a [u8]>,
    numbers: BTreeMap<(*const u8, usize), usize>,
}

impl<'a> DistinctValues<'a> {
    pub(crate) fn of(values: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut all = Self::default();
        for value in values {
            let number = all.distinct.len();
            if *all.numbers.entry(address(value)).or_insert(number) == number {
                all.distinct.push(value);
            }
        }
        all
    }

    /// Starts a response with the distinct values, and reserves capacity for `rest` bytes after them.
    pub(crate) fn response(&self, rest: usize) -> ResponseWriter {
        let bytes: usize = self.distinct.iter().map(|value| 4 + value.len()).sum();
        let mut response = ResponseWriter::with_capacity(4 + bytes + rest);
        response.write(&self.distinct);
        response
    }

    /// The position of a value among the distinct ones.
    pub(crate) fn number(&self, value: &[u8]) -> usize {
        self.numbers.get(&address(value)).copied().unwrap_or(usize::MAX)
    }
}

fn address(value: &[u8]) -> (*const u8, usize) {
    (value.as_ptr(), value.len())
}
