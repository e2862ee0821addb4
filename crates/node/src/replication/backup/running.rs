//! How commands find the node that has a chain open: by the file `running` in the chain's folder.
//!
//! The file has the address of the node's admin listener and a token, and only its owner can read it. So only users who
//! can read the chain's files get a copy, and the token of a stale file is refused by any other node.

use std::fs;
use std::io::{ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use prooflight_core::{Error, Hex, Reason, Result};

use crate::chain::wire::ErrorDetails;
use crate::runtime::files::{self, create_private};
use crate::runtime::token;

const RUNNING_FILE: &str = "running";

/// The file by which commands find a running node; removed when this is dropped.
#[derive(Debug)]
pub struct AdminAccess {
    folder: PathBuf,
    token: String,
}

impl AdminAccess {
    /// Writes the file. The chain must be open, so that no other node has written one.
    pub fn open(folder: &Path, admin: SocketAddr) -> Result<Self> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|error| Error::new(Reason::Bug, "random bytes of the system", error))?;
        let token = Hex(&secret).to_string();
        let address = SocketAddr::new(reachable(admin.ip()), admin.port());
        let path = folder.join(RUNNING_FILE);
        let write = || -> std::io::Result<()> {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            writeln!(create_private(&path)?, "{address} {token}")
        };
        write().map_err(|error| failed(&path, &error))?;
        Ok(Self { folder: folder.to_owned(), token })
    }

    /// The folder of the chain.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a request has the token.
    pub fn allows(&self, headers: &http::HeaderMap) -> bool {
        token::bearer_token(headers).is_some_and(|given| token::tokens_equal(given, &self.token))
    }
}

impl Drop for AdminAccess {
    fn drop(&mut self) {
        // A file that stays is replaced at the next start.
        let _ = fs::remove_file(self.folder.join(RUNNING_FILE));
    }
}

/// An address that this machine can connect to.
fn reachable(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    }
}

/// A node that has a chain open.
#[derive(Debug)]
pub struct RunningNode {
    address: SocketAddr,
    token: String,
}

/// The time that a node has to answer a PUT request.
const PUT_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest error of a node.
const MAX_ERROR_BYTES: usize = 1 << 16;

impl RunningNode {
    /// The node that has the chain in a folder open, according to its file.
    pub fn of(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(RUNNING_FILE);
        let text = match files::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&path, &error)),
        };
        let parsed = text.trim_end().split_once(' ').and_then(|(address, token)| {
            Some(Self { address: address.parse().ok()?, token: token.to_owned() })
        });
        let wrong = || {
            let expected = format_args!("an address and a token in {}", path.display());
            Error::new(Reason::InvalidArgument, expected, "something else")
        };
        parsed.map(Some).ok_or_else(wrong)
    }

    /// The URL of the node's admin listener.
    pub fn admin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Fetches a path of the node's admin listener, and passes each piece to `take`.
    ///
    /// `unreachable` if the node does not answer, or stops before the end; its own error if it refuses.
    pub async fn fetch(&self, path: &str, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let broken = |error: &dyn core::fmt::Display| {
            let expected = format_args!("a whole answer of the node at {}", self.address);
            Error::new(Reason::Unreachable, expected, error)
        };
        let request = Request::get(format!("http://{}{path}", self.address))
            .header(AUTHORIZATION, format!("Bearer {}", self.token))
            .body(Empty::<Bytes>::new())
            .map_err(|error| Error::new(Reason::Bug, "a request", error))?;
        let client = Client::builder(TokioExecutor::new()).build_http();
        let response = client.request(request).await.map_err(|error| broken(&error))?;
        let status = response.status();
        let mut body = response.into_body();
        if status != StatusCode::OK {
            let refusal = Limited::new(body, MAX_ERROR_BYTES).collect().await;
            let refusal = refusal.map_err(|error| broken(&error))?.to_bytes();
            return Err(refused(status, &refusal));
        }
        while let Some(frame) = body.frame().await {
            if let Ok(piece) = frame.map_err(|error| broken(&error))?.into_data() {
                take(&piece)?;
            }
        }
        Ok(())
    }
}

/// Sends a PUT request to an admin listener, at http://HOST:PORT; returns its answer.
///
/// `invalid_argument` if the URL has another form, or the node refuses; `unreachable` without an answer in time.
pub async fn put(admin: &str, path: &str) -> Result<String> {
    let wrong_url = |found: &dyn core::fmt::Display| {
        Error::new(Reason::InvalidArgument, "the admin listener of a node, http://HOST:PORT", found)
    };
    let url: http::Uri = admin.parse().map_err(|error| wrong_url(&error))?;
    let host = url.authority().filter(|host| !host.as_str().contains('@'));
    let (Some("http"), Some(host), "/") = (url.scheme_str(), host, url.path()) else {
        return Err(wrong_url(&"another form"));
    };
    let unreachable = |error: &dyn core::fmt::Display| {
        Error::new(
            Reason::Unreachable,
            format_args!("an answer of the node at http://{host}"),
            error,
        )
    };
    let request = Request::put(format!("http://{host}{path}"))
        .body(Empty::<Bytes>::new())
        .map_err(|error| Error::new(Reason::Bug, "a request", error))?;
    let client = Client::builder(TokioExecutor::new()).build_http();
    let exchange = async {
        let response = client.request(request).await.map_err(|error| unreachable(&error))?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_ERROR_BYTES).collect().await;
        let body = body.map_err(|error| unreachable(&error))?.to_bytes();
        Ok((status, String::from_utf8_lossy(&body).trim_end().to_owned()))
    };
    let reply = tokio::time::timeout(PUT_TIMEOUT, exchange).await;
    let (status, text) = reply.map_err(|_| unreachable(&"none in time"))??;
    if status == StatusCode::OK {
        return Ok(text);
    }
    let expected = format_args!("a node at http://{host} that answers PUT {path}");
    let text: String = text.chars().filter(|it| !it.is_control()).take(100).collect();
    Err(Error::new(Reason::InvalidArgument, expected, format_args!("{status}: {text}")))
}

fn refused(status: StatusCode, body: &[u8]) -> Error {
    let data = serde_json::from_slice::<ErrorDetails>(body).ok();
    let reason = |name: &str| Reason::ALL.iter().copied().find(|reason| reason.as_str() == name);
    let typed = data.and_then(|it| Some(Error::new(reason(&it.reason)?, it.expected, it.found)));
    typed.unwrap_or_else(|| Error::new(Reason::ServerError, "the status 200", status))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("the file {}", path.display()), error)
}
