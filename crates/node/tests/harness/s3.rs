//! A server with the part of the S3 protocol that a log needs, with injected faults.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Half of the body is sent, then the connection ends.
    Cut,
    /// The connection ends without an answer.
    Silent,
    /// A status, with the code of an error.
    Status(u16, &'static str),
}

/// Chooses the fault of a request by its method and the number of earlier requests of this method for the object.
type FaultPlan = dyn Fn(&str, usize) -> Option<Fault> + Send + Sync;

/// The bucket `s3://bucket`, whose objects are the files of a folder.
pub(crate) struct S3 {
    address: SocketAddr,
    asked: Arc<Mutex<BTreeMap<(String, String), usize>>>,
}

impl S3 {
    /// Serves until the test ends.
    pub(crate) fn over(
        folder: &Path,
        faults: impl Fn(&str, usize) -> Option<Fault> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self { address: listener.local_addr().unwrap(), asked: Arc::default() };
        let (folder, asked) = (folder.to_path_buf(), server.asked.clone());
        let faults: Arc<FaultPlan> = Arc::new(faults);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (folder, asked, faults) = (folder.clone(), asked.clone(), faults.clone());
                // A client that goes away is not the test's concern.
                thread::spawn(move || serve(&stream?, &folder, &asked, &*faults));
            }
        });
        server
    }

    /// The environment variables with which a program uses it.
    pub(crate) fn variables(&self) -> [(&'static str, String); 3] {
        [
            ("AWS_ACCESS_KEY_ID", "an-id".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "a-secret-of-forty-characters".to_owned()),
            ("AWS_ENDPOINT_URL", format!("http://{}", self.address)),
        ]
    }

    /// The number of requests of this method for an object.
    pub(crate) fn asked(&self, method: &str, object: &str) -> usize {
        let key = (method.to_owned(), object.to_owned());
        self.asked.lock().unwrap().get(&key).copied().unwrap_or_default()
    }
}

fn serve(
    mut stream: &TcpStream,
    folder: &Path,
    asked: &Mutex<BTreeMap<(String, String), usize>>,
    faults: &FaultPlan,
) -> std::io::Result<()> {
    let (method, object, body) = read(stream)?;
    let number = {
        let mut asked = asked.lock().unwrap();
        let count = asked.entry((method.clone(), object.clone())).or_default();
        *count += 1;
        *count - 1
    };
    let path: PathBuf = folder.join(&object);
    let (status, found) = match (faults(&method, number), &*method) {
        (Some(Fault::Silent), _) => return Ok(()),
        (Some(Fault::Status(status, code)), _) => (status, error(code)),
        (fault, "GET") => match fs::read(&path) {
            Ok(bytes) if fault == Some(Fault::Cut) => {
                stream.write_all(head(200, bytes.len()).as_bytes())?;
                return stream.write_all(&bytes[..bytes.len() / 2]);
            }
            Ok(bytes) => (200, bytes),
            Err(_) => (404, error("NoSuchKey")),
        },
        _ if path.exists() => (412, error("PreconditionFailed")),
        _ => {
            fs::create_dir_all(path.parent().unwrap())?;
            fs::write(&path, body)?;
            (200, Vec::new())
        }
    };
    stream.write_all(&[head(status, found.len()).as_bytes(), &found].concat())
}

fn error(code: &str) -> Vec<u8> {
    format!("<Error><Code>{code}</Code></Error>").into_bytes()
}

fn head(status: u16, length: usize) -> String {
    format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\netag: \"1\"\r\n\
         last-modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n"
    )
}

/// The method, the object below `/bucket/`, and the body of a request.
fn read(stream: &TcpStream) -> std::io::Result<(String, String, Vec<u8>)> {
    let mut lines = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    lines.read_line(&mut first)?;
    loop {
        let mut header = String::new();
        lines.read_line(&mut header)?;
        let header = header.trim_end().to_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body)?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    Ok((method, path.trim_start_matches("/bucket/").to_owned(), body))
}
