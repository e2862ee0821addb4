//! The Rust verifiers behind the conformance kit: `cargo run -p prooflight-vectors --example adapter`.

use std::io::{self, BufRead, Write};

use prooflight_vectors::{input::TestInput, verify};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Question {
    id: Value,
    #[serde(rename = "type")]
    group_type: String,
    input: TestInput,
}

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let question: Question = serde_json::from_str(&line?)?;
        let input = question.input.read().map_err(io::Error::other)?;
        let id = question.id;
        let answer = match verify(&question.group_type, &input) {
            Err(_unknown_type) => json!({ "id": id, "unsupported": true }),
            Ok(Ok(answer)) => json!({ "id": id, "valid": answer }),
            Ok(Err(error)) => {
                let (code, reason) = (error.code().as_str(), error.reason().as_str());
                json!({ "id": id, "invalid": { "code": code, "reason": reason } })
            }
        };
        writeln!(io::stdout(), "{answer}")?;
    }
    Ok(())
}
