//! Which origins a listener serves, and which host names it accepts for writes.
//!
//! A browser names the page that sends a request in `Origin`, and the intended server in `Host`. A page of another
//! origin may read, but not write. A page whose own name server resolves its name to the node's address ("DNS
//! rebinding") has the node's origin, but its `Host` is a name that the node was not configured with.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, Method, Request};
use prooflight_core::{Error, Reason, Result};
use tower_http::cors::{AllowOrigin, Any, CorsLayer};

/// The origins and host names that a listener accepts; clones share them.
#[derive(Clone, Debug)]
pub struct RequestPolicy {
    origins: Arc<[PageOrigin]>,
    hosts: Arc<[UriHost]>,
    serves_pages: bool,
}

impl RequestPolicy {
    /// Only pages of these origins are served, and they may write. If there are no origins, all pages may read. The
    /// hosts are names of the node besides its addresses and `localhost`.
    ///
    /// `invalid_argument` if an origin or a host is malformed.
    pub fn new(origins: &[String], hosts: &[String]) -> Result<Self> {
        let origins = origins.iter().map(|text| {
            let expected = "an origin, as https://wallet.example or http://localhost:4173";
            let wrong =
                || Error::new(Reason::InvalidArgument, expected, QuotedText(text.as_bytes()));
            PageOrigin::parse(text).ok_or_else(wrong)
        });
        let hosts = hosts.iter().map(|text| {
            let expected = "the name of a host without a port, as node.example";
            let wrong =
                || Error::new(Reason::InvalidArgument, expected, QuotedText(text.as_bytes()));
            match HostPort::parse(text) {
                Some(HostPort { host, port: None }) => Ok(host),
                _ => Err(wrong()),
            }
        });
        Ok(Self {
            origins: origins.collect::<Result<_>>()?,
            hosts: hosts.collect::<Result<_>>()?,
            serves_pages: true,
        })
    }

    /// Keeps the hosts, and serves no pages.
    #[must_use]
    pub fn without_pages(self) -> Self {
        Self { serves_pages: false, ..self }
    }

    /// The CORS headers: tells browsers which pages may read answers.
    pub(super) fn cors(&self) -> CorsLayer {
        let layer = CorsLayer::new()
            .allow_methods([Method::GET, Method::POST])
            .allow_headers([CONTENT_TYPE, AUTHORIZATION]);
        if self.origins.is_empty() {
            return layer.allow_origin(Any);
        }
        let policy = self.clone();
        layer.allow_origin(AllowOrigin::predicate(move |origin, _| policy.names(origin)))
    }

    /// The source of a request; `not_authorised` if the request must not be served at all.
    pub(super) fn source<B>(&self, request: &Request<B>) -> Result<RequestSource> {
        let host = host(request);
        let page = self.page(request.headers(), host.as_ref().ok());
        match page {
            Err(error) if !self.serves_pages || !self.origins.is_empty() => Err(error),
            page => Ok(RequestSource { page, host: self.check_host(host) }),
        }
    }

    /// `not_authorised` if the request comes from a page that may not write.
    fn page(&self, headers: &HeaderMap, host: Option<&HostPort>) -> Result<()> {
        let mut given = headers.get_all(ORIGIN).iter();
        let Some(origin) = given.next() else { return Ok(()) };
        let refuse = |expected: &str, found: &dyn fmt::Display| {
            Err(Error::new(Reason::NotAuthorised, expected, found))
        };
        if !self.serves_pages {
            return refuse(
                "no Origin, since this listener serves no pages",
                &QuotedText(origin.as_bytes()),
            );
        }
        let expected = "an Origin that is the node's own or named by --origin";
        if given.next().is_some() {
            return refuse(expected, &"several");
        }
        let is_own = || {
            let host = host.filter(|host| self.knows(&host.host));
            PageOrigin::of(origin).zip(host).is_some_and(|(origin, host)| origin.is_of(host))
        };
        if self.names(origin) || is_own() {
            return Ok(());
        }
        refuse(expected, &QuotedText(origin.as_bytes()))
    }

