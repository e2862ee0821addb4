//! Figures 6 to 8 of the paper on S-Store, on this machine and in memory: `Get` and `Put` by the
//! number of keys, `Hist` by the number of versions, and the bytes of their proofs.
//!
//! `--figures [--quick] [--keys N,N,...] [--sides NAME/NAME...] [--no-history]
//! [--save FILE]`. The file keeps the measurements of other sides and sizes;
//! `crates/testing/bench/figures/chart.mjs` draws it.
//!
//! Each side runs in its own process with one thread. All sides of a size live at once and take
//! turns, so that whatever else the machine does affects them alike; times are processor time.

mod amb;
mod measure;
mod mpt;
mod papers;
mod side;
mod smt;
mod workload;

use std::io::ErrorKind;

use clap::{ArgAction, Parser};
use prooflight_bench::Result;
use serde::{Deserialize, Serialize};

use crate::machine;
use crate::process::SideProcess;
use crate::report;

pub(crate) use measure::serve;
use measure::{HistoryFigures, MemoryFigures, RoundFigures};

/// The sides of figures 6 and 7.
const FIGURE_SIDES: [&str; 6] = ["amb", "S-Store", "MBT", "MBT, more buckets", "MPT", "smt"];
/// The sides of figure 8.
const HISTORY_SIDES: [&str; 5] = ["amb", "S-Store", "MBT", "MPT", "smt"];
/// The other fan-outs of the paper's tree, measured once.
const FAN_OUT_SIDES: [&str; 3] =
    ["S-Store, fan-out 4", "S-Store, fan-out 16", "S-Store, fan-out 32"];
/// The number of keys for which fan-outs are compared.
const FAN_OUT_KEYS: usize = 1_000_000;

/// The size of a run.
#[derive(Parser)]
struct FigurePlan {
    #[arg(long)]
    quick: bool,
    #[arg(long, value_delimiter = ',', default_value = "100000,500000,1000000,1500000")]
    #[arg(default_value_if("quick", "true", "100000"))]
    keys: Vec<usize>,
    #[arg(long, value_delimiter = '/')]
    sides: Vec<String>,
    #[arg(long, default_value = "9", default_value_if("quick", "true", "3"))]
    rounds: usize,
    #[arg(long = "no-history", action = ArgAction::SetFalse)]
    has_history: bool,
    #[arg(long)]
    save: Option<String>,
}

/// The measurements of a run.
#[derive(Default, Serialize, Deserialize)]
struct RunFigures {
    processor: String,
    sizes: Vec<SizeFigures>,
    history: Vec<HistorySeries>,
}

/// The sides at one number of keys.
#[derive(Serialize, Deserialize)]
struct SizeFigures {
    keys: usize,
    sides: Vec<SideFigures>,
}

/// The medians of one side.
#[derive(Serialize, Deserialize)]
struct SideFigures {
    side: String,
    #[serde(flatten)]
    filled: MemoryFigures,
    #[serde(flatten)]
    median: RoundFigures,
}

/// The histories of one side.
#[derive(Serialize, Deserialize)]
struct HistorySeries {
    side: String,
    points: Vec<HistoryFigures>,
}

/// Measures every side, prints the tables, and saves the figures.
pub(crate) fn benchmark(options: &[&str]) -> Result<()> {
    let plan = FigurePlan::parse_from(["--figures"].iter().chain(options));
    println!("{}, load average {}", machine::processor(), machine::load());
    for &keys in &plan.keys {
        let size = plan.size(keys)?;
        size.print();
        plan.save(|figures| figures.add(size))?;
    }
    if plan.has_history {
        let history = plan.history()?;
        print_history(&history);
        plan.save(|figures| figures.add_history(history))?;
    }
    println!("\n{FIGURE_LEGEND}\nLoad average at the end: {}.", machine::load());
    Ok(())
}

const FIGURE_LEGEND: &str = "\
Times are processor time of one operation in microseconds: medians of all rounds. Put one by one
computes the root after each value, Put in blocks after 10,000; Get and Hist make a proof.";

impl FigurePlan {
    /// Measures every side at one number of keys.
    fn size(&self, keys: usize) -> Result<SizeFigures> {
        let fan_outs = FAN_OUT_SIDES.iter().filter(|_| keys == FAN_OUT_KEYS);
        let mut sides = Vec::new();
        for &side in FIGURE_SIDES.iter().chain(fan_outs).filter(|side| self.has(side)) {
            eprintln!("{keys} keys: {side} is filled");
            let mut process = SideProcess::start(&["--figure", side, &keys.to_string()])?;
            let filled: MemoryFigures = process.receive()?;
            sides.push((side, filled, process, Vec::new()));
        }
        for round in 0..self.rounds {
            eprintln!("{keys} keys: round {} of {}", round + 1, self.rounds);
            let count = sides.len().max(1);
            sides.rotate_left(1 % count);
            for (.., process, rounds) in &mut sides {
                rounds.push(process.work()?);
            }
        }
        let mut sides: Vec<_> = sides
            .into_iter()
            .map(|(side, filled, _, rounds)| SideFigures {
                side: side.to_owned(),
                filled,
                median: RoundFigures::median(&rounds),
            })
            .collect();
        sides.sort_by_key(|row| place(&row.side));
        Ok(SizeFigures { keys, sides })
    }

