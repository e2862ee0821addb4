//! Nodes of a chain whose log is in a bucket: leaders, standbys, and replicas without a leader.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

mod log {
    mod chain;
    mod commands;
    mod faults;
    mod folders;
    mod leaders;
    mod standbys;
}
