//! Records the compiler's version for the benchmark's first lines.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().ok();
    let version = output.and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=RUSTC_VERSION={}", version.as_deref().unwrap_or("rustc").trim());
}
