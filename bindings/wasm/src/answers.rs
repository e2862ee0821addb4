//! States of keys over time, in borsh.
//!
//! ```text
//! enum Answer    { Present { since: u64, value: Vec<u8> }, Deleted { deleted_at: u64 }, NeverWritten }
//! struct History { entering: Option<Answer>, changes: Vec<Answer> }
//! ```

use prooflight_core::{KeyHistory, PastState};

use crate::wire::ResponseWriter;

/// Encodes a `History`.
pub(crate) fn history(history: &KeyHistory<'_>) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(64 + 48 * history.changes.len());
    write_history(&mut response, history);
    response.into_bytes()
}

/// Writes a `History`.
pub(crate) fn write_history(response: &mut ResponseWriter, history: &KeyHistory<'_>) {
    match &history.entering {
        None => response.u8(0),
        Some(answer) => {
            response.u8(1);
            write_answer(response, answer);
        }
    }
    write_answers(response, &history.changes);
}

/// Writes `Vec<Answer>`.
pub(crate) fn write_answers(response: &mut ResponseWriter, answers: &[PastState<'_>]) {
    response.length(answers.len());
    for answer in answers {
        write_answer(response, answer);
    }
}

fn write_answer(response: &mut ResponseWriter, answer: &PastState<'_>) {
    match answer {
        PastState::Present { value, since } => {
            response.u8(0);
            response.array(&since.to_le_bytes());
            response.bytes(value);
        }
        PastState::Deleted { deleted_at } => {
            response.u8(1);
            response.array(&deleted_at.to_le_bytes());
        }
        PastState::NeverWritten => response.u8(2),
    }
}
