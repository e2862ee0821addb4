//! A claim about one entry of a vector, and the points that prove it.

use prooflight_core::{Error, Reason, Result};

use crate::domain::Domain;
use crate::point::PointBytes;
use crate::scalar::Scalar;

/// How an entry is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpeningKind {
    /// One point per level of a tree of arity `2^log_arity`. For provers that maintain a dense
    /// vector.
    Tree {
        /// Divides `log_n`; 1, 2 and 4 are the arities 2, 4 and 16.
        log_arity: u8,
    },
    /// One point, computed from all nonzero entries. For sparse vectors.
    Single,
}

/// The claim that a committed vector has a value at an index, and the points that prove it.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// The commitment of the vector. The caller trusts it or has proved it by other means.
    pub commitment: PointBytes,
    /// The index of the entry, below `2^log_n`.
    pub index: u32,
    /// The value of the entry.
    pub value: Scalar,
    /// How the entry is opened.
    pub kind: OpeningKind,
    /// The opening points, [`OpeningKind::points`] of them. For a tree they start at the first level, the
    /// one paired with the largest powers.
    pub points: &'a [PointBytes],
}

impl OpeningKind {
    /// Returns the number of points of an opening; `invalid_argument` if the arity does not fit
    /// vectors of `2^log_n`.
    pub fn points(self, log_n: u8) -> Result<usize> {
        match self {
            Self::Single => Ok(1),
            Self::Tree { log_arity } => match log_n.checked_rem(log_arity) {
                Some(0) => Ok(usize::from(log_n / log_arity)),
                _ => Err(Error::new(
                    Reason::InvalidArgument,
                    format_args!("a log_arity that divides {log_n}"),
                    log_arity,
                )),
            },
        }
    }

    /// Returns the exponents j of the setup's powers `tau^(2^j)` that the points are paired with,
    /// in order.
    pub(crate) fn bases(self, log_n: u8) -> impl Iterator<Item = u8> {
        let step = match self {
            Self::Tree { log_arity } => log_arity,
            Self::Single => log_n,
        };
        (0..log_n).step_by(usize::from(step)).rev()
    }

    /// Returns the byte that encodes the kind in a transcript.
    pub(crate) const fn tag(self) -> u8 {
        match self {
            Self::Single => 0,
            Self::Tree { log_arity } => log_arity,
        }
    }
}

impl Opening<'_> {
    /// Checks that the index is in the domain and that the number of points fits the kind.
    pub(crate) fn check_form(&self, domain: Domain) -> Result<()> {
        let points = self.kind.points(domain.log_n)?;
        if self.index >= domain.n() {
            return Err(Error::new(
                Reason::IndexOutOfRange,
                format_args!("an index below {}", domain.n()),
                self.index,
            ));
        }
        if self.points.len() != points {
            return Err(Error::new(
                Reason::OpeningLength,
                format_args!("{points} points"),
                self.points.len(),
            ));
        }
        Ok(())
    }
}
