//! Keeps secrets out of the errors of stores.

use std::error::Error as _;

/// An error of a store as a message: one line, not too long, without a secret of the environment
/// and without the query of a URL, which may be a signature.
pub(crate) fn redacted(error: &object_store::Error) -> String {
    let mut text = error.to_string();
    // The cause, such as a refused connection or an unknown certificate, is often left out.
    let mut last = error.source();
    while let Some(deeper) = last.and_then(|cause| cause.source()) {
        last = Some(deeper);
    }
    if let Some(cause) = last.map(ToString::to_string).filter(|cause| !text.contains(cause)) {
        text = format!("{cause}: {text}");
    }
    redact(
        &text,
        std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            SECRET_NAME_PARTS.iter().any(|secret| name.contains(secret)).then_some(value)
        }),
    )
}

/// Parts of the names of variables with secrets.
const SECRET_NAME_PARTS: [&str; 6] = ["KEY", "SECRET", "TOKEN", "PASSWORD", "SAS", "CREDENTIAL"];

/// Shorter values could be a part of any word.
const MIN_SECRET_BYTES: usize = 6;

const MAX_MESSAGE_CHARS: usize = 300;

fn redact(text: &str, secrets: impl Iterator<Item = String>) -> String {
    let mut text: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    for secret in secrets.filter(|secret| secret.len() >= MIN_SECRET_BYTES) {
        text = text.replace(&secret, "***");
    }
    let words = text.split(' ').map(|word| match word.split_once('?') {
        Some((before, _)) if before.contains("://") => before,
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ").chars().take(MAX_MESSAGE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_no_secret() {
        let text = "PUT https://host/blocks?sig=abcdef failed\nfor hunter2! of me";
        let secrets = ["hunter2!", "me"].map(str::to_owned).into_iter();
        assert_eq!(redact(text, secrets), "PUT https://host/blocks failed for *** of me");
        assert_eq!(redact(&"x".repeat(1000), [].into_iter()).len(), MAX_MESSAGE_CHARS);
    }
}
