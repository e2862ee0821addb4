//! Connections that stay open: HTTP and WebSocket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// The status and the length of the body of a reply's head.
fn read_head(reader: &mut BufReader<TcpStream>) -> (u16, usize) {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_default().parse().unwrap();
    let mut length = 0;
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).unwrap();
        if let Some(text) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = text.trim().parse().unwrap();
        }
    }
    (status, length)
}

/// An HTTP connection that is kept alive.
pub(crate) struct Connection(BufReader<TcpStream>);

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        Self(BufReader::new(connect(address)))
    }

    /// The status and body of the reply to a POST request.
    pub(crate) fn post(&mut self, body: &[u8]) -> (u16, String) {
        let head = format!(
            "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        self.0.get_mut().write_all(&[head.as_bytes(), body].concat()).unwrap();
        let (status, length) = read_head(&mut self.0);
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }
}

/// A minimal WebSocket, for text messages of one frame.
pub(crate) struct WebSocket(BufReader<TcpStream>);

impl WebSocket {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::shake(address, &format!("Host: {address}\r\n")).unwrap()
    }

    /// Connects with these headers; the status if the node refuses.
    pub(crate) fn shake(address: SocketAddr, headers: &str) -> Result<Self, u16> {
        let mut stream = connect(address);
        let head = format!(
            "GET / HTTP/1.1\r\n{headers}Connection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        match read_head(&mut reader).0 {
            101 => Ok(Self(reader)),
            status => Err(status),
        }
    }

    /// Sets the time to wait for the node to accept or send data.
    pub(crate) fn give_up_after(&self, time: Duration) {
        self.0.get_ref().set_write_timeout(Some(time)).unwrap();
        self.0.get_ref().set_read_timeout(Some(time)).unwrap();
    }

    /// Reads and drops this many bytes, if they arrive in time.
    pub(crate) fn skip(&mut self, bytes: usize) {
        // On a timeout, the bytes that arrived have been read.
        let _ = self.0.get_mut().read_exact(&mut vec![0; bytes]);
    }

    /// Sends a text in one frame, with a mask of zeros.
    pub(crate) fn send(&mut self, text: &str) {
        self.try_send(text).unwrap();
    }

    /// Like `send`, but returns an error if the connection does not accept it.
    pub(crate) fn try_send(&mut self, text: &str) -> std::io::Result<()> {
        let mut frame = vec![0x81];
        match u16::try_from(text.len()) {
            Ok(short @ ..126) => frame.push(0x80 | u8::try_from(short).unwrap()),
            Ok(length) => {
                frame.push(0xfe);
                frame.extend(length.to_be_bytes());
            }
            Err(_) => {
                frame.push(0xff);
                frame.extend((text.len() as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.get_mut().write_all(&frame)
    }

    /// Returns the JSON of the next text; skips pings.
    pub(crate) fn receive(&mut self) -> Value {
        self.try_receive().unwrap()
    }

    /// Like `receive`, but returns an error if the node ends the connection.
    pub(crate) fn try_receive(&mut self) -> std::io::Result<Value> {
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head)?;
            let length = match head[1] {
                126 => {
                    let mut length = [0; 2];
                    self.0.read_exact(&mut length)?;
                    u16::from_be_bytes(length).into()
                }
                127 => {
                    let mut length = [0; 8];
                    self.0.read_exact(&mut length)?;
                    usize::try_from(u64::from_be_bytes(length)).unwrap()
                }
                short => usize::from(short),
            };
            let mut content = vec![0; length];
            self.0.read_exact(&mut content)?;
            if head[0] == 0x81 {
                return Ok(serde_json::from_slice(&content).unwrap());
            }
        }
    }
}
