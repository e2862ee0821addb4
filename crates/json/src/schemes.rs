//! The table of schemes as JSON, `test-vectors/schema/schemes.json`; other languages generate theirs from it.

use prooflight_core::{Ability, Scheme};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SchemeRow {
    name: &'static str,
    id: u8,
    root_length: usize,
    abilities: Vec<&'static str>,
    binary: Option<&'static str>,
    parameters: bool,
}

impl From<Scheme> for SchemeRow {
    fn from(scheme: Scheme) -> Self {
        Self {
            name: scheme.as_str(),
            id: scheme.id(),
            root_length: scheme.root_length(),
            abilities: scheme.abilities().iter().copied().map(Ability::as_str).collect(),
            binary: scheme.binary(),
            parameters: scheme.has_parameters(),
        }
    }
}

/// Writes the table, with a line for each scheme.
pub fn to_json() -> String {
    // Plain data: serialising it cannot fail.
    let row = |scheme| serde_json::to_string(&SchemeRow::from(scheme)).unwrap_or_default();
    format!("[\n{}\n]\n", Scheme::ALL.map(row).join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scheme_has_a_line() {
        let json = to_json();
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
        let expected = r#"{"name":"lvmt","id":2,"rootLength":64,"abilities":["keys"],"binary":"lvmt","parameters":true},"#;
        assert_eq!(json.lines().nth(2), Some(expected));
    }
}
