//! A fault site.

use std::ops::Range;

/// A place in a file that can have one of several faults.
#[derive(Clone, Debug)]
pub struct FaultSite {
    /// The bytes that a fault replaces; empty if it inserts something.
    pub range: Range<usize>,
    /// How the faults are rendered.
    pub form: FaultForm,
    /// The function, qualified with its type.
    pub function: String,
    /// The faults.
    pub variants: Vec<FaultVariant>,
}

/// One fault.
#[derive(Clone, Debug)]
pub struct FaultVariant {
    /// The kind of the fault.
    pub operator: &'static str,
    /// The text that replaces the original.
    pub text: String,
    /// The bytes shown to people as changed: within the site, or the code that the fault is about.
    pub part: Range<usize>,
    /// The text shown as their replacement.
    pub to: String,
}

/// How a site's faults are rendered.
///
/// Ordered from the outermost to the innermost, for sites with the same range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultForm {
    /// At the start of a function, which returns the text immediately.
    Start,
    /// After a pattern: the arm is skipped.
    Guard,
    /// A statement that is skipped.
    Statement,
    /// After an iterator: the text is the adapter, in which `{at}` is 1 if the fault is active,
    /// else 0.
    Adapter,
    /// An expression that replaces another.
    Expression,
}
