//! The clients in the settings: `--token-file`, and the tables of the settings file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use prooflight_core::{Error, Reason, Result};
use prooflight_node::api::clients::{ClientRegistry, ClientRules};
use prooflight_node::runtime::files;
use serde::Deserialize;

use super::exit::file_error;

/// The table `anonymous`, or one of `clients.NAME`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct ClientSettings {
    token_file: Option<PathBuf>,
    read: Option<bool>,
    submit: Option<bool>,
    calls_per_second: Option<u32>,
    calls_at_once: Option<u32>,
}

/// The clients in the settings. Without clients, everybody may do everything.
pub(super) fn clients(
    token_file: Option<&Path>,
    anonymous: &ClientSettings,
    named: &BTreeMap<String, ClientSettings>,
) -> Result<ClientRegistry> {
    if anonymous.token_file.is_some() {
        let expected = "no token-file in [anonymous]";
        return Err(Error::new(Reason::InvalidArgument, expected, "one"));
    }
    let everybody = token_file.is_none() && named.is_empty();
    let mut clients = ClientRegistry::new(rules("anonymous", anonymous, everybody)?);
    if let Some(path) = token_file {
        clients.add("token-file", &read_token(path)?, ClientRules::ALL)?;
    }
    for (name, settings) in named {
        let Some(path) = &settings.token_file else {
            let expected = format_args!("a token-file in [clients.{name}]");
            return Err(Error::new(Reason::InvalidArgument, expected, "none"));
        };
        clients.add(name, &read_token(path)?, rules(name, settings, false)?)?;
    }
    Ok(clients)
}

/// The clients of the listener for authorities, which need a token if there is a token file.
pub(super) fn authorities(token_file: Option<&Path>) -> Result<ClientRegistry> {
    let mut clients =
        ClientRegistry::new(ClientRules { submit: token_file.is_none(), ..ClientRules::ALL });
    if let Some(path) = token_file {
        clients.add("authority-token-file", &read_token(path)?, ClientRules::ALL)?;
    }
    Ok(clients)
}

fn rules(name: &str, settings: &ClientSettings, submit: bool) -> Result<ClientRules> {
    let &ClientSettings { read, calls_per_second, calls_at_once, .. } = settings;
    if calls_per_second == Some(0) || calls_at_once == Some(0) {
        let expected = format_args!("limits of at least 1 for {name}, or `read = false`");
        return Err(Error::new(Reason::InvalidArgument, expected, 0));
    }
    let submit = settings.submit.unwrap_or(submit);
    Ok(ClientRules { read: read.unwrap_or(true), submit, calls_per_second, calls_at_once })
}

/// Reads a bearer token.
pub(super) fn read_token(path: &Path) -> Result<String> {
    let token = files::read_to_string(path).map_err(|error| file_error(path, &error))?;
    let token = token.trim();
    if token.is_empty() {
        let expected = format_args!("a token in {}", path.display());
        return Err(Error::new(Reason::InvalidArgument, expected, "nothing"));
    }
    Ok(token.to_owned())
}
