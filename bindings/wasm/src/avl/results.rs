//! The results of a batch as they cross to JavaScript: a value that many operations return crosses
//! once.
//!
//! Otherwise a short proof of one large value, looked up in every operation, would fill wasm's memory
//! with copies of it.

use std::collections::BTreeMap;

use crate::wire::ResponseWriter;

/// Values up to this length, in bytes, are copied: a copy is no larger than the operation that requested it may be,
/// and copying is faster than finding the first copy.
const MAX_COPIED_BYTES: usize = 32;

/// The state of a key before its operation.
pub(crate) enum OldValue<'a> {
    Present(&'a [u8]),
    Absent { previous: Option<&'a [u8]>, next: Option<&'a [u8]> },
}

/// Encodes `Vec<OldValue>`.
pub(crate) fn write<'a>(
    response: &mut ResponseWriter,
    results: impl ExactSizeIterator<Item = OldValue<'a>>,
) {
    response.write(&results.len());
    let mut values = ResultValues::default();
    for result in results {
        match result {
            OldValue::Present(value) => values.write(response, value),
            OldValue::Absent { previous, next } => {
                response.byte(1);
                response.write(&previous);
                response.write(&next);
            }
        }
    }
}

/// The values that were written; equal ones are recognised by their address in memory.
#[derive(Default)]
struct ResultValues {
    written: usize,
    /// The number of each long value.
    long: BTreeMap<(*const u8, usize), usize>,
}

impl ResultValues {
    fn write(&mut self, response: &mut ResponseWriter, value: &[u8]) {
        if value.len() > MAX_COPIED_BYTES {
            let number = *self.long.entry((value.as_ptr(), value.len())).or_insert(self.written);
            if number < self.written {
                response.byte(2);
                return response.write(&number);
            }
        }
        self.written += 1;
        response.byte(0);
        response.write(value);
    }
}
