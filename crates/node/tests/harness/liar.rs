//! A proxy in front of a real node, which forwards its answers or changes them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use super::Client;

/// Changes the result of a method.
type ResultChange = Arc<dyn Fn(&str, &mut Value) + Send + Sync>;

/// Makes the result of a method of these parameters.
type AnswerMaker = Arc<dyn Fn(&str, &Value) -> Value + Send + Sync>;

/// What the proxy does with the answer of a method.
#[derive(Clone)]
pub(crate) enum Lie {
    /// Forwards it.
    None,
    /// Changes the result.
    Result(ResultChange),
    /// Answers without a node.
    Invented(AnswerMaker),
    /// Sends this body instead.
    Body(&'static str),
    /// Refuses with this status.
    Status(u16),
    /// Sends bytes without end.
    Endless,
    /// Never answers.
    Silent,
    /// Never answers one method, and forwards the others.
    SilentAbout(&'static str),
}

impl Lie {
    /// Changes the results of one method.
    pub(crate) fn of(
        method: &'static str,
        change: impl Fn(&mut Value) + Send + Sync + 'static,
    ) -> Self {
        Self::Result(Arc::new(move |asked, result| {
            if asked == method {
                change(result);
            }
        }))
    }
}

struct ProxyState {
    node: Option<SocketAddr>,
    lie: Lie,
    /// All requests, as they came.
    requests: Vec<Value>,
}

/// The proxy; its address stays the same while the node behind it comes and goes.
pub(crate) struct Liar {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<ProxyState>>,
}

impl Liar {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state =
            Arc::new(Mutex::new(ProxyState { node: None, lie: Lie::None, requests: vec![] }));
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = shared.clone();
                // Callers may disconnect at any time.
                thread::spawn(move || answer(stream.unwrap(), &shared).ok());
            }
        });
        Self { address, state }
    }

    /// Sets the node to forward to.
    pub(crate) fn ask(&self, node: SocketAddr) {
        self.state.lock().unwrap().node = Some(node);
    }

    pub(crate) fn tell(&self, lie: Lie) {
        self.state.lock().unwrap().lie = lie;
    }

    /// The requests so far that call a method.
    pub(crate) fn requests(&self, method: &str) -> Vec<Value> {
        let state = self.state.lock().unwrap();
        let requests = state.requests.iter().filter(|request| request["method"] == method);
        requests.cloned().collect()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Answers one request, and closes the connection.
fn answer(stream: TcpStream, state: &Mutex<ProxyState>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        if let Some(text) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = text.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut request = vec![0; length];
    reader.read_exact(&mut request)?;
    let mut stream = reader.into_inner();

    let (node, lie) = {
        let mut state = state.lock().unwrap();
        state.requests.push(serde_json::from_slice(&request)?);
        (state.node, state.lie.clone())
    };
    let reply = || {
        let node = node.ok_or_else(|| std::io::Error::other("no node"))?;
        Ok::<_, std::io::Error>(Client { address: node, token: None }.post(&request)?.1)
    };
    match lie {
        Lie::SilentAbout(method) if method_of(&request) == method => {
            stream.read(&mut [0]).map(|_| ())
        }
        Lie::None | Lie::SilentAbout(_) => respond(&mut stream, 200, &reply()?),
        Lie::Result(change) => {
            let method = method_of(&request);
            let mut reply: Value = serde_json::from_str(&reply()?).unwrap();
            if let Some(result) = reply.get_mut("result") {
                change(&method, result);
            }
            respond(&mut stream, 200, &reply.to_string())
        }
        Lie::Invented(answer) => {
            let request: Value = serde_json::from_slice(&request)?;
            let result = answer(request["method"].as_str().unwrap(), &request["params"]);
            let reply = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
            respond(&mut stream, 200, &reply.to_string())
        }
        Lie::Body(body) => respond(&mut stream, 200, body),
        Lie::Status(status) => respond(&mut stream, status, ""),
        Lie::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{")?;
            loop {
                stream.write_all(&[b' '; 4096])?;
            }
        }
        // Until the caller gives up.
        Lie::Silent => stream.read(&mut [0]).map(|_| ()),
    }
}

fn method_of(request: &[u8]) -> String {
    serde_json::from_slice::<Value>(request).unwrap()["method"].as_str().unwrap().to_owned()
}

fn respond(stream: &mut TcpStream, status: u16, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    )
}
