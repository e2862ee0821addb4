//! Plants faults in crates, and drops those that do not compile.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Serialize;

use crate::compile::{CompilerError, cargo};
use crate::find::{ConstFunction, find};
use crate::render::{RenderedFile, render};
use crate::site::{FaultForm, FaultSite};

/// Code that the vectors do not run: the stores of provers, hexadecimal digits for messages, and the encoder
/// of nodes, which only provers and `prooflight-ethereum` use.
const SKIPPED_SOURCES: &[(&str, &[&str])] =
    &[("core", &["store", "hex.rs"]), ("mpt", &["encode.rs"])];

/// Faults planted in the verifiers of a tree.
#[derive(Debug)]
pub struct PlantedFaults {
    files: Vec<SourceFile>,
}

#[derive(Debug)]
struct SourceFile {
    /// The crate's name without `prooflight-`.
    crate_name: String,
    /// The path from the tree's root.
    path: String,
    source: String,
    sites: Vec<FaultSite>,
    first: Vec<u32>,
    /// The variants of each site that still compile.
    live: Vec<Vec<usize>>,
    lines: BTreeSet<usize>,
    constants: Vec<ConstFunction>,
    /// Functions that are no longer `const` because they call one that is not.
    drawn: BTreeSet<usize>,
    rendered: RenderedFile,
}

/// A fault, as reported.
#[derive(Debug, Serialize)]
pub struct Mutant {
    /// Its number in the build.
    pub id: u32,
    /// The number of the first fault of its site.
    pub place: u32,
    /// The crate.
    #[serde(rename = "crate")]
    pub crate_name: String,
    /// The file, from the tree's root.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The function, with its type.
    pub function: String,
    /// The kind of the fault.
    pub operator: &'static str,
    /// The changed code, as whole lines joined into one.
    pub before: String,
    /// The code after the change.
    pub after: String,
    /// Whether it compiles.
    pub compiles: bool,
}

impl PlantedFaults {
    /// Finds the faults in these crates of a tree, named without `prooflight-`.
    ///
    /// A tree of an older commit may lack some of the crates.
    pub fn find(tree: &Path, crates: &[String]) -> Result<Self, String> {
        // The schemes of `light` are features of their names.
        let features: Vec<_> = crates.iter().map(String::as_str).chain(["chain"]).collect();
        let skipped = |name: &str| {
            SKIPPED_SOURCES.iter().find(|(of, _)| *of == name).map_or(&[][..], |it| it.1)
        };
        let mut files = Vec::new();
        let mut next = 1;
        for name in crates {
            let skipped = skipped(name);
            let folder = format!("crates/{name}/src");
            if !tree.join(&folder).exists() {
                continue;
            }
            let mut open = vec![PathBuf::from("lib.rs")];
            while let Some(module) = open.pop() {
                let path = format!("{folder}/{}", module.display());
                let source = fs::read_to_string(tree.join(&path))
                    .map_err(|error| format!("{path}: {error}"))?;
                let found = find(&source, &features).map_err(|error| format!("{path}: {error}"))?;
                for name in &found.modules {
                    open.push(module_file(&tree.join(&folder), &module, name)?);
                }
                if skipped.iter().any(|skipped| module.starts_with(skipped)) {
                    continue;
                }
                let mut first = Vec::new();
                for site in &found.sites {
                    first.push(next);
                    next += u32::try_from(site.variants.len()).unwrap_or(u32::MAX);
                }
                files.push(SourceFile {
                    crate_name: name.clone(),
                    path,
                    source,
                    live: found
                        .sites
                        .iter()
                        .map(|site| (0..site.variants.len()).collect())
                        .collect(),
                    first,
                    sites: found.sites,
                    lines: found.lines,
                    constants: found.constants,
                    drawn: BTreeSet::new(),
                    rendered: RenderedFile::default(),
                });
            }
        }
        Ok(Self { files })
    }

