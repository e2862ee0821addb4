//! Runs the compiler and reads its errors.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

/// An error from the compiler.
#[derive(Debug, Deserialize)]
pub(crate) struct CompilerError {
    /// The main message.
    pub(crate) message: String,
    level: String,
    code: Option<ErrorCode>,
    spans: Vec<ErrorSpan>,
    /// Notes and advice.
    children: Vec<ErrorNote>,
    /// The error as shown to people.
    pub(crate) rendered: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ErrorNote {
    spans: Vec<ErrorSpan>,
}

#[derive(Debug, Deserialize)]
struct ErrorCode {
    code: String,
}

/// A byte range of a file.
#[derive(Debug, Deserialize)]
pub(crate) struct ErrorSpan {
    pub(crate) file_name: String,
    pub(crate) byte_start: usize,
    pub(crate) byte_end: usize,
    pub(crate) is_primary: bool,
}

#[derive(Deserialize)]
struct CargoMessage {
    message: Option<CompilerError>,
}

impl CompilerError {
    /// Returns its locations, the primary one first.
    pub(crate) fn locations(&self) -> Vec<&ErrorSpan> {
        let mut places: Vec<_> = self.spans.iter().collect();
        places.sort_by_key(|place| !place.is_primary);
        places.extend(self.children.iter().flat_map(|child| &child.spans));
        places
    }

    /// Returns the function that is not `const` where one is required.
    pub(crate) fn not_constant(&self) -> Option<&str> {
        self.code.as_ref().filter(|code| code.code == "E0015")?;
        let path = self.message.split('`').nth(1)?;
        path.rsplit("::").next()
    }
}

/// Runs cargo in a folder; returns the errors, none if it succeeds.
pub(crate) fn cargo(folder: &Path, arguments: &[&str]) -> Result<Vec<CompilerError>, String> {
    let mut cargo = Command::new("cargo")
        .args(arguments)
        .args(["--message-format=json", "--quiet"])
        .current_dir(folder)
        // A condition that never holds, or arithmetic that always overflows, is a valid fault.
        .env("RUSTFLAGS", "--cap-lints=allow")
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cargo: {error}"))?;
    let output = BufReader::new(cargo.stdout.take().ok_or("cargo has no output")?);
    let mut complaints = Vec::new();
    for line in output.lines() {
        let line = line.map_err(|error| error.to_string())?;
        // Other kinds of messages have other fields.
        let Ok(message) = serde_json::from_str::<CargoMessage>(&line) else { continue };
        complaints.extend(message.message.filter(|message| message.level.starts_with("error")));
    }
    let status = cargo.wait().map_err(|error| error.to_string())?;
    // "aborting due to 3 previous errors" has no location.
    complaints.retain(|complaint| !complaint.spans.is_empty());
    match (status.success(), complaints.is_empty()) {
        (true, _) => Ok(Vec::new()),
        (false, false) => Ok(complaints),
        (false, true) => Err("cargo failed without naming a place".to_owned()),
    }
}
