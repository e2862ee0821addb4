//! The files for systemd and Docker match the program.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::path::Path;
use std::process::Command;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn the_image_is_built_with_the_pinned_toolchain() {
    let pinned = read("../../rust-toolchain.toml");
    let pinned = pinned.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap();
    let image = format!("FROM rust:{}-", pinned.trim_matches('"'));
    assert!(read("deploy/Dockerfile").contains(&image), "{image}");
}

#[test]
fn the_alert_rules_pass_their_tests() {
    let promtool = |arguments: &[&str]| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
        Command::new("promtool").args(arguments).current_dir(folder).output()
    };
    if promtool(&["--version"]).is_err() {
        println!("skipped: promtool of Prometheus is not installed");
        return;
    }
    for arguments in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]] {
        let ended = promtool(&arguments).unwrap();
        let said = harness::text(&[ended.stdout, ended.stderr].concat());
        assert!(ended.status.success(), "{arguments:?}: {said}");
    }
}

#[test]
fn the_variables_are_settings_of_the_node() {
    let help = Command::new(harness::PROGRAM).args(["run", "--help"]).output().unwrap();
    let help = harness::text(&help.stdout);
    for file in ["Dockerfile", "prooflight-node.service", "standby.conf", "reader.conf"] {
        let file = read(&format!("deploy/{file}"));
        let named: Vec<&str> = file
            .split(|c: char| !c.is_ascii_uppercase() && c != '_')
            .filter(|word| word.starts_with("PROOFLIGHT_") && *word != "PROOFLIGHT_")
            .collect();
        assert!(!named.is_empty());
        for name in named {
            assert!(help.contains(&format!("[env: {name}=]")), "{name}");
        }
    }
}