    /// Writes the sources with the faults below `scratch`, and compiles the runner there, without the faults
    /// that do not compile.
    ///
    /// Calls `report` with its progress.
    pub fn build(&mut self, scratch: &Path, report: &mut dyn FnMut(String)) -> Result<(), String> {
        self.write(scratch)?;
        for command in [&["check"][..], &["build", "--release"]] {
            let arguments = [command, &["--package", "prooflight-mutants-runner"]].concat();
            let mut round = 1;
            loop {
                report(format!(
                    "cargo {}, round {round}: {} faults",
                    command[0],
                    self.live_faults()
                ));
                let complaints = cargo(scratch, &arguments)?;
                if complaints.is_empty() {
                    break;
                }
                let mut moved = false;
                for complaint in &complaints {
                    moved |= self.drop_faults(complaint);
                }
                if !moved {
                    let shown: Vec<_> =
                        complaints.iter().filter_map(|one| one.rendered.as_deref()).collect();
                    return Err(format!("no fault is to blame:\n{}", shown.join("\n")));
                }
                self.write(scratch)?;
                round += 1;
            }
        }
        Ok(())
    }

    /// All faults, including those that do not compile.
    pub fn mutants(&self) -> Vec<Mutant> {
        let mut mutants = Vec::new();
        for file in &self.files {
            for ((site, &first), live) in file.sites.iter().zip(&file.first).zip(&file.live) {
                for (at, variant) in site.variants.iter().enumerate() {
                    let Range { start, end } = variant.part;
                    let (before, after) = file.source.split_at(start);
                    let head = before.rfind('\n').map_or(0, |at| at + 1);
                    let tail = after.get(end - start..).and_then(|rest| rest.find('\n'));
                    let tail = tail.map_or(file.source.len(), |at| end + at);
                    let changed = [&file.source[head..start], &variant.to, &file.source[end..tail]];
                    mutants.push(Mutant {
                        id: first + u32::try_from(at).unwrap_or(0),
                        place: first,
                        crate_name: file.crate_name.clone(),
                        file: file.path.clone(),
                        line: before.matches('\n').count() + 1,
                        function: site.function.clone(),
                        operator: variant.operator,
                        before: one_line(&file.source[head..tail]),
                        after: one_line(&changed.concat()),
                        compiles: live.contains(&at),
                    });
                }
            }
        }
        mutants
    }

    /// The lines of code of each file.
    pub fn lines(&self) -> impl Iterator<Item = (&str, &BTreeSet<usize>)> {
        self.files.iter().map(|file| (file.path.as_str(), &file.lines))
    }

    fn live_faults(&self) -> usize {
        self.files.iter().flat_map(|file| &file.live).map(Vec::len).sum()
    }

    fn write(&mut self, scratch: &Path) -> Result<(), String> {
        for file in &mut self.files {
            let blank = file.blank();
            let rendered = render(&file.source, &file.sites, &file.first, &file.live, &blank);
            if rendered.text != file.rendered.text {
                let path = scratch.join(&file.path);
                fs::write(&path, &rendered.text)
                    .map_err(|error: io::Error| format!("{}: {error}", path.display()))?;
            }
            file.rendered = rendered;
        }
        Ok(())
    }

    /// Drops the faults that a compiler error is about; returns false if there are none.
    fn drop_faults(&mut self, complaint: &CompilerError) -> bool {
        if let Some(name) = complaint.not_constant() {
            return self.not_constant(complaint, name);
        }
        // Drop the innermost fault that contains the error; otherwise one that it mentions; otherwise all of
        // the innermost site; otherwise the removed statements within its range; otherwise everything there.
        let places = complaint.locations();
        for way in [
            SourceFile::drop_fault,
            SourceFile::drop_site,
            SourceFile::drop_statements,
            SourceFile::drop_all,
        ] {
            for place in &places {
                let file = self.files.iter_mut().find(|file| file.path == place.file_name);
                if file.is_some_and(|file| way(file, &(place.byte_start..place.byte_end))) {
                    return true;
                }
            }
        }
        false
    }

    /// Handles a call of a function that lost its `const` where that is needed: the caller loses it, too; if
    /// the call is not in a function, the callee gets it back.
    fn not_constant(&mut self, complaint: &CompilerError, name: &str) -> bool {
        for place in complaint.locations().into_iter().filter(|place| place.is_primary) {
            let Some(file) = self.files.iter_mut().find(|file| file.path == place.file_name) else {
                continue;
            };
            let before = file.original(place.byte_start);
            if let Some(at) = file.constants.iter().position(|one| one.body.contains(&before)) {
                return file.drawn.insert(at);
            }
        }
        let mut moved = false;
        for file in &mut self.files {
            let bodies: Vec<_> = file
                .constants
                .iter()
                .filter(|one| one.name == name)
                .map(|one| one.body.clone())
                .collect();
            for body in bodies {
                for (site, live) in file.sites.iter().zip(&mut file.live) {
                    if body.start <= site.range.start
                        && site.range.end <= body.end
                        && !live.is_empty()
                    {
                        live.clear();
                        moved = true;
                    }
                }
            }
        }
        moved
    }
}

