//! A place of faults.

use std::ops::Range;

/// A place in a file where one of several faults can be.
#[derive(Clone, Debug)]
pub struct Site {
    /// The bytes that a fault replaces; empty where it adds something.
    pub range: Range<usize>,
    /// How the faults are written.
    pub form: Form,
    /// The function, with its type.
    pub function: String,
    /// The faults.
    pub variants: Vec<Variant>,
}

/// One fault.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What kind of fault it is.
    pub operator: &'static str,
    /// What stands in the place of the original.
    pub text: String,
    /// The bytes that people are shown as changed: within the site, or what the fault is about.
    pub part: Range<usize>,
    /// What they are changed to.
    pub to: String,
}

/// How a site's faults are written.
///
/// The order is that of sites with the same range, from the outermost to the innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// At the start of a function: the text is what it returns at once.
    Start,
    /// After a pattern: the arm is not taken.
    Guard,
    /// A statement that is left out.
    Statement,
    /// Behind an iterator: the text is the adapter, in which `{at}` is 1 if the fault is on, else 0.
    Adapter,
    /// An expression in the place of another.
    Expression,
}