    /// Measures the histories of every side, one side after the other.
    fn history(&self) -> Result<Vec<HistorySeries>> {
        let mut series = Vec::new();
        for side in HISTORY_SIDES.into_iter().filter(|side| self.has(side)) {
            eprintln!("histories: {side}");
            let mut process = SideProcess::start(&["--figure", side, "history"])?;
            let rounds = (0..self.rounds).map(|_| process.work()).collect::<Result<Vec<_>>>()?;
            series.push(HistorySeries {
                side: side.to_owned(),
                points: HistoryFigures::medians(&rounds),
            });
        }
        Ok(series)
    }

    fn has(&self, side: &str) -> bool {
        self.sides.is_empty() || self.sides.iter().any(|it| it == side)
    }

    /// Replaces the same measurements in the file, and keeps the others.
    fn save(&self, change: impl FnOnce(&mut RunFigures)) -> Result<()> {
        let Some(file) = &self.save else { return Ok(()) };
        let mut figures = match std::fs::read_to_string(file) {
            Ok(text) => serde_json::from_str(&text)?,
            Err(error) if error.kind() == ErrorKind::NotFound => RunFigures::default(),
            Err(error) => return Err(error.into()),
        };
        figures.processor = machine::processor();
        change(&mut figures);
        Ok(std::fs::write(file, serde_json::to_string_pretty(&figures)? + "\n")?)
    }
}

impl RunFigures {
    fn add(&mut self, new: SizeFigures) {
        let Some(size) = self.sizes.iter_mut().find(|size| size.keys == new.keys) else {
            self.sizes.push(new);
            return self.sizes.sort_by_key(|size| size.keys);
        };
        size.sides.retain(|row| new.sides.iter().all(|it| it.side != row.side));
        size.sides.extend(new.sides);
        size.sides.sort_by_key(|row| place(&row.side));
    }

    fn add_history(&mut self, new: Vec<HistorySeries>) {
        self.history.retain(|series| new.iter().all(|it| it.side != series.side));
        self.history.extend(new);
        self.history.sort_by_key(|series| place(&series.side));
    }
}

/// The position of a side in a table.
fn place(side: &str) -> Option<usize> {
    FIGURE_SIDES.iter().chain(&FAN_OUT_SIDES).position(|it| *it == side)
}

impl SizeFigures {
    fn print(&self) {
        println!("\n{} keys", self.keys);
        let times = ["", "Put, one by one", "Put, in blocks", "Get", "verified"];
        let [side, one, block, get, verify] = times.map(str::to_owned);
        let [bytes, memory] = ["bytes of a Get", "memory a key"].map(str::to_owned);
        let mut rows = vec![[side, one, block, get, verify, bytes, memory]];
        for SideFigures { side, filled: MemoryFigures { memory, .. }, median } in &self.sides {
            let RoundFigures { put_one, put_block, get, verify, bytes } = median;
            let times = [put_one, put_block, get, verify].map(|time| format!("{time:.2}"));
            let [one, block, get, verify] = times;
            let sizes = [bytes, memory].map(|it| format!("{it:.0}"));
            let [bytes, memory] = sizes;
            rows.push([side.clone(), one, block, get, verify, bytes, memory]);
        }
        report::print(&rows, 1);
        for SideFigures { side, filled, .. } in &self.sides {
            if let Some(range) = filled.range {
                println!(
                    "{side}: a Range of 1,000 has {range:.3} times the bytes of its keys and values"
                );
            }
        }
    }
}

fn print_history(history: &[HistorySeries]) {
    println!("\nHist of the newest versions of a key, 100,000 keys");
    let mut rows = vec![["", "versions", "Hist", "verified", "bytes"].map(str::to_owned)];
    for HistorySeries { side, points } in history {
        for HistoryFigures { versions, time, verify, bytes } in points {
            let [time, verify] = [time, verify].map(|time| format!("{time:.2}"));
            rows.push([side.clone(), versions.to_string(), time, verify, format!("{bytes:.0}")]);
        }
    }
    report::print(&rows, 1);
}
