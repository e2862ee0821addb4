//! What the compiler says.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

/// An error of the compiler.
#[derive(Debug, Deserialize)]
pub(crate) struct Complaint {
    /// What it says first.
    pub(crate) message: String,
    level: String,
    code: Option<ErrorCode>,
    spans: Vec<Place>,
    /// Notes and advice.
    children: Vec<Child>,
    /// As people read it.
    pub(crate) rendered: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Child {
    spans: Vec<Place>,
}

#[derive(Debug, Deserialize)]
struct ErrorCode {
    code: String,
}

/// Bytes of a file.
#[derive(Debug, Deserialize)]
pub(crate) struct Place {
    pub(crate) file_name: String,
    pub(crate) byte_start: usize,
    pub(crate) byte_end: usize,
    pub(crate) is_primary: bool,
}

#[derive(Deserialize)]
struct Message {
    message: Option<Complaint>,
}

impl Complaint {
    /// Where it is, the most important place first.
    pub(crate) fn places(&self) -> Vec<&Place> {
        let mut places: Vec<_> = self.spans.iter().collect();
        places.sort_by_key(|place| !place.is_primary);
        places.extend(self.children.iter().flat_map(|child| &child.spans));
        places
    }

    /// The function that is not `const` where one must be.
    pub(crate) fn not_constant(&self) -> Option<&str> {
        self.code.as_ref().filter(|code| code.code == "E0015")?;
        let path = self.message.split('`').nth(1)?;
        path.rsplit("::").next()
    }
}

/// Runs cargo in a folder; the errors, none if it succeeds.
pub(crate) fn cargo(folder: &Path, arguments: &[&str]) -> Result<Vec<Complaint>, String> {
    let mut cargo = Command::new("cargo")
        .args(arguments)
        .args(["--message-format=json", "--quiet"])
        .current_dir(folder)
        // What never holds, or always overflows, is a fault like others.
        .env("RUSTFLAGS", "--cap-lints=allow")
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cargo: {error}"))?;
    let output = BufReader::new(cargo.stdout.take().ok_or("cargo has no output")?);
    let mut complaints = Vec::new();
    for line in output.lines() {
        let line = line.map_err(|error| error.to_string())?;
        // Other messages have other members.
        let Ok(message) = serde_json::from_str::<Message>(&line) else { continue };
        complaints.extend(message.message.filter(|message| message.level.starts_with("error")));
    }
    let status = cargo.wait().map_err(|error| error.to_string())?;
    // "aborting due to 3 previous errors" is nowhere.
    complaints.retain(|complaint| !complaint.spans.is_empty());
    match (status.success(), complaints.is_empty()) {
        (true, _) => Ok(Vec::new()),
        (false, false) => Ok(complaints),
        (false, true) => Err("cargo failed without naming a place".to_owned()),
    }
}