impl SourceFile {
    /// The bytes of `const` before functions with faults.
    fn blank(&self) -> Vec<Range<usize>> {
        let has_faults = |one: &ConstFunction| {
            let sites = self.sites.iter().zip(&self.live);
            let mut inside = sites.filter(|(site, live)| {
                !live.is_empty()
                    && one.body.start <= site.range.start
                    && site.range.end <= one.body.end
            });
            inside.next().is_some()
        };
        let constants = self.constants.iter().enumerate();
        constants
            .filter(|(at, one)| self.drawn.contains(at) || has_faults(one))
            .map(|(_, one)| one.word.clone())
            .collect()
    }

    /// The approximate source position of a rendered byte: the start of the outermost site that contains it.
    fn original(&self, at: usize) -> usize {
        // Subtract the text that faults add before it.
        let mut outer: Vec<_> =
            self.rendered.sites.iter().filter(|(_, range)| range.start <= at).collect();
        outer.sort_by_key(|(_, range)| range.start);
        let mut added = 0;
        let mut end = 0;
        for (site, range) in outer {
            if range.start < end {
                continue;
            }
            if range.contains(&at) {
                return self.sites[*site].range.start;
            }
            end = range.end;
            added += range.len() - self.sites[*site].range.len();
        }
        let blank: usize =
            self.blank().iter().filter(|one| one.start + added < at).map(Range::len).sum();
        at - added + blank
    }

    /// Drops the innermost fault that contains these bytes; returns false if there is none.
    fn drop_fault(&mut self, bytes: &Range<usize>) -> bool {
        let places = self.rendered.sites.iter().filter(|(_, range)| has(range, bytes));
        let innermost = places.map(|(_, range)| range.len()).min();
        let faults = self.rendered.variants.iter().filter(|(_, range)| has(range, bytes));
        let Some(((site, variant), range)) = faults.min_by_key(|(_, range)| range.len()) else {
            return false;
        };
        // An error in a nested site is not due to the fault that removes the whole statement.
        if innermost.is_some_and(|inner| inner < range.len()) {
            return false;
        }
        // It may already be dropped because of another error.
        self.live[*site].retain(|one| one != variant);
        true
    }

    /// Drops all faults of the innermost site that contains these bytes.
    fn drop_site(&mut self, bytes: &Range<usize>) -> bool {
        let places = self.rendered.sites.iter().filter(|(_, range)| has(range, bytes));
        let innermost = places.min_by_key(|(_, range)| range.len());
        innermost.is_some_and(|(site, _)| !std::mem::take(&mut self.live[*site]).is_empty())
    }

    /// Drops the faults that remove statements within these bytes.
    fn drop_statements(&mut self, bytes: &Range<usize>) -> bool {
        self.drop_within(bytes, |form| matches!(form, FaultForm::Statement | FaultForm::Guard))
    }

    /// Drops all faults within these bytes.
    fn drop_all(&mut self, bytes: &Range<usize>) -> bool {
        self.drop_within(bytes, |_| true)
    }

    fn drop_within(&mut self, bytes: &Range<usize>, which: impl Fn(FaultForm) -> bool) -> bool {
        let mut moved = false;
        for (site, range) in &self.rendered.sites {
            if has(bytes, range) && which(self.sites[*site].form) {
                moved |= !std::mem::take(&mut self.live[*site]).is_empty();
            }
        }
        moved
    }
}

fn has(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The file of a module.
fn module_file(folder: &Path, parent: &Path, name: &str) -> Result<PathBuf, String> {
    let stem = parent.file_stem().unwrap_or_default();
    let own = ["lib", "mod"].iter().any(|own| stem == *own);
    let inside = if own { parent.with_file_name("") } else { parent.with_extension("") };
    let candidates = [inside.join(format!("{name}.rs")), inside.join(name).join("mod.rs")];
    let found = candidates.into_iter().find(|path| folder.join(path).exists());
    found.ok_or_else(|| format!("{}: no file of the module {name}", parent.display()))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
