//! The table of authenticated stores: names, ids, root lengths and capabilities in every language are
//! generated from it. `docs/decisions/0006-one-table-of-schemes.md` says what else a new one needs.

use alloc::string::String;

use crate::{Error, Reason, Result};

/// A kind of statement that a scheme's proofs support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ability {
    /// The values of raw keys after a block, or their absence.
    Keys,
    /// An account of Ethereum's form, and its slots.
    Account,
    /// Every change of a key in a range of blocks.
    History,
    /// Every key that changed in a range of blocks.
    Diff,
    /// The average of a key's value over time.
    Average,
    /// The keys between two bounds after a block, with their values.
    Range,
    /// The number of keys between two bounds after a block.
    Count,
    /// That a block's operations lead from the root before it to the root after it.
    Block,
    /// Its other statements also about older blocks, by the root of a newer one.
    Past,
}

impl Ability {
    /// The name in generated tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Account => "account",
            Self::History => "history",
            Self::Diff => "diff",
            Self::Average => "average",
            Self::Range => "range",
            Self::Count => "count",
            Self::Block => "block",
            Self::Past => "past",
        }
    }
}

macro_rules! schemes {
    ($(
        $(#[$doc:meta])*
        $scheme:ident = $id:literal, $name:literal, root $root:literal, proves [$($ability:ident)*], binary $binary:expr, parameters $parameters:literal;
    )*) => {
        /// The authenticated stores, with their wire ids.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Scheme {
            $($(#[$doc])* $scheme = $id,)*
        }

        impl Scheme {
            /// Every scheme, in the order of the wire ids.
            pub const ALL: [Self; [$($id),*].len()] = [$(Self::$scheme),*];

            /// The name used in TypeScript, JSON and file names.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$scheme => $name,)* }
            }

            /// Bytes of the scheme's root in a header.
            pub const fn root_length(self) -> usize {
                match self { $(Self::$scheme => $root,)* }
            }

            /// The statements that its proofs support; empty for a scheme that only has its id reserved.
            pub const fn abilities(self) -> &'static [Ability] {
                match self { $(Self::$scheme => &[$(Ability::$ability),*],)* }
            }

            /// The WebAssembly binary that has its verifier.
            pub const fn binary(self) -> Option<&'static str> {
                match self { $(Self::$scheme => $binary,)* }
            }

            /// Whether a chain's configuration has parameters for it.
            pub const fn has_parameters(self) -> bool {
                match self { $(Self::$scheme => $parameters,)* }
            }
        }
    };
}

schemes! {
    /// AVL+ trees with batch proofs, as in scorex and Ergo.
    Avl = 1, "avl", root 33, proves [Keys Block], binary Some("hash"), parameters false;
    /// Vector commitments with versioned Merkle trees.
    Lvmt = 2, "lvmt", root 64, proves [Keys], binary Some("lvmt"), parameters true;
    /// Sparse Merkle tree with historical proofs.
    Smt = 3, "smt", root 32, proves [Keys History Diff Average], binary Some("hash"), parameters false;
    /// Ethereum's Merkle Patricia trie.
    Mpt = 4, "mpt", root 32, proves [Account], binary Some("hash"), parameters false;
    /// Layered Merkle Patricia tries.
    Lmpt = 5, "lmpt", root 96, proves [Keys], binary Some("hash"), parameters true;
    /// Ordered keys with all their versions, as in S-Store.
    Amb = 6, "amb", root 32, proves [Keys History Range Count Past], binary Some("hash"), parameters false;
}

impl Scheme {
    /// The wire id.
    pub const fn id(self) -> u8 {
        self as u8
    }

    /// The scheme with this wire id; `unknown_scheme` if there is none.
    pub fn from_id(id: u8) -> Result<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.id() == id).ok_or_else(|| {
            let last = Self::ALL.map(Self::id).into_iter().fold(0, u8::max);
            Error::new(Reason::UnknownScheme, format_args!("a scheme id of 1 to {last}"), id)
        })
    }

    /// The scheme of this name, implemented or only reserved.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.as_str() == name)
    }

    /// Whether the scheme's proofs support this kind of statement.
    pub fn proves(self, ability: Ability) -> bool {
        self.abilities().contains(&ability)
    }

    /// Whether the scheme is implemented; otherwise only its id is reserved.
    pub const fn exists(self) -> bool {
        !self.abilities().is_empty()
    }

    /// Lists the names of the schemes that satisfy a condition, for messages: `avl, lvmt or smt`.
    pub fn names(holds: impl Fn(Self) -> bool) -> String {
        let mut names =
            Self::ALL.into_iter().filter(|scheme| holds(*scheme)).map(Self::as_str).rev();
        let last = String::from(names.next().unwrap_or("none"));
        let Some(before) = names.next() else { return last };
        let joined = alloc::format!("{before} or {last}");
        names.fold(joined, |after, name| alloc::format!("{name}, {after}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_ascend_from_1_and_names_differ() {
        for (scheme, id) in Scheme::ALL.into_iter().zip(1..) {
            assert_eq!((scheme.id(), Scheme::from_id(id)), (id, Ok(scheme)));
            assert_eq!(Scheme::named(scheme.as_str()), Some(scheme));
        }
        let expected = alloc::format!("a scheme id of 1 to {}", Scheme::ALL.len());
        assert_eq!(Scheme::from_id(0).unwrap_err().expected(), expected);
        assert_eq!(Scheme::named("AVL"), None);
    }

    #[test]
    fn a_scheme_that_exists_is_in_a_binary() {
        for scheme in Scheme::ALL {
            assert_eq!(scheme.exists(), scheme.binary().is_some(), "{scheme:?}");
        }
    }

    #[test]
    fn lists_of_names_read_as_sentences_do() {
        let names = |of: &[Scheme]| Scheme::names(|scheme| of.contains(&scheme));
        assert_eq!(names(&[Scheme::Avl, Scheme::Lvmt, Scheme::Smt]), "avl, lvmt or smt");
        assert_eq!(names(&[Scheme::Lvmt, Scheme::Lmpt]), "lvmt or lmpt");
        assert_eq!(names(&[Scheme::Smt]), "smt");
        assert_eq!(Scheme::names(|_| false), "none");
    }
}
