//! Writes the generated vector files, or checks that they are up to date. See `CONTRIBUTING.md`.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use prooflight_vectors::generate::{self, kept, kept::BrokenPart};

const USAGE: &str = "\
usage: generate FOLDER [--check]                        write the files, or fail if a byte differs
       generate FOLDER --add FILE ROWS                  and add the tests of a file of rows
       generate FOLDER --damage FILE SOURCE TCID PLACE  and every small change of bytes of a test's input
       generate FOLDER --malform FILE SOURCE TCID BUT*  and all that breaks the form of a test's input";

fn main() -> ExitCode {
    let arguments = env::args().skip(1).collect::<Vec<_>>();
    let arguments = arguments.iter().map(String::as_str).collect::<Vec<_>>();
    let done = match arguments[..] {
        [folder] => write(Path::new(folder), false),
        [folder, "--check"] | ["--check", folder] => write(Path::new(folder), true),
        [folder, "--add", file, rows] => change(Path::new(folder), file, |committed| {
            kept::add(committed, &read(Path::new(rows))?)
        }),
        [folder, "--damage", file, source, number, place] => {
            add_broken(Path::new(folder), file, source, number, &BrokenPart::Bytes(place))
        }
        [folder, "--malform", file, source, number, ref but @ ..] => {
            add_broken(Path::new(folder), file, source, number, &BrokenPart::Form(but))
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(changed) => ExitCode::from(u8::from(changed)),
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(1)
        }
    }
}

/// Writes the files; with `check`, only reports whether one would change.
fn write(folder: &Path, check: bool) -> Result<bool, String> {
    let mut differs = false;
    for (path, content) in generate::files(folder).map_err(|error| io_problem(folder, &error))? {
        let path = folder.join(path);
        let unchanged = fs::read(&path).is_ok_and(|found| found == content.as_bytes());
        let done = match (unchanged, check) {
            (true, _) => "is up to date",
            (false, true) => "differs: run npm run vectors",
            (false, false) => "written",
        };
        println!("{}: {done}", path.display());
        if !unchanged && !check {
            fs::write(&path, &content).map_err(|error| io_problem(&path, &error))?;
        }
        differs |= !unchanged && check;
    }
    Ok(differs)
}

/// Changes a file of kept tests, then writes all.
fn change(
    folder: &Path,
    file: &str,
    change: impl Fn(&str) -> Result<String, String>,
) -> Result<bool, String> {
    let path = folder.join(file);
    let changed = change(&read(&path)?)?;
    fs::write(&path, changed).map_err(|error| io_problem(&path, &error))?;
    write(folder, false)
}

fn add_broken(
    folder: &Path,
    file: &str,
    source: &str,
    number: &str,
    what: &BrokenPart<'_>,
) -> Result<bool, String> {
    let number = number.parse().map_err(|error| format!("{number}: {error}"))?;
    let source = read(&folder.join(source))?;
    change(folder, file, |committed| kept::add_broken(committed, &source, number, what))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| io_problem(path, &error))
}

fn io_problem(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