    fn check_host(&self, host: Result<HostPort, String>) -> Result<()> {
        let found = match host {
            Ok(HostPort { host, .. }) if self.knows(&host) => return Ok(()),
            Ok(HostPort { host: UriHost::Name(name), .. }) => {
                QuotedText(name.as_bytes()).to_string()
            }
            Ok(HostPort { host: UriHost::Ip(ip), .. }) => ip.to_string(),
            Err(found) => found,
        };
        let expected = "a Host that is an IP address, localhost or named by --host";
        Err(Error::new(Reason::NotAuthorised, expected, found))
    }

    fn names(&self, origin: &HeaderValue) -> bool {
        PageOrigin::of(origin).is_some_and(|origin| self.origins.contains(&origin))
    }

    /// Whether this host names this node. An attacker's name server cannot fake an IP address or `localhost`.
    fn knows(&self, host: &UriHost) -> bool {
        match host {
            UriHost::Ip(_) => true,
            UriHost::Name(name) => name == "localhost" || self.hosts.contains(host),
        }
    }
}

/// The source of a request: whether its page may write, and whether its host is the node's.
#[derive(Clone, Debug)]
pub(crate) struct RequestSource {
    page: Result<()>,
    host: Result<()>,
}

impl RequestSource {
    /// `not_authorised` if the page may not write, or if the host is not the node's and there is no token.
    pub(crate) fn check_write(&self, has_token: bool) -> Result<()> {
        self.page.clone()?;
        if has_token { Ok(()) } else { self.check_host() }
    }

    /// `not_authorised` if the host is not one of the node's.
    pub(super) fn check_host(&self) -> Result<()> {
        self.host.clone()
    }
}

/// The host of a request, from its target and its header; the error says what was found instead.
fn host<B>(request: &Request<B>) -> Result<HostPort, String> {
    let given: Vec<_> = request.headers().get_all(HOST).iter().collect();
    let target = request.uri().authority().map(|authority| authority.as_str().as_bytes());
    let parse = |text: &[u8]| {
        let host = std::str::from_utf8(text).ok().and_then(HostPort::parse);
        host.ok_or_else(|| QuotedText(text).to_string())
    };
    match (&given[..], target) {
        ([], None) => Err("none".to_owned()),
        ([], Some(target)) => parse(target),
        ([header], None) => parse(header.as_bytes()),
        ([header], Some(target)) => match (parse(header.as_bytes())?, parse(target)?) {
            (header, target) if header == target => Ok(target),
            _ => Err("another one than the target's".to_owned()),
        },
        _ => Err("several".to_owned()),
    }
}

/// The origin of a page. Source: RFC 6454.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PageOrigin {
    scheme: String,
    host: UriHost,
    port: Option<u16>,
}

impl PageOrigin {
    /// `None` if the origin is malformed, or `null`, which any site can send.
    fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        let HostPort { host, port } = HostPort::parse(rest)?;
        let scheme = scheme.to_ascii_lowercase();
        let port = port.or_else(|| default_port(&scheme));
        is_scheme.then_some(Self { scheme, host, port })
    }

    fn of(header: &HeaderValue) -> Option<Self> {
        Self::parse(header.to_str().ok()?)
    }

    /// Whether the page comes from the server that answers at this host.
    fn is_of(&self, host: &HostPort) -> bool {
        let Some(default) = default_port(&self.scheme) else { return false };
        self.host == host.host && self.port == Some(host.port.unwrap_or(default))
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// A host with the port, if there is one. Source: RFC 9110, section 7.2; RFC 3986, section 3.2.2.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HostPort {
    host: UriHost,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum UriHost {
    Ip(IpAddr),
    /// In lower case.
    Name(String),
}

impl HostPort {
    fn parse(text: &str) -> Option<Self> {
        let (host, port) = if let Some(rest) = text.strip_prefix('[') {
            let (ip, port) = rest.split_once(']')?;
            (UriHost::Ip(ip.parse::<Ipv6Addr>().ok()?.into()), port)
        } else {
            let (name, port) = text.split_at(text.find(':').unwrap_or(text.len()));
            (UriHost::parse_name(name)?, port)
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => None,
            // `parse` would also take a sign.
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(digits.parse().ok()?)
            }
            _ => return None,
        };
        Some(Self { host, port })
    }
}

