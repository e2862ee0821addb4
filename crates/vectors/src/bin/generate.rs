//! Writes the generated vector files, or checks that they are what they would be.
//!
//! `generate FOLDER` writes; `generate FOLDER --check` fails if a byte differs.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use prooflight_vectors::generate;

fn main() -> ExitCode {
    let arguments = env::args().skip(1).collect::<Vec<_>>();
    let (folder, check) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [folder] => (folder, false),
        [folder, "--check"] | ["--check", folder] => (folder, true),
        _ => {
            eprintln!("usage: generate FOLDER [--check]");
            return ExitCode::from(2);
        }
    };
    let folder = Path::new(folder);
    let files = match generate::files(folder) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            return ExitCode::from(1);
        }
    };
    let mut failed = false;
    for (path, content) in files {
        let path = folder.join(path);
        let unchanged = fs::read(&path).is_ok_and(|found| found == content.as_bytes());
        let done = match (unchanged, check) {
            (true, _) => Ok("is up to date"),
            (false, true) => Err("differs: run npm run vectors".to_owned()),
            (false, false) => {
                fs::write(&path, &content).map(|()| "written").map_err(|error| error.to_string())
            }
        };
        match done {
            Ok(done) => println!("{}: {done}", path.display()),
            Err(problem) => {
                eprintln!("{}: {problem}", path.display());
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}
