//! Renders a file with its faults.

use std::fmt::Write;
use std::ops::Range;

use crate::site::{FaultForm, FaultSite};

/// A file with faults, and their positions in it.
#[derive(Debug, Default)]
pub struct RenderedFile {
    /// The source.
    pub text: String,
    /// The position of each site, with its index in the list.
    pub sites: Vec<(usize, Range<usize>)>,
    /// The position of each fault, with its site and variant.
    pub variants: Vec<((usize, usize), Range<usize>)>,
}

/// Writes `source` with the faults of its sites.
///
/// `first` has the number of each site's first fault, and `live` the remaining variants of each site; the
/// bytes of `blank` are omitted.
pub fn render(
    source: &str,
    sites: &[FaultSite],
    first: &[u32],
    live: &[Vec<usize>],
    blank: &[Range<usize>],
) -> RenderedFile {
    let mut order: Vec<usize> = (0..sites.len()).filter(|&at| !live[at].is_empty()).collect();
    // From the outermost to the innermost; an insertion comes before a site that begins there.
    order.sort_by_key(|&at| {
        let FaultSite { range, form, .. } = &sites[at];
        (range.start, !range.is_empty(), usize::MAX - range.end, *form)
    });
    let mut writer = FaultWriter {
        source,
        sites,
        first,
        live,
        blank,
        order: &order,
        out: RenderedFile::default(),
    };
    writer.copy(0..source.len());
    writer.out
}

struct FaultWriter<'a> {
    source: &'a str,
    sites: &'a [FaultSite],
    first: &'a [u32],
    live: &'a [Vec<usize>],
    blank: &'a [Range<usize>],
    /// The sites that are still to be written.
    order: &'a [usize],
    out: RenderedFile,
}

impl FaultWriter<'_> {
    /// Writes a range of the source, with all sites in it.
    fn copy(&mut self, range: Range<usize>) {
        let mut done = range.start;
        while let Some((&at, rest)) = self.order.split_first() {
            let site = self.sites[at].range.clone();
            if site.end > range.end
                || site.start >= range.end && !(site.is_empty() && site.start == range.end)
            {
                break;
            }
            debug_assert!(site.start >= done, "sites do not overlap");
            self.plain(done..site.start);
            self.order = rest;
            self.site(at);
            done = site.end;
        }
        self.plain(done..range.end);
    }

    fn plain(&mut self, mut range: Range<usize>) {
        for blank in self.blank {
            if range.start <= blank.start && blank.end <= range.end {
                self.out.text.push_str(&self.source[range.start..blank.start]);
                range.start = blank.end;
            }
        }
        self.out.text.push_str(&self.source[range]);
    }

    fn site(&mut self, at: usize) {
        let site = &self.sites[at];
        let start = self.out.text.len();
        // All variants keep their numbers, including dropped ones.
        let asked =
            format!("::prooflight_mutants_switch::at({}, {})", self.first[at], site.variants.len());
        let live = &self.live[at];
        match site.form {
            FaultForm::Expression => {
                let _ = write!(self.out.text, "(match {asked} {{ ");
                for &variant in live {
                    // The original comes first, so that it determines the type of all.
                    if variant == live[0] {
                        let others: Vec<_> = live.iter().map(|v| (v + 1).to_string()).collect();
                        let _ = write!(
                            self.out.text,
                            "on if !matches!(on, {}) => ",
                            others.join(" | ")
                        );
                        self.copy(site.range.clone());
                        self.out.text.push_str(", ");
                    }
                    let last = Some(&variant) == live.last();
                    let number = if last { "_".to_owned() } else { (variant + 1).to_string() };
                    let _ = write!(self.out.text, "{number} => ");
                    self.variant(at, variant);
                    self.out.text.push_str(", ");
                }
                self.out.text.push_str("})");
            }
            FaultForm::Statement => {
                let _ = write!(self.out.text, "if {asked} == 0 {{ ");
                self.copy(site.range.clone());
                self.out.text.push_str(" }");
                self.out.variants.push(((at, 0), start..self.out.text.len()));
            }
            FaultForm::Start => {
                let _ = write!(self.out.text, " match {asked} {{ ");
                for &variant in live {
                    let _ = write!(self.out.text, "{} => return ", variant + 1);
                    self.variant(at, variant);
                    self.out.text.push_str(", ");
                }
                self.out.text.push_str("_ => {} } ");
            }
            FaultForm::Guard => {
                let _ = write!(self.out.text, " if {asked} == 0 ");
                self.out.variants.push(((at, 0), start..self.out.text.len()));
            }
            FaultForm::Adapter => {
                self.out.text.push('(');
                self.copy(site.range.clone());
                let text = site.variants[0].text.replace("{at}", &format!("{asked} as usize"));
                let _ = write!(self.out.text, "){text}");
                self.out.variants.push(((at, 0), start..self.out.text.len()));
            }
        }
        self.out.sites.push((at, start..self.out.text.len()));
    }

    fn variant(&mut self, at: usize, variant: usize) {
        let start = self.out.text.len();
        self.out.text.push_str(&self.sites[at].variants[variant].text);
        self.out.variants.push(((at, variant), start..self.out.text.len()));
    }
}
