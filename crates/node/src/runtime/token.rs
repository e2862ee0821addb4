//! Bearer tokens of requests.

use http::HeaderMap;
use http::header::AUTHORIZATION;

/// The token of a request, if it has one.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(AUTHORIZATION)?.as_bytes().strip_prefix(b"Bearer ")
}

/// Whether two tokens are equal. Constant-time: compares every byte, wherever the first difference is.
pub(crate) fn tokens_equal(given: &[u8], token: &str) -> bool {
    let same = given.iter().zip(token.as_bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0;
    same && given.len() == token.len()
}
