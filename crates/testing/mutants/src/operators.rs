//! The operators and methods that replace each other.

use syn::BinOp;

/// Returns the operators that replace a comparison.
pub(crate) fn comparisons(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        _ => &[],
    }
}

/// Returns the operator that replaces an arithmetic one.
pub(crate) fn arithmetic(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::Add(_) | BinOp::Mul(_) => "-",
        BinOp::Sub(_) => "+",
        BinOp::Div(_) => "*",
        BinOp::Rem(_) => "/",
        BinOp::BitAnd(_) | BinOp::BitXor(_) => "|",
        BinOp::BitOr(_) => "&",
        BinOp::Shl(_) => ">>",
        BinOp::Shr(_) => "<<",
        BinOp::AddAssign(_) => "-=",
        BinOp::SubAssign(_) | BinOp::MulAssign(_) => "+=",
        BinOp::BitAndAssign(_) | BinOp::BitXorAssign(_) => "|=",
        BinOp::BitOrAssign(_) => "&=",
        BinOp::ShlAssign(_) => ">>=",
        BinOp::ShrAssign(_) => "<<=",
        _ => return None,
    })
}

/// Methods that replace each other.
const TWIN_METHODS: &[[&str; 2]] = &[
    ["all", "any"],
    ["first", "last"],
    ["first_mut", "last_mut"],
    ["from_be_bytes", "from_le_bytes"],
    ["is_err", "is_ok"],
    ["is_none", "is_some"],
    ["is_none_or", "is_some_and"],
    ["leading_zeros", "trailing_zeros"],
    ["max", "min"],
    ["max_by_key", "min_by_key"],
    ["pop_back", "pop_front"],
    ["push_back", "push_front"],
    ["split_first", "split_last"],
    ["starts_with", "ends_with"],
    ["to_be_bytes", "to_le_bytes"],
    ["checked_add", "checked_sub"],
    ["saturating_add", "saturating_sub"],
    ["wrapping_add", "wrapping_sub"],
    ["left", "right"],
    ["floor", "ceil"],
];

/// Returns the method that replaces a method.
pub(crate) fn twin(name: &str) -> Option<&'static str> {
    TWIN_METHODS.iter().find_map(|&[a, b]| match name {
        _ if name == a => Some(b),
        _ if name == b => Some(a),
        _ => None,
    })
}

/// Methods whose removal is no fault, or never type-checks.
const KEPT_METHODS: &[&str] = &[
    "as_bytes",
    "as_deref",
    "as_mut",
    "as_ref",
    "as_slice",
    "by_ref",
    "chars",
    "clone",
    "cloned",
    "collect",
    "copied",
    "enumerate",
    "get",
    "get_mut",
    "into",
    "into_iter",
    "iter",
    "iter_mut",
    "len",
    "map_err",
    "next",
    "ok",
    "ok_or",
    "ok_or_else",
    "to_owned",
    "to_string",
    "to_vec",
    "try_into",
    "unwrap_or_default",
    "as_str",
];

/// Whether a call of the method can be removed.
pub(crate) fn can_be_left_out(name: &str) -> bool {
    !KEPT_METHODS.contains(&name)
}

/// Methods that take a condition.
pub(crate) const PREDICATE_METHODS: &[&str] = &[
    "all",
    "any",
    "filter",
    "find",
    "is_none_or",
    "is_some_and",
    "partition_point",
    "position",
    "retain",
    "skip_while",
    "take_while",
];
