//! Redacts URLs before they are printed: of http only the origin is shown, of others no password and no query.

/// Redacts possible passwords and keys in the URLs of a text.
pub(super) fn redact_urls(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        let end = after.find(|c: char| c.is_whitespace() || "'\"`".contains(c));
        let (url, after_url) = after.split_at(end.unwrap_or(after.len()));
        let is_http = ["http", "https"].iter().any(|scheme| ends_with(before, scheme));
        shown.push_str(before);
        shown.push_str("://");
        shown.push_str(&redact_url(url, is_http));
        rest = after_url;
    }
    shown + rest
}

/// Redacts the part of a URL after its scheme: without user, password, query and fragment, and for http without a path.
fn redact_url(url: &str, is_http: bool) -> String {
    let (authority, more) = url.split_at(url.find(['/', '?', '#', '\\']).unwrap_or(url.len()));
    let (path, hidden) = more.split_at(more.find(['?', '#']).unwrap_or(more.len()));
    // A password may contain these characters even though a URL does not allow them there.
    if more.contains('@') {
        return "…".to_owned();
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    if hidden.is_empty() && (!is_http || path.len() < 2) {
        return format!("{host}{path}");
    }
    if is_http { format!("{host}/…") } else { format!("{host}{path}…") }
}

fn ends_with(text: &str, end: &str) -> bool {
    let at = text.len().checked_sub(end.len());
    at.and_then(|at| text.get(at..)).is_some_and(|last| last.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::redact_urls;

    #[test]
    fn only_the_location_of_a_url_is_shown() {
        for (text, shown) in [
            ("the node at http://127.0.0.1:8645", "the node at http://127.0.0.1:8645"),
            ("'http://host/' and", "'http://host/' and"),
            ("HTTP://me:hunter2@host:1/key/K?k=K#K, or", "HTTP://host:1/… or"),
            ("[env: A=https://host/key/K]", "[env: A=https://host/…"),
            ("\"http://me:hunter/2@host\", http://host?K", "\"http://…\", http://host/…"),
            ("http://me:hun#ter2@host", "http://…"),
            ("s3://bucket/chain at http://host:9000", "s3://bucket/chain at http://host:9000"),
            ("s3://me:hunter2@bucket/chain?K", "s3://bucket/chain…"),
            ("file:///folder", "file:///folder"),
            ("http", "http"),
        ] {
            assert_eq!(redact_urls(text), shown, "{text}");
        }
    }
}
