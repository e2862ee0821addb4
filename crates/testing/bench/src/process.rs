//! The processes of the two sides, as the benchmark controls them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use prooflight_bench::Result;
use serde::de::DeserializeOwned;

use crate::runner::RunMeasurement;

/// Both sides of one role, which alternate.
pub(crate) struct ProcessPair {
    ours: SideProcess,
    peer: SideProcess,
    rounds: usize,
}

impl ProcessPair {
    pub(crate) fn start(role: &str) -> Result<Self> {
        let start = |side| SideProcess::start(&["--contender", side, role]);
        let (ours, peer) = (start("ours")?, start("peer")?);
        Ok(Self { ours, peer, rounds: 0 })
    }

    /// Loads the same work on both sides.
    pub(crate) fn load(&mut self, json: &str) -> Result<()> {
        self.ours.send(json)?;
        self.peer.send(json)
    }

    /// Runs both at once, when their times do not count.
    pub(crate) fn work(&mut self) -> Result<RunMeasurement> {
        self.ours.send("")?;
        self.peer.send("")?;
        let answers: [RunMeasurement; 2] = [self.ours.receive()?, self.peer.receive()?];
        same(&answers)?;
        let [ours, _] = answers;
        Ok(ours)
    }

    /// Runs one after the other, in the opposite order next time; the results must agree.
    pub(crate) fn compete(&mut self) -> Result<[RunMeasurement; 2]> {
        let answers = if self.rounds.is_multiple_of(2) {
            let ours = self.ours.work()?;
            [ours, self.peer.work()?]
        } else {
            let peer = self.peer.work()?;
            [self.ours.work()?, peer]
        };
        self.rounds += 1;
        same(&answers)?;
        Ok(answers)
    }
}

/// Fails if the sides differ: their times would be meaningless.
fn same([ours, peer]: &[RunMeasurement; 2]) -> Result<()> {
    if ours.digests == peer.digests && ours.proof == peer.proof {
        return Ok(());
    }
    Err("ours and the peer have different digests or proofs".into())
}

/// A process of this program that measures, line by line.
pub(crate) struct SideProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl SideProcess {
    pub(crate) fn start(args: &[&str]) -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a process without pipes".into());
        };
        Ok(Self { child, input, output: BufReader::new(output) })
    }

    /// Has the process measure once.
    pub(crate) fn work<T: DeserializeOwned>(&mut self) -> Result<T> {
        self.send("")?;
        self.receive()
    }

    fn send(&mut self, line: &str) -> Result<()> {
        self.input.write_all(line.as_bytes())?;
        Ok(self.input.write_all(b"\n")?)
    }

    /// Waits for a line of the process.
    pub(crate) fn receive<T: DeserializeOwned>(&mut self) -> Result<T> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("a process of the benchmark ended early".into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for SideProcess {
    fn drop(&mut self) {
        // The process is no longer needed and may have gigabytes to free. It may also have exited
        // already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
