//! The program prints only the origins of URLs: the other parts may contain a password or a key.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::process::Command;

/// Secrets in each part of a URL, and in misspelt URLs.
const URLS: [&str; 6] = [
    "http://me:SECRET@127.0.0.1:1/SECRET?key=SECRET#SECRET",
    "http://127.0.0.1:1/SECRET?key=SECRET",
    "https://SECRET@127.0.0.1:1/",
    "http://me:SEC/SECRET@127.0.0.1:1/",
    "http://127.0.0.1:port/SECRET",
    "s3://me:SECRET@bucket/folder?SECRET",
];

/// Runs the program with environment variables; returns its output.
fn printed(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let variables = variables.iter().copied();
    let ended = Command::new(harness::PROGRAM).args(arguments).envs(variables).output().unwrap();
    let printed = harness::text(&[ended.stdout, ended.stderr].concat());
    assert!(!printed.is_empty(), "{arguments:?}");
    printed
}

#[test]
fn no_option_shows_more_of_a_url_than_its_origin() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let key = folder.path().join("key");
    let key = key.to_str().unwrap();
    printed(&["keygen", key], &[]);
    for url in URLS {
        for arguments in [
            &["run", "--data-dir", data, "--follow", url][..],
            &["run", "--data-dir", data, "--log", url],
            &["run", "--data-dir", data, "--log", "memory:///", "--leader", url, "--standby"],
            &["run", "--data-dir", data, "--listen", url],
            &["run", "--data-dir", data, "--log-moved-from", url],
            &["run", url],
            &["serve", "--data-dir", data, "--log", url],
            &["serve", "--data-dir", data, "--log", "memory:///", "--leader", url, "--sync"],
            &["serve-history", "--snapshots", data, "--node", url],
            &["serve-history", "--snapshots", data, "--log", url, "--checkpoint", key],
            &["authority", "--data-dir", data, "--key", key, "--leader", url],
            &["promote", "--admin", url],
            &["copy", url, url],
            &["checkpoint", "--data-dir", url],
            &[url],
        ] {
            let printed = printed(arguments, &[]);
            assert!(!printed.contains("SECRET"), "{arguments:?}: {printed}");
        }
    }
}

#[test]
fn no_help_and_no_file_of_settings_shows_more_of_a_url_than_its_origin() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.toml");
    for url in &URLS[..5] {
        for command in ["run", "serve", "authority", "serve-history", "promote", "copy"] {
            let names = ["FOLLOW", "LEADER", "LOG", "LOG_URL", "NODE", "ADMIN", "LOG_MOVED_FROM"];
            let names = names.map(|name| format!("PROOFLIGHT_{name}"));
            let variables = names.iter().map(|name| (name.as_str(), *url)).collect::<Vec<_>>();
            let help = printed(&[command, "--help"], &variables);
            assert!(!help.contains("SECRET"), "{command}: {help}");
        }
        for settings in [
            format!("follow = \"{url}\"\nsync = \"{url}\"\n"),
            format!("follow = \"{url}\n"),
            format!("folow = \"{url}\"\n"),
            format!("follow = {url}\n"),
        ] {
            fs::write(&file, &settings).unwrap();
            let printed = printed(&["run", "--config", file.to_str().unwrap()], &[]);
            assert!(!printed.contains("SECRET"), "{settings}: {printed}");
        }
    }
}
