//! Runs the vectors against planted faults: `runner TEST_VECTORS`.
//!
//! Each input line has the number of a fault and that of the first fault of its site. For each, it
//! prints a line: the fault, `killed`, `panicked`, `survived` or `unreached`, the number of tests
//! run, and the test that failed. Between tests it prints dots, so that the reader can tell a slow
//! machine from a verifier that never ends.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs};

use prooflight_mutants_switch::{reached, turn_on};
use prooflight_vectors::file::{TestGroup, VectorFile};

/// A test that takes longer is not tried early, whatever it has detected.
const MAX_QUICK_TIME: Duration = Duration::from_millis(5);

/// One test, as a vector file of its own.
struct SingleTest {
    name: String,
    json: String,
    cost: Duration,
    /// Higher if the test detected a fault recently; such tests are tried early.
    merit: u64,
}

fn main() -> ExitCode {
    let Some(folder) = env::args().nth(1) else {
        eprintln!("usage: prooflight-mutants-runner TEST_VECTORS");
        return ExitCode::FAILURE;
    };
    match work(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn work(folder: &Path) -> Result<(), String> {
    let mut tests = Vec::new();
    for path in vector_files(folder)? {
        tests.extend(split(folder, &path)?);
    }
    let places = survey(&mut tests)?;
    println!("ready {} {}", tests.len(), places.len());
    // Panics caused by faults are caught; their messages are of no interest.
    std::panic::set_hook(Box::new(|_| ()));
    for (merit, line) in (1..).zip(io::stdin().lock().lines()) {
        let line = line.map_err(|error| error.to_string())?;
        let numbers: Option<Vec<u32>> = line.split(' ').map(|word| word.parse().ok()).collect();
        let Some([fault, place]) = numbers.as_deref() else {
            return Err(format!("expected FAULT PLACE, found {line}"));
        };
        let outcome = match places.get(place) {
            Some(known) => attempt(*fault, known, &mut tests, merit),
            None => "unreached 0".to_owned(),
        };
        println!("{fault} {outcome}");
    }
    Ok(())
}

/// Lists the vector files for verifiers. Skips `state-roots`, which is for programs that keep the
/// state, and folders named `data`, which hold files that vectors refer to.
fn vector_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in
            fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?
        {
            let path = entry.map_err(|error| error.to_string())?.path();
            let is = |name: &str| path.file_name().is_some_and(|found| found == name);
            if path.is_dir() {
                if !["schema", "state-roots", "data"].iter().any(|name| is(name)) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn split(folder: &Path, path: &Path) -> Result<Vec<SingleTest>, String> {
    let name = path.strip_prefix(folder).unwrap_or(path).display();
    let json = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let file = VectorFile::parse(&json).map_err(|error| format!("{name}: {error}"))?;
    let groups = file.test_groups.iter();
    let tests = groups.flat_map(|group| group.tests.iter().map(|test| (&group.group_type, test)));
    tests
        .map(|(group_type, test)| {
            let group = TestGroup { group_type: group_type.clone(), tests: vec![test.clone()] };
            let alone = VectorFile { number_of_tests: 1, test_groups: vec![group], ..shell(&file) };
            Ok(SingleTest {
                name: format!("{name} {} ({})", test.tc_id, test.comment),
                json: serde_json::to_string(&alone).map_err(|error| error.to_string())?,
                cost: Duration::ZERO,
                merit: 0,
            })
        })
        .collect()
}

fn shell(file: &VectorFile) -> VectorFile {
    VectorFile {
        schema: file.schema.clone(),
        scheme: file.scheme.clone(),
        origin: file.origin.clone(),
        license: file.license.clone(),
        number_of_tests: 0,
        notes: serde_json::Map::new(),
        test_groups: Vec::new(),
    }
}

/// Runs every test without a fault; returns each fault site with the tests that reach it.
fn survey(tests: &mut [SingleTest]) -> Result<BTreeMap<u32, Vec<usize>>, String> {
    let mut places: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    turn_on(0);
    reached().for_each(drop);
    for (at, test) in tests.iter_mut().enumerate() {
        let start = Instant::now();
        if !passes(&test.json) {
            return Err(format!("{} fails without a fault", test.name));
        }
        test.cost = start.elapsed();
        for place in reached() {
            places.entry(place).or_default().push(at);
        }
    }
    Ok(places)
}

/// Runs the tests that reach a fault until one fails: first those that detected a fault most
/// recently, then the fast ones.
fn attempt(fault: u32, known: &[usize], tests: &mut [SingleTest], merit: u64) -> String {
    let mut order = known.to_vec();
    order.sort_by_key(|&at| (u64::MAX - tests[at].merit, tests[at].cost));
    let mut shown = Instant::now();
    for (count, at) in (1..).zip(order) {
        turn_on(fault);
        let outcome = catch_unwind(AssertUnwindSafe(|| passes(&tests[at].json)));
        turn_on(0);
        if !matches!(outcome, Ok(true)) {
            if tests[at].cost < MAX_QUICK_TIME {
                tests[at].merit = merit;
            }
            let how = if outcome.is_ok() { "killed" } else { "panicked" };
            return format!("{how} {count} {}", tests[at].name);
        }
        if shown.elapsed() > Duration::from_millis(500) {
            println!(".");
            let _ = io::stdout().flush();
            shown = Instant::now();
        }
    }
    format!("survived {}", known.len())
}

fn passes(json: &str) -> bool {
    prooflight_vectors::run(json).is_ok_and(|report| report.failed() == 0)
}
