//! A server that answers requests for objects as a test decides.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A received request.
#[derive(Clone, Debug, Default)]
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
}

/// A status and a body.
pub(crate) type HttpAnswer = (u16, Vec<u8>);

/// What happens to a request.
pub(crate) enum ServerReply {
    /// An answer.
    Whole(HttpAnswer),
    /// The head of an answer with this body, and half of the body; then the connection ends.
    Cut(Vec<u8>),
    /// The connection ends.
    Silence,
}

/// The address, and the requests so far.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<HttpRequest>>>,
}

impl Server {
    /// Serves until the test ends.
    pub(crate) fn new(answer: impl Fn(&HttpRequest) -> HttpAnswer + Send + Sync + 'static) -> Self {
        Self::failing(move |asked, _| ServerReply::Whole(answer(asked)))
    }

    /// Serves until the test ends; `reply` also gets the number of requests before.
    pub(crate) fn failing(
        reply: impl Fn(&HttpRequest, usize) -> ServerReply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self { address: listener.local_addr().unwrap(), asked: Arc::default() };
        let (asked, reply) = (server.asked.clone(), Arc::new(reply));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (asked, reply) = (asked.clone(), reply.clone());
                thread::spawn(move || serve(stream.unwrap(), &asked, &*reply));
            }
        });
        server
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<HttpRequest> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    asked: &Mutex<Vec<HttpRequest>>,
    reply: &dyn Fn(&HttpRequest, usize) -> ServerReply,
) {
    let request = read(&stream);
    let before = {
        let mut asked = asked.lock().unwrap();
        asked.push(request.clone());
        asked.len() - 1
    };
    let ((status, body), sent) = match reply(&request, before) {
        ServerReply::Whole((status, body)) => ((status, body.clone()), body),
        ServerReply::Cut(body) => ((200, body.clone()), body[..body.len() / 2].to_vec()),
        ServerReply::Silence => return,
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\netag: \"1\"\r\n\
         last-modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), &sent].concat()).unwrap();
}

fn read(stream: &TcpStream) -> HttpRequest {
    let mut lines = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    let first = line();
    let mut words = first.split(' ').map(str::to_owned);
    let mut asked = HttpRequest {
        method: words.next().unwrap(),
        path: words.next().unwrap(),
        ..HttpRequest::default()
    };
    let mut length = 0;
    loop {
        let header = line();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        asked.headers += &header.to_lowercase();
        asked.headers.push('\n');
    }
    asked.body = vec![0; length];
    lines.read_exact(&mut asked.body).unwrap();
    asked
}