impl UriHost {
    fn parse_name(name: &str) -> Option<Self> {
        if let Ok(ip) = name.parse::<Ipv4Addr>() {
            return Some(Self::Ip(ip.into()));
        }
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
        is_name.then(|| Self::Name(name.to_ascii_lowercase()))
    }
}

/// The beginning of an untrusted text, escaped for logs.
struct QuotedText<'t>(&'t [u8]);

impl fmt::Display for QuotedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0[..self.0.len().min(100)].escape_ascii())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn policy(origins: &[&str], hosts: &[&str]) -> Result<RequestPolicy> {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        RequestPolicy::new(&owned(origins), &owned(hosts))
    }

    fn request(target: &str, headers: &[(&str, &str)]) -> Request<()> {
        let mut request = Request::post(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap()
    }

    #[test]
    fn a_host_is_an_address_or_localhost_or_one_of_the_names() {
        let policy = policy(&[], &["Node.Example", "node", "localhost", "127.0.0.1"]).unwrap();
        let is_known = |host: &str| {
            policy.source(&request("/", &[("host", host)])).unwrap().check_host().is_ok()
        };
        for known in [
            "127.0.0.1",
            "127.0.0.1:8645",
            "10.1.2.3:80",
            "0.0.0.0:1",
            "[::1]",
            "[::1]:8645",
            "[2001:DB8::1]:65535",
            "[::ffff:127.0.0.1]",
            "localhost",
            "LocalHost:8645",
            "node",
            "NODE.example:1",
            "node.example",
        ] {
            assert!(is_known(known), "{known}");
        }
        for unknown in [
            "",
            ":8645",
            "rebound.example:8645",
            "localhost.",
            "localhost.:8645",
            "localhost.evil.example",
            "evil.localhost",
            "127.0.0.1.evil.example",
            "127.0.0.1.",
            "127.1",
            "2130706433",
            "0x7f.0.0.1",
            "::1",
            "[::1",
            "[::1]8645",
            "[127.0.0.1]",
            "[fe80::1%25eth0]",
            "127.0.0.1:port",
            "127.0.0.1:+80",
            "127.0.0.1:65536",
            "127.0.0.1:",
            "127.0.0.1:80:80",
            "user@127.0.0.1",
            "127.0.0.1/",
            "127.0.0.1 evil.example",
            "evil.example, 127.0.0.1",
            "xnode.example",
            "node.example.evil",
            "www.node.example",
        ] {
            assert!(!is_known(unknown), "{unknown}");
        }
    }

    #[test]
    fn the_target_and_the_header_name_one_host() {
        let policy = policy(&[], &[]).unwrap();
        let is_known = |target: &str, headers: &[(&str, &str)]| {
            policy.source(&request(target, headers)).unwrap().check_host().is_ok()
        };
        let (ours, evil) = (("host", "127.0.0.1:1"), ("host", "evil.example:1"));
        assert!(is_known("http://127.0.0.1:1/", &[]));
        assert!(is_known("http://127.0.0.1:1/", &[ours]));
        assert!(!is_known("/", &[]));
        assert!(!is_known("http://evil.example:1/", &[]));
        assert!(!is_known("http://evil.example:1/", &[ours]));
        assert!(!is_known("http://127.0.0.1:1/", &[evil]));
        assert!(!is_known("/", &[ours, ours]));
        assert!(!is_known("/", &[ours, evil]));
        let forwarded = [("x-forwarded-host", "127.0.0.1"), ("forwarded", "host=127.0.0.1"), evil];
        assert!(!is_known("/", &forwarded));
    }

    #[test]
    fn a_page_is_the_nodes_own_or_named() {
        let open = policy(&[], &["node.example"]).unwrap();
        let named = ["https://wallet.example", "http://localhost:4173", "chrome-extension://abc"];
        let named = policy(&named, &[]).unwrap();
        let may_write = |policy: &RequestPolicy, host: &str, origins: &[&str]| {
            let headers = origins.iter().map(|&origin| ("origin", origin));
            let headers: Vec<_> = headers.chain([("host", host)]).collect();
            policy.source(&request("/", &headers)).map(|source| source.page.is_ok())
        };
        for (host, own) in [
            ("127.0.0.1:8645", "http://127.0.0.1:8645"),
            ("[::1]:8645", "http://[0:0::1]:8645"),
            ("localhost:8645", "HTTP://LOCALHOST:8645"),
            ("localhost", "http://localhost"),
            ("localhost:80", "http://localhost"),
            ("node.example", "https://node.example"),
            ("node.example:443", "https://node.example"),
        ] {
            assert_eq!(may_write(&open, host, &[own]), Ok(true), "{own}");
        }
        for (host, foreign) in [
            ("127.0.0.1:8645", "http://127.0.0.1:8646"),
            ("127.0.0.1:8645", "http://127.0.0.1"),
            ("127.0.0.1:8645", "http://localhost:8645"),
            ("localhost:8645", "http://127.0.0.1:8645"),
            ("rebound.example:8645", "http://rebound.example:8645"),
            ("node.example", "http://node.example:8645"),
            ("node.example", "http://node.example:443"),
            ("node.example", "https://www.node.example"),
            ("127.0.0.1:8645", "ftp://127.0.0.1:8645"),
            ("127.0.0.1:8645", "http://127.0.0.1:8645/"),
            ("127.0.0.1:8645", "http://user@127.0.0.1:8645"),
            ("127.0.0.1:8645", "//127.0.0.1:8645"),
            ("127.0.0.1:8645", "127.0.0.1:8645"),
            ("127.0.0.1:8645", "null"),
            ("127.0.0.1:8645", ""),
        ] {
            assert_eq!(may_write(&open, host, &[foreign]), Ok(false), "{foreign}");
            let refused = may_write(&named, host, &[foreign]).unwrap_err();
            assert_eq!(refused.reason(), Reason::NotAuthorised, "{foreign}");
        }
        for known in [
            "https://wallet.example",
            "HTTPS://Wallet.Example:443",
            "http://localhost:4173",
            "chrome-extension://abc",
        ] {
            assert_eq!(may_write(&named, "127.0.0.1:1", &[known]), Ok(true), "{known}");
            may_write(&named, "127.0.0.1:1", &[known, known]).unwrap_err();
        }
        for other in ["http://wallet.example", "https://wallet.example:444", "http://localhost"] {
            may_write(&named, "127.0.0.1:1", &[other]).unwrap_err();
        }
        let closed = named.without_pages();
        for any in ["https://wallet.example", "http://127.0.0.1:1", "null", ""] {
            may_write(&closed, "127.0.0.1:1", &[any]).unwrap_err();
        }
        assert_eq!(may_write(&closed, "evil.example", &[]), Ok(true));
    }

    #[test]
    fn malformed_settings_are_refused() {
        for origin in
            ["", "*", "null", "wallet.example", "https://", "https://w.example/", "https://*.w.de"]
        {
            let refused = policy(&[origin], &[]).unwrap_err();
            assert_eq!(refused.reason(), Reason::InvalidArgument, "{origin}");
        }
        for host in ["", "*", "node.example:8645", "http://node.example", "n\u{f6}de"] {
            let refused = policy(&[], &[host]).unwrap_err();
            assert_eq!(refused.reason(), Reason::InvalidArgument, "{host}");
        }
    }
}
